import { expect, test } from 'vitest';
import type { ThreadUse, WorkerHeat } from '../../generated/api';
import { cellAt, classes, classOf, columnAt, inGap, patch, patches, placeOf, withoutGaps, workerPatches } from './patches';

test('rows are prefixes with the rest last, and columns have their edges', () => {
  const use = {
    from_micros: 10,
    at_micros: [20, 30],
    computing: [
      { prefix: 'load', share: [0.5, null], seconds: 5 },
      { prefix: null, share: [0, 0], seconds: 0 },
    ],
  } as unknown as ThreadUse;
  const found = patches(use);
  expect(found.rows.map((row) => row.prefix)).toEqual(['load']);
  expect([found.most, found.edges, found.say(0.5)]).toEqual([0.5, [10, 20, 30], '50 % of all threads']);
  // What stands for a gap is no value, in the picture and in the table.
  expect(withoutGaps(found, [true, false]).rows[0]!.values).toEqual([null, null]);
  expect(withoutGaps(found, [false, true]).rows[0]!.values).toEqual([0.5, null]);
});

test('rows are workers by name, and who has none is said', () => {
  const heat: WorkerHeat = {
    from_micros: 0,
    at_micros: [10, 20],
    workers: [
      { worker_id: 'tcp://a', name: 'w\u202e1', mean: 60, values: [null, 80] },
      { worker_id: 'tcp://b', name: null, mean: null, values: [10, null] },
    ],
    others: { workers: 26, values: [5, null] },
    together: [null, 3],
    samples: 4,
    samples_read: 4,
  };
  const found = workerPatches(heat, (value) => `${value} %`);
  expect(found.rows.map(({ label }) => label)).toEqual(['w‹U+202E›1', 'tcp://b', '26 others', 'all, the median']);
  expect(found.rows.map(({ figure }) => figure)).toEqual(['60 %', '–', '–', '–']);
  expect([found.most, found.edges]).toEqual([80, [0, 10, 20]]);
  expect(workerPatches({ ...heat, others: null, together: [] }, String).rows).toHaveLength(2);
});

test('classes part the largest value evenly', () => {
  expect([0, 0.49, 0.5, 1].map((value) => classOf(value, 1))).toEqual([0, 2, 3, classes - 1]);
  expect(classOf(0, 0)).toBe(0);
  expect(patch(1, 5, 2)).toEqual({ row: 1, from: 2, to: 5 });
});

test('a cell is found again by its row and its time', () => {
  const map = (prefixes: string[], at_micros: number[]) => patches({ from_micros: 0, at_micros, computing: prefixes.map((prefix) => ({ prefix, share: at_micros.map(() => 1), seconds: 1 })) } as unknown as ThreadUse);
  const cell = cellAt(map(['load', 'sum'], [10, 20, 30]), { row: 1, column: 1 });
  expect(cell).toEqual({ key: '=sum', micros: 15 });
  expect(placeOf(map(['sum', 'load'], [12, 24, 36]), cell)).toEqual({ row: 0, column: 1 });
  expect(placeOf(map(['load', 'sum'], [20, 40, 60]), cell)).toEqual({ row: 1, column: 0 });
  expect(placeOf(map(['load'], [10, 20, 30]), cell)).toBeNull();
  expect([5, 10, 29, 30, 31, 99].map((micros) => columnAt([10, 20, 30], micros))).toEqual([0, 0, 1, 1, 1, 1]);
});

test('a column that lies in a gap for the most part has no figures', () => {
  expect(inGap([0, 10, 20, 30, 40], [])).toEqual([false, false, false, false]);
  expect(inGap([0, 10, 20, 30, 40], [{ from: 6, to: 26 }])).toEqual([false, true, true, false]);
});
