import { expect, test } from 'vitest';
import { coreColumn } from '../../format/column';
import { timeRange } from './lines';

test('a range stands in the unit of its column, and one without an error is one figure', () => {
  const hours = coreColumn(40_000);
  expect(timeRange({ low: 10_500, high: 11_880 }, hours)).toBe('2.92–3.30');
  expect(timeRange({ low: 7200, high: 7200 }, hours)).toBe('2.00');
});
