import { expect, test } from 'vitest';
import { lastWork, lastWorkTitle } from './stateWords';

test('when work last finished, or why that is not known', () => {
  const say = (since_completed_micros: number | null, tasks_completed = 5) => lastWork({ since_completed_micros, tasks_completed });
  expect(say(250e6)).toBe('last work finished 4 min ago');
  expect(say(0)).toBe('work finished just now');
  expect(say(null, 0)).toBe('no work has finished yet');
  expect(say(null)).toBe('time of last work not reported');
});

test('the last work to the second, and since when there is nothing to do', () => {
  const at = Date.parse('2026-11-14T14:02:10Z') * 1000;
  const row = { last_completed_micros: at, since_completed_micros: 60e6, tasks_completed: 5, stopped_micros: null, idle_since_micros: null };
  expect(lastWorkTitle(row, at + 60e6)).toBe('14 Nov 2026, 14:02:10');
  expect(lastWorkTitle({ ...row, idle_since_micros: at + 5e6 }, at + 60e6)).toMatch(/; idle since today 14:02$/);
  expect(lastWorkTitle({ ...row, idle_since_micros: at, stopped_micros: at }, at)).not.toMatch(/idle/);
  expect(lastWorkTitle({ ...row, last_completed_micros: null, since_completed_micros: null, tasks_completed: 0 }, at)).toBe('no work has finished yet');
});
