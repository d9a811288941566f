import { expect, test } from 'vitest';
import type { HeatLine } from './heat';
import { between, cellAt, clamp, isChosen, rowsTo, stayed, stayOf, within } from './places';

/** One letter a row, three columns; `*` is the row of all others. */
const lines = (rows: string): HeatLine[] =>
  [...rows].map((name) => ({
    id: name === '*' ? 'others' : `=${name}`,
    label: name,
    row: name === '*' ? null : { is: 'row', name },
    total: null,
    cells: [0, 1, 2].map((column) => ({ column, row: { is: 'row', name } as const, value: 1, clusters: 1 })),
  }));
const flat = (cells: ReturnType<typeof between>) => [...cells].map(([id, { columns }]) => `${id}:${[...columns].join('')}`).join(' ');

test('two corners make a rectangle, whichever comes first', () => {
  expect(within({ row: 1, column: 1 }, { row: 0, column: 2 })).toEqual([[0, 1], [0, 2], [1, 1], [1, 2]]);
  expect(flat(between(lines('abc'), { row: 1, column: 2 }, { row: 0, column: 1 }, null))).toBe('=a:12 =b:12');
});

test('whole rows are chosen from one to another, whichever comes first, and the others are none of them', () => {
  const names = (from: string, to: string) => rowsTo(lines('abc*'), from, { is: 'row', name: to }).map((row) => (row.is === 'row' ? row.name : row.is));
  expect(names('=a', 'c')).toEqual(['a', 'b', 'c']);
  expect(names('=c', 'b')).toEqual(['b', 'c']);
  expect(names('=b', 'b')).toEqual(['b']);
  expect(names('=gone', 'b')).toEqual(['b']);
});

test('the others are chosen with all rows, and not alone', () => {
  const all = lines('ab*');
  expect(flat(between(all, { row: 1, column: 0 }, { row: 2, column: 0 }, null))).toBe('=b:0');
  expect(flat(between(all, { row: 0, column: 0 }, { row: 2, column: 1 }, null))).toBe('every:01');
  expect([cellAt(all, { row: 2, column: 0 }), cellAt(all, { row: 9, column: 0 }), cellAt(all, { row: 1, column: 2 })?.column]).toEqual([null, null, 2]);
});

test('what was chosen before stays where it is added to', () => {
  const before = between(lines('ab'), { row: 0, column: 0 }, { row: 0, column: 0 }, null);
  const both = between(lines('ab'), { row: 1, column: 2 }, { row: 1, column: 2 }, before);
  expect(flat(both)).toBe('=a:0 =b:2');
  expect(lines('ab').map((line) => line.cells.map((one) => isChosen(one!, both)))).toEqual([[true, false, false], [false, false, true]]);
});

test('a step beyond the edge stays there', () => {
  expect(clamp(lines('ab'), { row: 9, column: -1 })).toEqual({ row: 1, column: 0 });
  expect(clamp([], { row: 0, column: 0 })).toEqual({ row: 0, column: 0 });
});

test('a cluster stands in the row of its name, for as long as it was there', () => {
  const cluster = { user: 'b', project: null, host: 'h', name: 'n', started_micros: 15, stopped_micros: null };
  expect(stayOf(cluster, 'user', 99)).toEqual({ row: { is: 'row', name: 'b' }, from: 15, to: 99 });
  expect([stayOf(cluster, 'project', 0)?.row, stayOf(cluster, 'everything', 0)?.row]).toEqual([{ is: 'nameless' }, { is: 'every' }]);
  const ranges: [number, number][][] = [[[0, 10]], [[10, 20]], [[20, 30]]];
  const stay = (stopped_micros: number | null) => stayOf({ ...cluster, stopped_micros }, 'user', 99)!;
  expect(stayed(lines('ab'), { ranges }, stay(null))).toEqual([[1, 1], [1, 2]]);
  expect(stayed(lines('ab'), { ranges }, stay(19))).toEqual([[1, 1]]);
  expect(stayOf(cluster, 'span', 99)).toBeNull();
});
