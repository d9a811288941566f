import { expect, test, vi } from 'vitest';
import type { Blocker } from '../../generated/api';

/** What stands in the way at each question; nothing at the last. */
const answers = vi.hoisted(() => [] as Blocker[][]);
let asked = 0;

vi.mock('../../api', () => ({
  ApiError: class extends Error {},
  client: { call: () => Promise.resolve({ blockers: answers[asked++] ?? [] }) },
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
