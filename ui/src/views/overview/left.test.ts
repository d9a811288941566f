import { expect, test } from 'vitest';
import { leftWords } from './left';

test('a range is said with one unit where it has one', () => {
  const words = (low_seconds: number, high_seconds: number) => leftWords({ tasks: 5, low_seconds, high_seconds });
  expect(words(240, 540)).toBe('≈ 4 to 9 min left');
  expect(words(30, 120)).toBe('≈ 30 s to 2 min left');
  expect(words(20, 20)).toBe('≈ 20 s left');
});
