import { expect, test, vi } from 'vitest';

const page = vi.hoisted(() => {
  const page = { frames: [] as (() => void)[], rests: [] as ((deadline?: { timeRemaining: () => number }) => void)[], timeout: 0, print: () => {} };
  vi.stubGlobal('location', { hash: '' });
  vi.stubGlobal('history', { state: null });
  vi.stubGlobal('requestAnimationFrame', (f: () => void) => page.frames.push(f));
  vi.stubGlobal('requestIdleCallback', (f: () => void, { timeout }: { timeout: number }) => {
    page.rests.push(f);
    page.timeout = timeout;
  });
  vi.stubGlobal('addEventListener', (kind: string, f: () => void) => {
    if (kind === 'beforeprint') page.print = f;
  });
  return page;
});

const { atTop, inTurn } = await import('./turns');

test('sections come after the first picture, one whenever the page rests', () => {
  expect(atTop).toBe(true);
  const came: string[] = [];
  for (const section of ['groups', 'graph', 'profile']) inTurn(() => came.push(section));
  for (let frame = 0; frame < 2; frame += 1) {
    expect([page.frames.length, page.rests.length]).toEqual([1, 0]);
    page.frames.shift()!();
  }
  expect(came).toEqual([]);
  for (const section of ['groups', 'graph', 'profile']) {
    page.rests.shift()!();
    expect(came.at(-1)).toBe(section);
  }
  expect(page.rests).toEqual([]);
});

test('between two frames no section holds up the second, unless the page never rests', () => {
  const now = vi.spyOn(performance, 'now').mockReturnValue(1_000);
  const came: string[] = [];
  for (const section of ['groups', 'graph']) inTurn(() => came.push(section));
  for (let frame = 0; frame < 2; frame += 1) page.frames.shift()!();
  const [short, long] = [9, 49].map((ms) => ({ timeRemaining: () => ms }));
  page.rests.shift()!(short);
  expect([came, page.rests.length]).toEqual([[], 1]);
  page.rests.shift()!(long);
  expect(came).toEqual(['groups']);
  expect(page.timeout).toBe(100);
  now.mockReturnValue(1_060);
  page.rests.shift()!(short);
  expect([came, page.timeout]).toEqual([['groups'], 40]);
  now.mockReturnValue(1_100);
  page.rests.shift()!(short);
  expect(came).toEqual(['groups', 'graph']);
  expect(page.rests).toEqual([]);
  now.mockRestore();
});

test('what is printed has all sections', () => {
  const came: string[] = [];
  for (const section of ['workers', 'facts']) inTurn(() => came.push(section));
  page.print();
  expect(came).toEqual(['workers', 'facts']);
  for (let frame = 0; frame < 2; frame += 1) page.frames.shift()!();
  page.rests.shift()!();
  expect([came.length, page.rests.length]).toEqual([2, 0]);
});
