import { expect, test } from 'vitest';
import type { Flame, FlameTable } from '../generated/api';
import { lit, under } from './flame';
import { tableOf } from './functions';

// all (10) ─ load (6) ─ read (4), and score (4) ─ read (3)
const flame = {
  tree: '',
  whole: 10,
  total: 10,
  seconds_per_sample: 1,
  root_found: true,
  way: [],
  smallest: 1,
  truncated: false,
  found: null,
  transformed: [],
  frames: { key: [1, 2, 3], name: ['load', 'score', 'read'], file: ['a.py', 'b.py', 'io.py'], line: [1, 2, 3], library: ['your code', 'your code', 'io'] },
  rectangles: {
    key: [0, 10, 20, 11, 21],
    parent: [-1, 0, 0, 1, 2],
    frame: [-1, 0, 1, 2, 2],
    last: [-1, 0, 1, 2, 2],
    depth: [0, 1, 1, 2, 2],
    x: [0, 0, 6, 0, 6],
    total: [10, 6, 4, 4, 3],
    own: [0, 2, 1, 4, 3],
    small: [0, 0, 0, 0, 0],
    run: [1, 1, 1, 1, 1],
    found: [false, false, false, false, false],
    error: [0, 0, 0, 0, 0],
  },
} as unknown as Flame;

test('a frame takes the whole width, with what stands below it and nothing else', () => {
  const part = under(flame, 20);
  expect(part.rectangles.key).toEqual([20, 21]);
  expect(part.rectangles).toMatchObject({ parent: [-1, 0], depth: [0, 1], x: [0, 0], total: [4, 3] });
  expect([part.total, part.whole]).toEqual([4, 10]);
  expect(part.way).toEqual([{ key: 0, frame: -1, total: 10 }]);
  expect(under(flame, 21).way.map((step) => step.key)).toEqual([0, 20]);
  expect(under(flame, null).rectangles.key).toHaveLength(5);
  expect(under(flame, 99)).toMatchObject({ root_found: false, total: 10 });
});

test('a search lights frames, and counts each function and each sample once', () => {
  expect(lit(flame, 'READ').found).toEqual({ functions: 1, total: 7, keys: [11, 21] });
  expect(lit(flame, 'io.py -load').found?.total).toBe(7);
  expect(lit(flame, 'o').found).toMatchObject({ functions: 3, total: 10 });
  expect(lit(flame, ' ').found).toBeNull();
});

test('functions are sorted and searched', () => {
  const rows = ['load', 'score', 'read'].map((name, i) => ({ name, file: 'f.py', own: i, total: 9 - i }));
  const table = { rows, total: 7, functions: 7, truncated: true } as unknown as FlameTable;
  const names = (search: string, order: 'own' | 'total' | 'function', direction: 'ascending' | 'descending') => tableOf(table, { search, order, direction }).rows.map((row) => row.name);
  expect(names('', 'own', 'descending')).toEqual(['read', 'score', 'load']);
  expect(names('', 'function', 'ascending')).toEqual(['load', 'read', 'score']);
  expect(names('oa', 'own', 'descending')).toEqual(['load']);
  const counts = (search: string) => tableOf(table, { search, order: 'own', direction: 'ascending' });
  // Of those that the report has: it cannot find others.
  expect(counts('x')).toMatchObject({ total: 0, functions: 3, truncated: false });
  expect(counts(' ')).toMatchObject({ total: 7, functions: 7, truncated: true });
});
