import { expect, test } from 'vitest';
import { columnOf, sayTick, sayValue } from './units';

test('a column has one unit, by its largest value, and what was not told is a dash', () => {
  const bytes = columnOf('bytes', 3 * 1024 ** 3);
  expect([bytes.unit, bytes.say(512 * 1024 ** 2), bytes.say(null)]).toEqual(['GiB', '0.50', '–']);
  expect(columnOf('bytes_per_s', 2048).unit).toBe('KiB/s');
  expect([columnOf('percent', 99).unit, columnOf('percent', 99).say(8.64)]).toEqual(['%', '8.6']);
  expect([columnOf('count', 2000).unit, columnOf('count', 2000).say(1234)]).toEqual(['', '1,234']);
});

test('the largest numbers are short in every unit', () => {
  const units = ['count', 'mean', 'real', 'bytes', 'bytes_per_s', 'percent', 'ms'] as const;
  expect(units.map((unit) => sayValue(unit, -1.7e308))).toEqual(['-1.7e+308', '-1.7e+308', '-1.7e+308', '-1.51e+293 PiB', '-1.51e+293 PiB/s', '-1.7e+308 %', '-1.7e+308 ms']);
  expect(columnOf('bytes', 1.7e308).say(1.7e308)).toBe('1.55e+296');
});

test('percent below zero have their digits, too, and what is small is not none', () => {
  expect([0, -1e-9, 0.03, -0.03, 0.5, -0.5, 9.94, -9.94, 12.4, -12.4].map((n) => sayValue('percent', n))).toEqual(['0 %', '0 %', '< 0.1 %', '> -0.1 %', '0.5 %', '-0.5 %', '9.9 %', '-9.9 %', '12 %', '-12 %']);
  expect([-5, 0, 5].map((n) => sayTick('percent', n))).toEqual(['-5 %', '0 %', '5 %']);
});
