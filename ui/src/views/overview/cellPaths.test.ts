import { expect, test } from 'vitest';
import { beyond, box, frames, looks } from './cellPaths';
import type { HeatLine } from './heat';
import type { Picked } from './picked';

const size = { cell: 10, tall: 20 };

/** One letter a row, a digit a cell; `.` is where the grid has none. */
const lines = (rows: Record<string, string>): HeatLine[] =>
  Object.entries(rows).map(([name, cells]) => {
    const row = { is: 'row', name } as const;
    return { id: `=${name}`, label: name, row, total: null, cells: [...cells].map((digit, column) => (digit === '.' ? null : { column, row, value: Number(digit), clusters: 1 })) };
  });

test('a cell leaves a gap to the next, and is never nothing', () => {
  expect(box(size, 1, 2, 0)).toBe('M21.0,21h8.0v18h-8.0z');
  expect(box(size, 1, 2, 0.5)).toBe('M21.5,21.5h7.0v17h-7.0z');
  expect(box({ cell: 2, tall: 20 }, 0, 0, 0)).toBe('M1.0,1h1.0v18h-1.0z');
});

test('cells of one look are one path', () => {
  const drawn = looks({ lines: lines({ a: '19.', b: '910' }), breaks: [5] }, size);
  expect(drawn).toHaveLength(3);
  const pieces = drawn.map(([, d]) => d.split('z').slice(0, -1).length);
  expect(pieces).toEqual([2, 2, 1]);
  expect(drawn[2]![0]).toBe('zero');
  expect(drawn[2]![1]).toBe(box(size, 1, 2, 0.5));
});

test('what is chosen has a frame, and what is far beyond the others a mark', () => {
  const map = { lines: lines({ a: '12', b: '34' }), outlier: 2 };
  const chosen: Picked = new Map([['=b', { row: { is: 'row', name: 'b' }, columns: new Set([0]) }]]);
  expect(frames(map, chosen, size)).toBe(box(size, 1, 0, 0.25));
  expect(beyond(map)).toEqual([{ r: 1, c: 0 }, { r: 1, c: 1 }]);
  expect(beyond({ ...map, outlier: null })).toEqual([]);
});
