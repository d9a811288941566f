import { expect, test } from 'vitest';
import type { Flame } from '../../generated/api';
import { colourOf, legend } from './colours';
import { sayChange, sayMeasure } from './difference';
import { endOf, fitted, frameAt, labelOf, labelsOf, percent, placeOf, sentence, stackOf } from './labels';
import { askedOf, beside, heldAt, hit, holdOf, holdOfKey, moved, nextOf, rowsOf, scaled, sightAfter } from './layout';
import { allKeys } from '../../parts/keys';
import { stepActs } from './steps';
import { againstWords, readAgainst, selectionOf, stepWords, writeAgainst, nothingChosen } from './selection';

// all 10 (own 1): a 6 (own 2: b 3, two small 1), c 3, in samples.
const flame = {
  whole: 20,
  total: 10,
  way: [{ key: 9, frame: 2, total: 20 }],
  frames: { key: [1, 2, 3], name: ['a', 'b', 'c'], file: ['/x/a.py', 'C:\\y\\b.py', ''], line: [4, null, null], library: ['your code', 'pandas', 'unknown'] },
  rectangles: {
    key: [10, 11, 12, 13, 11],
    parent: [-1, 0, 0, 1, 1],
    frame: [-1, 0, 2, 1, -1],
    last: [-1, 1, 2, 1, -1],
    depth: [0, 1, 1, 2, 2],
    x: [0, 0, 6, 0, 3],
    total: [10, 6, 3, 3, 1],
    own: [1, 2, 3, 3, 0],
    small: [0, 0, 0, 0, 2],
    run: [1, 2, 1, 1, 1],
  },
} as unknown as Flame;

test('frames are found by where they stand', () => {
  const r = flame.rectangles;
  const rows = rowsOf(r);
  expect(rows).toEqual([[0], [1, 2], [3, 4]]);
  expect([0, 5.9, 6, 8.9, 9].map((x) => hit(r, rows[1]!, x))).toEqual([1, 1, 2, 2, null]);
  expect(beside(r, rows, 0, 'child')).toBe(1);
  expect(beside(r, rows, 1, 'child')).toBe(3);
  expect(beside(r, rows, 1, 'right')).toBe(2);
  expect(beside(r, rows, 2, 'right')).toBe(null);
  expect(beside(r, rows, 2, 'child')).toBe(null);
  expect(beside(r, rows, 4, 'parent')).toBe(1);
  expect(beside(r, rows, 0, 'parent')).toBe(null);
});

test('the part in sight stays inside, about a point that stays where it is', () => {
  expect(scaled({ from: 0, to: 1 }, 0.5, 0.5)).toEqual({ from: 0.25, to: 0.75 });
  expect(scaled({ from: 0.25, to: 0.75 }, 0.5, 0.25)).toEqual({ from: 0.25, to: 0.5 });
  expect(scaled({ from: 0.2, to: 0.4 }, 100, 0.3)).toEqual({ from: 0, to: 1 });
  expect(moved({ from: 0.5, to: 0.75 }, 9)).toEqual({ from: 0.75, to: 1 });
});

test('panning and zooming by a little ask for nothing new, and what is in sight was asked for', () => {
  expect(askedOf({ from: 0, to: 1 }, 800)).toEqual({ from: 0, to: 1, width: 800 });
  expect(askedOf({ from: 0.5, to: 0.62 }, 800)).toEqual(askedOf({ from: 0.51, to: 0.63 }, 800));
  for (let i = 0; i < 500; i++) {
    const wide = 2 ** -(i % 11) * 0.93;
    const from = ((i * 37) % 101) / 101 * (1 - wide);
    const asked = askedOf({ from, to: from + wide }, 1000);
    expect(asked.from).toBeLessThanOrEqual(from);
    expect(asked.to).toBeGreaterThanOrEqual(from + wide);
    // Never coarser than what is drawn by more than half, never more than a few screens of it.
    const perPixel = (asked.to - asked.from) / asked.width;
    expect(perPixel / (wide / 1000)).toBeLessThan(2.01);
    expect(asked.width).toBeLessThanOrEqual(3001);
  }
});

test('frames have words', () => {
  expect(labelOf(frameAt(flame, 1))).toBe('a → b (2)');
  const labelAt = labelsOf(flame);
  const all = flame.rectangles.key.map((_, at) => at);
  for (let twice = 0; twice < 2; twice++) expect(all.map(labelAt)).toEqual(['all', 'a → b (2)', 'c', 'b', '2 small frames']);
  expect(frameAt(flame, 4).name).toBe('2 small frames');
  expect(sentence(flame, 3)).toBe('b, b.py: 15.0 % of time, 3 of 20 samples, 15.0 % by itself, row 4');
  expect(stackOf(flame, 3)).toBe('c ()\na (a.py:4)\nb (b.py)');
  expect(placeOf('/lib/x/merge.py', 7)).toBe('merge.py:7');
  expect(endOf('/opt/env/lib/pandas/core/reshape/merge.py', 148, 30)).toBe('…/core/reshape/merge.py:148');
  expect([0, 0.0001, 0.0312, 0.9999, 1].map(percent)).toEqual(['0.0 %', '< 0.1 %', '3.1 %', '> 99.9 %', '100.0 %']);
  const width = (text: string) => text.length * 7;
  expect([200, 60, 30, 20].map((room) => fitted('merge_asof', room, width))).toEqual(['merge_asof', 'merge_a…', 'mer…', '']);
});

test('a package has one colour, and colours are named by what has them', () => {
  expect(colourOf('dask')).toBe(colourOf('distributed'));
  expect(colourOf('a_package')).toBe(colourOf('a_package'));
  expect(colourOf('a_package')).toMatch(/^flame-[1-6]$/);
  expect(legend(['dask', 'pandas', 'distributed', 'numpy'], [5, 9, 1, 0], 8)).toEqual([
    { token: 'flame-2', libraries: ['pandas'] },
    { token: 'flame-1', libraries: ['dask', 'distributed'] },
  ]);
});

test('a selection is asked for as the list of clusters is', () => {
  const filter = { ...nothingChosen.filter, user: 'ana', from: '2026-11-14' };
  expect(selectionOf({ ...nothingChosen, filter, prefix: 'inc' })).toMatchObject({ ids: [], prefixes: ['inc'], clusters: { user: 'ana', from_micros: new Date(2026, 10, 14).getTime() * 1000 } });
  expect(selectionOf({ ...nothingChosen, ids: [3] })).toMatchObject({ ids: [3], clusters: null });
  const against = { ...nothingChosen, ids: [7, 9], prefix: 'a & b', from: 5 };
  expect(readAgainst(writeAgainst(against))).toEqual(against);
  // The other side of a difference may be all that a filter lists, with its days.
  const listed = { ...nothingChosen, filter: { ...filter, text: 'project:etl cost>1', to: '2026-11-20' }, prefix: 'inc' };
  expect(readAgainst(writeAgainst(listed))).toEqual(listed);
  expect(readAgainst(writeAgainst(nothingChosen))).toEqual(nothingChosen);
  const words = againstWords({ ids: [], filter: { ...filter, text: 'project:etl cost>1', from: null } }, null);
  expect([words, againstWords(nothingChosen, null), againstWords(against, null), againstWords({ ...against, ids: [7] }, 'one')]).toEqual([
    'clusters: user ana, “project:etl cost>1”',
    'all clusters',
    '2 clusters',
    'one',
  ]);
  expect(readAgainst('ids=x,-1')).toBe(null);
});

test('whatever changes stacks has a key of its own that is told, and what is about one node is offered where there is that node', () => {
  const frame = { key: 12, function: 2, library: 'pandas' };
  const told = allKeys.find(({ panel }) => panel === 'flame')!.keys.map(([key]) => key);
  const keys = (whole: boolean) => stepActs(frame, whole).map(({ key }) => key);
  expect(told).toEqual(expect.arrayContaining(keys(true)));
  expect(new Set(keys(true)).size).toBe(keys(true).length);
  expect(keys(true).filter((key) => !keys(false).includes(key))).toEqual(['S', 'M']);
  expect(stepActs(frame, true).find(({ key }) => key === 'M')!.step).toEqual({ kind: 'merge_node', node: 12 });
  expect(stepActs({ ...frame, function: null }, true)).toEqual([]);
});

test('differences are said with their sign', () => {
  expect(sayChange('shares', 0.1, 0.142)).toBe('+ 4.2 points');
  expect(sayChange('seconds', 30, 10)).toBe('− 20.0 core-s');
  expect(sayMeasure('seconds_per_task', 0.012)).toBe('12 ms');
  const names = ['merge', null, undefined];
  expect(names.map((name) => stepWords({ kind: 'drop', function: 1 }, name))).toEqual(['samples dropped with merge', 'samples dropped with a function that is not here', 'samples dropped with …']);
});

test('a name that is cut keeps the end that is wanted', () => {
  const width = (text: string) => [...text].length;
  expect(fitted('read_parquet', 8, width)).toBe('read_pa…');
  expect(fitted('read_parquet', 8, width, true)).toBe('…parquet');
  expect(fitted('read_parquet', 3, width, true)).toBe('');
  expect(fitted('read', 8, width, true)).toBe('read');
});

test('keys move the sight, and go from match to match around the end', () => {
  expect(sightAfter('d', { from: 0.2, to: 0.4 }, 0.3)!.from).toBeCloseTo(0.24);
  expect(sightAfter('w', { from: 0, to: 1 }, 0.5)).toEqual(scaled({ from: 0, to: 1 }, 0.7, 0.5));
  expect(sightAfter('x', { from: 0, to: 1 }, 0.5)).toBeNull();
  expect([nextOf([4, 5, 6], null, 1), nextOf([4, 5, 6], null, -1), nextOf([4, 5, 6], 6, 1), nextOf([4, 5, 6], 9, 1)]).toEqual([4, 6, 4, 4]);
});

test('a frame that is pointed at is the same one wherever it is drawn next', () => {
  const frames = (...key: number[]) => ({ key, small: key.map(() => 0) });
  expect(heldAt(frames(7, 8, 9), holdOf(frames(7, 8, 9), 1))).toBe(1);
  expect(heldAt(frames(8, 7, 9), holdOf(frames(7, 8, 9), 1))).toBe(0);
  expect(heldAt(frames(7, 9), holdOf(frames(7, 8, 9), 1))).toBeNull();
  expect(heldAt(frames(7, 8, 9), holdOfKey(9))).toBe(2);
});

test('a block of small frames is another than the frame that it stands in, and the opened block than the one inside it', () => {
  const drawn = { key: [1, 7, 8, 7], small: [0, 0, 0, 3] };
  const block = holdOf(drawn, 3);
  expect([heldAt(drawn, block), heldAt(drawn, holdOfKey(7))]).toEqual([3, 1]);
  // A frame was drawn before it meanwhile.
  expect(heldAt({ key: [1, 7, 8, 9, 7], small: [0, 0, 0, 0, 3] }, block)).toBe(4);
  expect(heldAt({ key: [1, 7, 8], small: [0, 0, 0] }, block)).toBeNull();
  const opened = { key: [7, 5, 6, 7], small: [9, 0, 0, 2] };
  expect([heldAt(opened, { ...block, at: 0 }), heldAt(opened, { ...block, at: 2 })]).toEqual([0, 3]);
});
