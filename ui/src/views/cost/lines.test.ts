import { expect, test } from 'vitest';
import { coreColumn } from '../../format/column';
import type { LineCosts } from '../../generated/api';
import { headingOf, timeRange } from './lines';

test('a range stands in the unit of its column, and one without an error is one figure', () => {
  const hours = coreColumn(40_000);
  expect(timeRange({ low: 10_500, high: 11_880 }, hours)).toBe('2.92–3.30');
  expect(timeRange({ low: 7200, high: 7200 }, hours)).toBe('2.00');
});

test('what has no samples by line is named as functions', () => {
  const costs = (by_line: boolean, rows: number) => ({ by_line, rows: Array(rows).fill({}) }) as unknown as LineCosts;
  expect([null, costs(true, 3), costs(false, 0)].map(headingOf)).toEqual(Array(3).fill('Most expensive lines of code'));
  expect(headingOf(costs(false, 3))).toBe('Most expensive functions');
});
