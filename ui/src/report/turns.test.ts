import { expect, test, vi } from 'vitest';

const page = vi.hoisted(() => {
  const page = { frames: [] as (() => void)[], rests: [] as (() => void)[], print: () => {} };
  vi.stubGlobal('location', { hash: '' });
  vi.stubGlobal('history', { state: null });
  vi.stubGlobal('requestAnimationFrame', (f: () => void) => page.frames.push(f));
  vi.stubGlobal('requestIdleCallback', (f: () => void) => page.rests.push(f));
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

test('what is printed has all sections', () => {
  const came: string[] = [];
  for (const section of ['workers', 'facts']) inTurn(() => came.push(section));
  page.print();
  expect(came).toEqual(['workers', 'facts']);
  for (let frame = 0; frame < 2; frame += 1) page.frames.shift()!();
  page.rests.shift()!();
  expect([came.length, page.rests.length]).toEqual([2, 0]);
});
