import { expect, test } from 'vitest';
import { lastWork } from './stateWords';

test('when work last finished, or why that is not known', () => {
  const say = (since_completed_micros: number | null, tasks_completed = 5) => lastWork({ since_completed_micros, tasks_completed });
  expect(say(250e6)).toBe('last work finished 4 min ago');
  expect(say(0)).toBe('work finished just now');
  expect(say(null, 0)).toBe('no work has finished yet');
  expect(say(null)).toBe('when work last finished is not told');
});
