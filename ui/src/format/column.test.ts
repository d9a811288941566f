import { expect, test } from 'vitest';
import { bytesColumn, coreColumn, secondsColumn } from './column';

test('a column has one unit, and small is not none', () => {
  expect([0, 1, 72, 44_640, 4_464_000, null].map(coreColumn(4_464_000).say)).toEqual(['0', '< 0.01', '0.02', '12.40', '1,240', '–']);
  expect([12, 4_000, 40_000].map((n) => coreColumn(n).unit)).toEqual(['core-s', 'core-min', 'core-h']);
  expect(secondsColumn(4000).unit).toBe('s');
  expect([0, 0.001, 3.14159, 1234.5].map(secondsColumn(4000).say)).toEqual(['0', '< 0.01', '3.14', '1,235']);
  expect(secondsColumn(200_000).unit).toBe('core-h');
  expect([10, 2 * 1024 ** 2, 3 * 1024 ** 3, 1024 ** 4].map((n) => bytesColumn(n).unit)).toEqual(['KiB', 'MiB', 'GiB', 'TiB']);
});
