import { expect, test } from 'vitest';
import type { DiffLine, GroupDifference, GroupSums } from '../../generated/api';
import { columns, folds, withoutSecrets } from './rows';

const sums = (tasks: number, compute: number): GroupSums => ({
  groups: 1,
  tasks,
  erred: 0,
  seconds: { compute, transfer: 0, disk_read: 0, disk_write: 0, deserialize: 0, other: 0 },
  result_bytes: 1,
  task_seconds: compute / tasks,
});
const row = (a: GroupSums | null, b: GroupSums | null): GroupDifference => ({ prefix: 'inc', a, b, differs: true, more_seconds: 0 });

test('columns that never differ are left out', () => {
  const names = (rows: GroupDifference[]) => columns(rows, true).map((column) => column.name);
  expect(names([row(sums(10, 5), sums(10, 5))])).toEqual([]);
  expect(names([row(sums(10, 5), sums(10, 6))])).toEqual(['One task', 'Compute']);
  expect(names([row(sums(10, 5), null)])).toEqual(['Groups', 'Tasks', 'One task', 'Compute', 'Data']);
  expect(columns([row(sums(10, 5), sums(10, 5))], false)).toHaveLength(8);
});

test('a column has one unit, that of its largest figure', () => {
  const compute = columns([row(sums(10, 5), sums(10, 90))], true).find((column) => column.name === 'Compute')!;
  expect([compute.unit, compute.say(5), compute.say(90), compute.say(null)]).toEqual(['core-min', '0.08', '1.50', '–']);
  expect(compute.exact(5)).toBe('5.000 seconds of one thread');
});

test('what looks like a secret is hidden in both runs, also where it spans lines that they share', () => {
  const line = (a: number | null, b: number | null, text: string): DiffLine => ({ a, b, text });
  const lines = [
    line(1, 1, 'key = "-----BEGIN PRIVATE KEY-----'),
    line(2, null, 'old'),
    line(null, 2, 'new'),
    line(3, 3, '-----END PRIVATE KEY-----"'),
    line(4, 4, '"password":'),
    line(5, null, '  "hunter22",'),
    line(null, 5, '  "hunter23",'),
    line(6, 6, 'last'),
  ];
  const hidden = withoutSecrets(lines);
  expect(hidden.lines.map(({ text }) => text)).toEqual(['key = "‹secret›', '', '', '"', '"password":', '  "‹secret›",', '  "‹secret›",', 'last']);
  expect(hidden.lines.map(({ a, b }) => [a, b])).toEqual(lines.map(({ a, b }) => [a, b]));
  expect(hidden.secrets).toBe(3);
});

test('lines far from any change are folded', () => {
  const lines: DiffLine[] = Array.from({ length: 20 }, (_, i) => ({ a: i + 1, b: i + 1, text: String(i) }));
  lines[10] = { a: null, b: 11, text: 'new' };
  expect(folds(lines).map((fold) => [fold.folded, fold.lines.length])).toEqual([
    [true, 7],
    [false, 7],
    [true, 6],
  ]);
  expect(folds([])).toEqual([]);
});
