import { expect, test } from 'vitest';
import { clusterColumns, orders } from '../../state/route';
import { chosen, columns, firstColumns, moved, nameRoom, roomFor, toggled, widthsOf } from './columns';

test('an address knows every column', () => {
  expect(clusterColumns).toEqual(columns.map((column) => column.column));
});

test('an address knows every order that a column has, stalled time too', () => {
  const sorted = columns.map((column) => column.order).filter((order) => order !== null);
  expect(orders).toEqual(expect.arrayContaining(sorted));
  expect(columns.find((column) => column.column === 'stalled')?.order).toBe('stalled_seconds');
});

test('a choice of columns is what is known of it, once each', () => {
  expect(chosen(['user', 'nonsense', 'user', 'state']).map((column) => column.column)).toEqual(['user', 'state']);
  expect(chosen(firstColumns)).toHaveLength(firstColumns.length);
  expect(new Set(columns.map((column) => column.column)).size).toBe(columns.length);
});

test('columns move by a place, and not beyond the edges', () => {
  expect(moved(['a', 'b', 'c'], 'c', -1)).toEqual(['a', 'c', 'b']);
  expect(moved(['a', 'b', 'c'], 'a', -1)).toEqual(['a', 'b', 'c']);
  expect(moved(['a', 'b', 'c'], 'a', 9)).toEqual(['b', 'c', 'a']);
});

test('a column that comes back stands behind those that usually stand before it', () => {
  expect(toggled(['state', 'tasks'], 'user')).toEqual(['state', 'user', 'tasks']);
  expect(toggled(['state', 'user'], 'state')).toEqual(['user']);
  expect(toggled([], 'note')).toEqual(['note']);
});

test('the table is as wide as its columns', () => {
  expect(roomFor(chosen(['state', 'user']))).toBeCloseTo(nameRoom + 5.5 + 4.75);
});

test('a sentence has its part of the room that is left', () => {
  expect(widthsOf(chosen(['state', 'verdict', 'user']))).toEqual(['auto', '5.5rem', 'auto', '4.75rem']);
});

test('the columns as they come fit a window of 1280 px', () => {
  // The page has 1.5 rem on each side, and the panel a line.
  expect(roomFor(chosen(firstColumns)) * 16).toBeLessThanOrEqual(1280 - 48 - 2);
});
