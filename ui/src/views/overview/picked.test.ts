import { expect, test } from 'vitest';
import type { RowKey } from '../../state/heatRoute';
import { cellsOf, every, isRectangle, picked, picksOf, rectangle, sizeOf, stretch, toggled, without } from './picked';

const keys = ['2026-11-09', '2026-11-10', '2026-11-11', '2026-11-12'];
const day = 10;
const axis = { edges: [0, day, 20, 30, 40], columns: [], keys, ranges: keys.map((_, i) => [[i * day, (i + 1) * day] as [number, number]]) };
const row = (name: string): RowKey => ({ is: 'row', name });

test('cells are stretches in an address and come back from it', () => {
  const cells = toggled(rectangle([row('ana'), row('bo')], [1, 2]), row('bo'), 0);
  expect(picksOf(cells, axis)).toEqual([
    { row: row('ana'), from: keys[1], to: keys[2] },
    { row: row('bo'), from: keys[0], to: keys[2] },
  ]);
  expect(picked(picksOf(cells, axis), axis)).toEqual(cells);
  expect(picked([{ row: every, from: '1999-01-01', to: keys[1]! }], axis).size).toBe(0);
});

test('toggling a cell twice leaves what was', () => {
  const cells = rectangle([row('ana')], [1, 2]);
  const hole = toggled(rectangle([row('ana')], [0, 1, 2]), row('ana'), 1);
  expect(picksOf(hole, axis)).toEqual([
    { row: row('ana'), from: keys[0], to: keys[0] },
    { row: row('ana'), from: keys[2], to: keys[2] },
  ]);
  expect(toggled(toggled(cells, row('bo'), 3), row('bo'), 3)).toEqual(cells);
  expect(sizeOf(cells)).toBe(2);
});

test('core is asked for stretches of time, and those that touch are one', () => {
  expect(cellsOf(rectangle([row('ana'), every, { is: 'nameless' }], [2, 0, 1]), axis)).toEqual([
    { row: 'ana', every_row: false, from_micros: 0, to_micros: 30 },
    { row: null, every_row: true, from_micros: 0, to_micros: 30 },
    { row: null, every_row: false, from_micros: 0, to_micros: 30 },
  ]);
  const folded = { ...axis, ranges: [[[0, 5], [20, 25]], [[5, 10]], [], []] as [number, number][][] };
  expect(cellsOf(rectangle([every], [0, 1]), folded).map(({ from_micros, to_micros }) => [from_micros, to_micros])).toEqual([[0, 10], [20, 25]]);
});

test('a rectangle has rows and time apart', () => {
  const cells = rectangle([row('ana'), row('bo')], [1, 2]);
  expect([isRectangle(cells), stretch(cells)]).toEqual([true, [1, 2]]);
  expect(isRectangle(toggled(cells, row('bo'), 2))).toBe(false);
  expect(stretch(rectangle([row('ana')], [0, 2]))).toBe(null);
  expect([...without(cells, row('ana')).keys()]).toEqual(['=bo']);
});
