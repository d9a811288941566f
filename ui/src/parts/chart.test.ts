import { expect, test } from 'vitest';
import { areaPath, binOf, largest, linePath, lowest, nearest, nothing, runs, stacked, stretched } from './chart';

const same = (n: number) => n;
const at = [0, 10, 20, 30, 40];

test('a missing value and a gap in the record part a line', () => {
  expect(runs(at, [1, 1, 1, 1, 1], [])).toEqual([[0, 4]]);
  expect(runs(at, [1, null, 1, 1, null], [])).toEqual([
    [0, 0],
    [2, 3],
  ]);
  expect(runs(at, [1, 1, 1, 1, 1], [{ from: 12, to: 18 }])).toEqual([
    [0, 1],
    [2, 4],
  ]);
  expect(runs([], [], [])).toEqual([]);
});

test('steps hold their value until the next sample', () => {
  expect(linePath([0, 10], [1, 5], [], 'after', same, same)).toBe('M0.0,1.0L10.0,1.0L10.0,5.0');
});

test('a mean stands for the time before it', () => {
  expect(linePath([0, 10], [1, 5], [], 'before', same, same)).toBe('M0.0,1.0L0.0,5.0L10.0,5.0');
});

test('the first mean reaches back to the sample before it', () => {
  expect(linePath([0, 10, 20], [null, 1, 5], [], 'before', same, same)).toBe('M0.0,1.0L10.0,1.0L10.0,5.0L20.0,5.0');
});

test('a lone sample can be seen', () => {
  expect(linePath([0], [1], [], 'between', same, same)).toBe('M-2.0,1.0h4');
});

test('what stands inside of a gap alone is not drawn', () => {
  expect(linePath(at, [1, 1, 1, 1, 1], [{ from: 5, to: 35 }], 'between', same, same)).toBe('M-2.0,1.0h4M38.0,1.0h4');
});

test('an area closes along its floor', () => {
  expect(areaPath([0, 10], null, [2, 3], [], 'between', same, same)).toBe('M0.0,2.0L10.0,3.0L10.0,0.0L0.0,0.0Z');
});

test('a stack adds up, and is missing only where all of it is', () => {
  expect(
    stacked([
      [1, null, null],
      [2, 3, null],
    ]),
  ).toEqual([
    [1, null, null],
    [3, 3, null],
  ]);
});

test('the nearest sample counts', () => {
  expect([-5, 4, 6, 24, 26, 99].map((moment) => nearest(at, moment))).toEqual([0, 0, 1, 2, 3, 4]);
  expect(nearest([], 3)).toBe(-1);
  expect(largest([[1, null, 7], [3]])).toBe(7);
  expect([lowest([[1, null, -7], [-3]]), lowest([[1, null]])]).toEqual([-7, 0]);
  expect([[0, null], [], [0, -2], [3]].map(nothing)).toEqual([true, true, false, false]);
});

test('a moment means the bin that it lies in', () => {
  expect([-5, 0, 1, 10, 14, 40, 50].map((moment) => binOf(at, moment))).toEqual([0, 0, 1, 1, 2, 4, 4]);
  expect(binOf([], 3)).toBe(-1);
});

test('one end of a chosen time stays while the other goes on', () => {
  const once = stretched(null, 10, 20);
  expect(once).toEqual({ from: 10, to: 20 });
  expect(stretched(once, 20, 0)).toEqual({ from: 10, to: 0 });
});
