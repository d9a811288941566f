import { expect, test, vi } from 'vitest';
import type { Blocker } from '../../generated/api';

/** What stands in the way at each question, or that it fails; nothing at the last. */
const answers = vi.hoisted(() => [] as (Blocker[] | Error)[]);
let asked = 0;

function answer(): Promise<unknown> {
  const next = answers[asked++] ?? [];
  return next instanceof Error ? Promise.reject(next) : Promise.resolve({ blockers: next });
}

vi.mock('../../api', () => ({
  ApiError: class extends Error {},
  client: { call: () => answer() },
}));

const { Desk } = await import('./desk.svelte');

test('bytes that could not be written are asked for until they are there', async () => {
  vi.useFakeTimers();
  answers.push([{ kind: 'not_written', count: 1 }], [{ kind: 'not_written', count: 1 }]);
  const desk = new Desk();
  await desk.load(1);
  expect(asked).toBe(1);
  await vi.advanceTimersByTimeAsync(3_000);
  expect(asked).toBe(2);
  await vi.advanceTimersByTimeAsync(3_000);
  expect(asked).toBe(3);
  expect(desk.stage?.blockers).toEqual([]);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(asked).toBe(3);
  desk.stop();
  vi.useRealTimers();
});

test('a question that fails while the bytes are written is not asked again at once, and none is once the view is closed', async () => {
  vi.useFakeTimers();
  [asked, answers.length] = [0, 0];
  answers.push([{ kind: 'writing', count: 1 }], new Error('gone'), [{ kind: 'writing', count: 1 }]);
  const desk = new Desk();
  await desk.load(1);
  await vi.advanceTimersByTimeAsync(150);
  expect(asked).toBe(2);
  await vi.advanceTimersByTimeAsync(2_900);
  expect(asked).toBe(2);
  await vi.advanceTimersByTimeAsync(100);
  expect(asked).toBe(3);
  desk.stop();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(asked).toBe(3);
  vi.useRealTimers();
});
