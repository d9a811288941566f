import { expect, test } from 'vitest';
import { windowOf } from './virtual';

test('only rows in sight exist, and a few beyond', () => {
  expect(windowOf(0, 320, 32, 100_000)).toEqual({ first: 0, last: 18 });
  expect(windowOf(32_000, 320, 32, 100_000)).toEqual({ first: 992, last: 1018 });
  expect(windowOf(0, 320, 32, 3)).toEqual({ first: 0, last: 3 });
  expect(windowOf(9_999, 320, 32, 3)).toEqual({ first: 3, last: 3 });
});
