import { expect, test } from 'vitest';
import type { Flame } from '../../generated/api';
import { tokens } from './colours';
import { Cut, labelsOf } from './labels';
import { firstAt, rowsOf } from './layout';
import { paint, type Scene } from './paint';

/** All, and below it a thousand rectangles of ten samples: every other one is a block of small frames. */
const many = 1000;
const parts = Array.from({ length: many }, (_, i) => i);
const flame = {
  whole: 10 * many,
  total: 10 * many,
  found: null,
  frames: { key: [1], name: ['read_parquet'], file: ['/x/a.py'], line: [4], library: ['pandas'] },
  rectangles: {
    key: [0, ...parts.map((i) => i + 1)],
    parent: [-1, ...parts.map(() => 0)],
    frame: [-1, ...parts.map((i) => (i % 2 === 0 ? 0 : -1))],
    last: [-1, ...parts.map((i) => (i % 2 === 0 ? 0 : -1))],
    depth: [0, ...parts.map(() => 1)],
    x: [0, ...parts.map((i) => 10 * i)],
    total: [10 * many, ...parts.map(() => 10)],
    own: [0, ...parts.map(() => 10)],
    small: [0, ...parts.map((i) => (i % 2 === 0 ? 0 : 3))],
    run: [1, ...parts.map(() => 1)],
    found: [true, ...parts.map((i) => i % 4 < 2)],
  },
} as unknown as Flame;

/** What a pen was told to do. */
function painted(scene: Partial<Scene>) {
  const did = { bodies: [] as number[][], hatched: [] as number[], names: [] as string[], marks: 0 };
  let blocks = 0;
  const pen = {
    clearRect: () => {},
    fillRect: (...body: number[]) => did.bodies.push(body),
    beginPath: () => (blocks = 0),
    rect: () => (blocks += 1),
    fill: () => did.hatched.push(blocks),
    fillText: (text: string) => did.names.push(text),
    strokeRect: () => (did.marks += 1),
  };
  paint(pen as unknown as CanvasRenderingContext2D, {
    flame,
    changes: null,
    rows: rowsOf(flame.rectangles),
    sight: { from: 0.5, to: 0.5099 },
    width: 1005,
    height: 40,
    row: 20,
    yOf: (depth) => 20 * depth,
    selected: -1,
    under: -1,
    colours: new Map(tokens.map((token) => [token, token])),
    hatch: { from: () => null },
    labelAt: labelsOf(flame),
    names: new Cut('', false, (text) => text.length * 10),
    ...scene,
  });
  return did;
}

test('only what is in sight is drawn, and what is hatched is filled at once', () => {
  const { bodies, hatched, names, marks } = painted({});
  expect(bodies[0]).toEqual([0, 0, 1005, 19]);
  expect(bodies.length).toBe(1 + 10);
  expect(bodies.slice(1).map(([x]) => Math.round(x!))).toEqual([0, 102, 203, 305, 406, 508, 609, 711, 812, 914]);
  expect(hatched).toEqual([5, 0]);
  expect(names.slice(0, 3)).toEqual(['all', 'read_par…', '3 small …']);
  expect(marks).toBe(0);
  // Narrower, it has neither name nor lines.
  expect(painted({ width: 40 })).toMatchObject({ hatched: [0, 0], names: ['all'] });
  expect(painted({ selected: 501, under: 502 }).marks).toBe(2);
  // What is below or above the canvas is passed over as well.
  expect(painted({ yOf: (depth) => 20 * depth - 30 }).bodies.length).toBe(10);
});

test('what a search did not find is hatched by itself, as it is dimmed', () => {
  expect(painted({ flame: { ...flame, found: { functions: 1, total: 1, keys: [] } } }).hatched).toEqual([3, 2]);
});

test('a name that was cut is measured once for the room that it has', () => {
  let measured = 0;
  const names = new Cut('', false, (text) => {
    measured += 1;
    return text.length * 10;
  });
  expect([names.of('read_parquet', 91.5), names.of('read_parquet', 200), names.of('read_parquet', 20)]).toEqual(['read_par…', 'read_parquet', '']);
  const first = measured;
  painted({ names });
  const all = measured;
  painted({ names });
  painted({ names, sight: { from: 0.52, to: 0.5299 } });
  expect(all).toBeGreaterThan(first);
  expect(measured).toBe(all);
});

test('the first in sight is the first that ends in it or right of it', () => {
  const row = rowsOf(flame.rectangles)[1]!;
  expect([0, 9.9, 10, 5005, 9999, 10_000].map((x) => firstAt(flame.rectangles, row, x))).toEqual([0, 0, 1, 500, 999, 1000]);
  expect(firstAt(flame.rectangles, [], 5)).toBe(0);
});
