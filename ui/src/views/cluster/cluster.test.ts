import { expect, test } from 'vitest';
import type { TaskGroupRow } from '../../generated/api';
import { overlaps, sorted, wanted } from './groups';
import { around, highlight, indentOf } from './highlight';

const noSeconds = { compute: 0, transfer: 0, disk_read: 0, disk_write: 0, deserialize: 0, other: 0 };

function group(id: string, compute: number, more: Partial<TaskGroupRow> = {}): TaskGroupRow {
  return {
    group_id: id,
    name: `${id}-9c2e`,
    prefix: id,
    states: { memory: 10 },
    seconds: { ...noSeconds, compute },
    result_bytes: 0,
    types: [],
    start_micros: null,
    stop_micros: null,
    durations: null,
    skew: null,
    retried: null,
    span_id: null,
    dependencies: [],
    is_final: false,
    ...more,
  };
}

test('groups are ordered, and what is not available comes last either way', () => {
  const rows = [group('a', 1), group('b', 3, { start_micros: 5 }), group('c', 2, { start_micros: 9 })];
  const ids = (list: TaskGroupRow[]) => list.map((row) => row.group_id).join('');
  expect(ids(sorted(rows, 'compute', 'descending'))).toBe('bca');
  expect(ids(sorted(rows, 'start', 'ascending'))).toBe('bca');
  expect(ids(sorted(rows, 'start', 'descending'))).toBe('cba');
  expect(ids(sorted(rows, 'tasks', 'descending'))).toBe('abc');
  // In the order that nobody chose, groups with errors stand first.
  const failed = [...rows, group('d', 0, { states: { erred: 1 } })];
  expect(ids(sorted(failed, 'compute', 'descending'))).toBe('dbca');
  expect(ids(sorted(failed, 'compute', 'ascending'))).toBe('dacb');
});

test('groups are filtered by name, time and computation', () => {
  const rows = [group('inc', 1, { start_micros: 10, stop_micros: 20 }), group('sum', 1, { start_micros: 30 })];
  const ids = (w: Partial<Parameters<typeof wanted>[1]>) =>
    wanted(rows, { text: '', from: null, to: null, ids: null, ...w }).map((row) => row.group_id);
  expect(ids({ text: ' INC' })).toEqual(['inc']);
  expect(ids({ from: 21, to: 40 })).toEqual(['sum']);
  expect(ids({ from: 15, to: 29 })).toEqual(['inc']);
  expect(ids({ ids: new Set(['sum']) })).toEqual(['sum']);
  expect(overlaps(null, null, 1, 2)).toBe(false);
});

test('code is coloured, and nothing of it is lost', () => {
  const code = 'def f(x):\n    # <b>no</b>\n    return inc("a\\n", 1)\n\nf(2).compute()';
  const lines = highlight(code);
  expect(lines.map((line) => line.map((piece) => piece.text).join('')).join('\n')).toBe(code);
  expect(lines[0]![0]).toEqual({ text: 'def', look: 'keyword' });
  expect(lines[1]!.find((piece) => piece.look === 'comment')!.text).toBe('# <b>no</b>');
  expect(lines[4]!.find((piece) => piece.text === 'compute')!.look).toBe('name');
  expect(highlight('')).toEqual([[]]);
  expect(highlight('"""open\nstring').map((line) => line.map((piece) => piece.text).join(''))).toEqual(['"""open', 'string']);
});

test('lines around the call', () => {
  expect(around(8, 3, 4)).toEqual({ first: 0, last: 8 });
  expect(around(100, 50, 4)).toEqual({ first: 46, last: 55 });
  expect(around(100, 99, 4)).toEqual({ first: 91, last: 100 });
  expect(around(100, null, 4)).toEqual({ first: 0, last: 9 });
  expect(indentOf('    a\n      b\n\n    c')).toBe(4);
});
