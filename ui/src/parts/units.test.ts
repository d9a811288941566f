import { expect, test } from 'vitest';
import { columnOf } from './units';

test('a column has one unit, by its largest value, and what was not told is a dash', () => {
  const bytes = columnOf('bytes', 3 * 1024 ** 3);
  expect([bytes.unit, bytes.say(512 * 1024 ** 2), bytes.say(null)]).toEqual(['GiB', '0.50', '–']);
  expect(columnOf('bytes_per_s', 2048).unit).toBe('KiB/s');
  expect([columnOf('percent', 99).unit, columnOf('percent', 99).say(8.64)]).toEqual(['%', '8.6']);
  expect([columnOf('count', 2000).unit, columnOf('count', 2000).say(1234)]).toEqual(['', '1,234']);
});
