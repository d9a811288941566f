import { expect, test } from 'vitest';
import { reveal, windowOf } from './virtual';

test('only rows in sight exist, and a few beyond', () => {
  expect(windowOf(0, 320, 32, 100_000)).toEqual({ first: 0, last: 18 });
  expect(windowOf(32_000, 320, 32, 100_000)).toEqual({ first: 992, last: 1018 });
  expect(windowOf(0, 320, 32, 3)).toEqual({ first: 0, last: 3 });
  expect(windowOf(9_999, 320, 32, 3)).toEqual({ first: 3, last: 3 });
});

test('a row out of sight comes to the middle, and one in sight stays where it is', () => {
  expect(reveal(0, 364, 44, 32, 100)).toBe(3056);
  expect(reveal(9_600, 364, 44, 32, 100)).toBe(3056);
  for (const at of [99, 100, 109]) expect(reveal(3_190, 364, 44, 32, at)).toBe(3_190);
  expect(reveal(3_190, 364, 44, 32, 110)).toBe(3_376);
  expect(reveal(320, 364, 44, 32, 2)).toBe(0);
});
