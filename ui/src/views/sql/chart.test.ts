import { expect, test } from 'vitest';
import type { SqlResult, SqlValue } from '../../generated/api';
import { bars, firstWish, leftOut, mostBars, points, spaced } from './chart';

function result(columns: string[], rows: SqlValue[][]): SqlResult {
  return { columns, rows, truncated: false };
}

test('words beside numbers are bars, numbers alone a line, and words alone nothing', () => {
  expect(firstWish(result(['user', 'n'], [['ana', 3], ['bo', null]]))).toEqual({ kind: 'bar', x: 0, y: 1 });
  expect(firstWish(result(['day', 'n'], [[1, 3], [2, 4]]))).toEqual({ kind: 'line', x: 0, y: 1 });
  expect(firstWish(result(['n'], [[1], [2]]))).toEqual({ kind: 'line', x: null, y: 0 });
  expect(firstWish(result(['user'], [['ana'], ['bo']]))).toBeNull();
  expect(firstWish(result(['n'], [[1]]))).toBeNull();
});

test('rows without a value are left out, and a line rises in x', () => {
  const some = result(['x', 'y'], [[3, 30], [1, 10], [2, null], [{ number: '4' } as SqlValue, 40]]);
  expect(points(some, { kind: 'line', x: 0, y: 1 })).toEqual([{ x: 1, y: 10, label: '1' }, { x: 3, y: 30, label: '3' }, { x: 4, y: 40, label: '4' }]);
  const many = result(['name', 'n'], Array.from({ length: 100 }, (_, i) => [`n${i}`, i]));
  expect(bars(many, { kind: 'bar', x: 0, y: 1 })).toHaveLength(mostBars);
  expect(bars(result(['n'], [[5], [6]]), { kind: 'bar', x: null, y: 0 })).toEqual([{ label: '1', value: 5 }, { label: '2', value: 6 }]);
});

test('what has no number is counted, so that nothing is left out silently', () => {
  const some = result(['x', 'y'], [[3, 30], [null, 10], [2, null]]);
  expect(leftOut(some, { kind: 'line', x: 0, y: 1 })).toBe(2);
  expect(leftOut(some, { kind: 'bar', x: 0, y: 1 })).toBe(1);
});

test('a line over words has them on its axis, as many as have room', () => {
  const some = result(['day', 'n'], [['Mon', 3], ['Tue', null], ['Wed', 5]]);
  expect(points(some, { kind: 'line', x: 0, y: 1 })).toEqual([{ x: 1, y: 3, label: 'Mon' }, { x: 3, y: 5, label: 'Wed' }]);
  expect(points(some, { kind: 'line', x: null, y: 1 }).map(({ label }) => label)).toEqual(['1', '3']);
  expect([spaced([1, 2, 3], 4), spaced([1, 2, 3, 4, 5, 6, 7], 3), spaced([1, 2, 3], 2), spaced([], 2)]).toEqual([[1, 2, 3], [1, 4, 7], [1, 3], []]);
});

test('what is infinite is counted as left out', () => {
  const some = result(['x', 'y'], [[1, 1e308], [2, { number: '-Infinity' }], [{ number: 'Infinity' }, 3]]);
  expect(points(some, { kind: 'line', x: 0, y: 1 }).map(({ y }) => y)).toEqual([1e308]);
  expect([leftOut(some, { kind: 'line', x: 0, y: 1 }), leftOut(some, { kind: 'bar', x: 0, y: 1 })]).toEqual([2, 1]);
});
