import { expect, test } from 'vitest';
import { timeRange } from './lines';

test('a range of time has one unit', () => {
  expect(timeRange({ low: 10_500, high: 11_880 })).toBe('2.92–3.30 core-h');
  expect(timeRange({ low: 50, high: 70 })).toBe('0.83–1.17 core-min');
  expect(timeRange({ low: 7200, high: 7200 })).toBe('≈ 2.00 core-h');
});
