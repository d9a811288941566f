import { expect, test } from 'vitest';
import { window_of } from './virtual';

test('only rows in sight exist, and a few beyond', () => {
  expect(window_of(0, 320, 32, 100_000)).toEqual({ first: 0, last: 18 });
  expect(window_of(32_000, 320, 32, 100_000)).toEqual({ first: 992, last: 1018 });
  expect(window_of(0, 320, 32, 3)).toEqual({ first: 0, last: 3 });
  expect(window_of(9_999, 320, 32, 3)).toEqual({ first: 3, last: 3 });
});
