// Where rectangles are on the screen: rows, parts of the width, what is beside what.

import type { FlameRectangles } from '../../generated/api';

/** The part of the width in sight, 0 to 1. */
export interface Sight {
  from: number;
  to: number;
}

export const everything: Sight = { from: 0, to: 1 };

/** Places of rectangles, row by row, each row from left to right. */
export function rowsOf(rectangles: FlameRectangles): number[][] {
  const rows: number[][] = [];
  rectangles.depth.forEach((depth, at) => (rows[depth] ??= []).push(at));
  for (const row of rows) row?.sort((a, b) => rectangles.x[a]! - rectangles.x[b]!);
  return rows;
}

/** The rectangle of a row at a distance from the left edge of the root, in samples. */
export function hit(rectangles: FlameRectangles, row: readonly number[], x: number): number | null {
  let [low, high] = [0, row.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const at = row[middle]!;
    if (x < rectangles.x[at]!) high = middle - 1;
    else if (x >= rectangles.x[at]! + rectangles.total[at]!) low = middle + 1;
    else return at;
  }
  return null;
}

/** The place in a row of the first rectangle that ends right of a distance from the left edge of the root. */
export function firstAt(rectangles: FlameRectangles, row: readonly number[], x: number): number {
  let [low, high] = [0, row.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const at = row[middle]!;
    if (rectangles.x[at]! + rectangles.total[at]! <= x) low = middle + 1;
    else high = middle;
  }
  return low;
}

export type Way = 'parent' | 'child' | 'left' | 'right';

/** What stands beside a rectangle; the widest child. */
export function beside(rectangles: FlameRectangles, rows: readonly number[][], at: number, way: Way): number | null {
  if (way === 'parent') return rectangles.parent[at]! >= 0 ? rectangles.parent[at]! : null;
  const depth = rectangles.depth[at]!;
  if (way === 'child') {
    const children = (rows[depth + 1] ?? []).filter((child) => rectangles.parent[child] === at);
    return children.reduce<number | null>((widest, child) => (widest === null || rectangles.total[child]! > rectangles.total[widest]! ? child : widest), null);
  }
  const row = rows[depth] ?? [];
  return row[row.indexOf(at) + (way === 'left' ? -1 : 1)] ?? null;
}

/** A part of the width made narrower (factor < 1) or wider about a point of it; never narrower than a ten-millionth. */
export function scaled({ from, to }: Sight, factor: number, about: number): Sight {
  const wide = Math.min(1, Math.max(1e-7, (to - from) * factor));
  const left = about - ((about - from) / (to - from)) * wide;
  return moved({ from: left, to: left + wide }, 0);
}

/** A part of the width moved by so much of itself, kept inside. */
export function moved({ from, to }: Sight, by: number): Sight {
  const wide = to - from;
  const left = Math.min(1 - wide, Math.max(0, from + by * wide));
  return { from: left, to: left + wide };
}

/**
 * What is asked for so that panning and zooming by a little ask for nothing: a part in steps of powers of two, with as much on
 * both sides, and the pixels that it would take.
 */
export function askedOf({ from, to }: Sight, width: number): Sight & { width: number } {
  const level = Math.min(1, 2 ** Math.ceil(Math.log2(to - from)));
  const left = Math.floor(from / level) * level - level / 2;
  const sight = { from: Math.max(0, left), to: Math.min(1, left + 3 * level) };
  return { ...sight, width: Math.max(1, Math.round((width * (sight.to - sight.from)) / level)) };
}

/** What a key that moves or zooms makes of a sight; null for any other key. */
export function sightAfter(key: string, sight: Sight, middle: number): Sight | null {
  if (key === 'w' || key === '+' || key === '=') return scaled(sight, 0.7, middle);
  if (key === 's' || key === '-') return scaled(sight, 1 / 0.7, middle);
  if (key === 'a') return moved(sight, -0.2);
  return key === 'd' ? moved(sight, 0.2) : null;
}

/** The one that is next among those that were found, around their end. */
export function nextOf(keys: readonly number[], chosen: number | null, by: 1 | -1): number {
  const now = chosen === null ? -1 : keys.indexOf(chosen);
  return keys[(now < 0 ? (by > 0 ? 0 : keys.length - 1) : now + by + keys.length) % keys.length]!;
}

/**
 * A rectangle that is pointed at or selected: where it is drawn, and which it is. A block of small frames has the key of its parent, and an
 * opened block, which is drawn first, may hold another one.
 */
export interface Held {
  at: number;
  key: number;
  small: boolean;
}

type Named = Pick<FlameRectangles, 'key' | 'small'>;

export function holdOf({ key, small }: Named, at: number): Held {
  return { at, key: key[at]!, small: small[at]! > 0 };
}

/** A frame, wherever it is drawn. */
export function holdOfKey(key: number): Held {
  return { at: -1, key, small: false };
}

/** Where that rectangle is drawn by now; null where it is not any more. */
export function heldAt({ key, small }: Named, { at, ...held }: Held): number | null {
  const is = (one: number | undefined, place: number) => one === held.key && small[place]! > 0 === held.small;
  if (is(key[at], at)) return at;
  const now = at === 0 ? key.findIndex(is) : key.findLastIndex(is);
  return now < 0 ? null : now;
}
