import { expect, test } from 'vitest';
import { bytesColumn, coreColumn, moneyColumn } from './column';

test('a column has one unit and as many digits as its largest value, and small is not none', () => {
  expect([0, 1, 72, 44_640, 3_000_000, null].map(coreColumn(3_000_000).say)).toEqual(['0', '< 0.01', '0.02', '12.40', '833.33', '–']);
  expect([0, 72, 44_640, 4_464_000].map(coreColumn(4_464_000).say)).toEqual(['0', '< 1', '12', '1,240']);
  expect([12, 4_000, 40_000].map((n) => coreColumn(n).unit)).toEqual(['core-s', 'core-min', 'core-h']);
  expect([10, 2 * 1024 ** 2, 3 * 1024 ** 3, 1024 ** 4].map((n) => bytesColumn(n).unit)).toEqual(['KiB', 'MiB', 'GiB', 'TiB']);
});

test('money has one unit and as many digits down a column', () => {
  const of = (low: number, high: number) => ({ low_nanos: low * 1e9, high_nanos: high * 1e9 });
  const column = moneyColumn(of(0.4, 3.2), 'EUR');
  expect(column.unit).toBe('≈ €');
  expect([of(0.4, 3.2), of(0.001, 0.04), of(0.0001, 0.0002), of(0, 0), of(1, 1), null].map(column.say)).toEqual(['0.40–3.20', '< 0.01–0.04', '< 0.01', '0.00', '1.00', '–']);
  expect(moneyColumn(of(1000, 2000), 'USD').say(of(999.6, 2000))).toBe('1,000–2,000');
  expect(moneyColumn(of(0.001, 0.002), 'EUR').say(of(0.001, 0.002))).toBe('0.0010–0.0020');
  // Parts of a sum are smaller than it.
  expect([of(0.001, 0.01), of(0.00001, 0.00004)].map(moneyColumn(of(0.001, 0.01), 'EUR', 1).say)).toEqual(['0.0010–0.0100', '< 0.0001']);
});
