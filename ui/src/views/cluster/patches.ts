// What prefixes or workers did over time, as cells of a heat-map.

import type { ThreadUse, WorkerHeat } from '../../generated/api';
import { coreTime } from '../../format/duration';
import { none, plural, share } from '../../format/number';
import { visible } from '../../format/visible';
import type { Span } from '../../parts/chart';

/** Classes of heat, by equal steps of the largest value: all cells are one measure of one cluster. */
export const classes = 6;

export interface PatchRow {
  /** Which one it is, in whatever place. */
  key: string;
  label: string;
  /** What the row is, in full. */
  title: string;
  /** Null where nothing was told. */
  values: (number | null)[];
  /** The row in one figure. */
  figure: string;
  /** The prefix that a patch of it is a profile of; null is all tasks. */
  prefix: string | null;
}

export interface Patches {
  rows: PatchRow[];
  /** The largest of all cells. */
  most: number;
  /** Where each column begins; one more than there are columns. */
  edges: number[];
  /** A value in words. */
  say: (value: number) => string;
}

function mapOf(rows: PatchRow[], from: number | null, ends: readonly number[], say: (value: number) => string): Patches {
  const most = rows.reduce((sum, row) => row.values.reduce<number>((most, value) => Math.max(most, value ?? 0), sum), 0);
  return { rows, most, edges: [from ?? 0, ...ends], say };
}

/** Which columns lie in a gap of the record for the most part. */
export function inGap(edges: readonly number[], gaps: readonly Span[]): boolean[] {
  return edges.slice(0, -1).map((from, i) => {
    const to = edges[i + 1]!;
    const without = gaps.reduce((sum, gap) => sum + Math.max(0, Math.min(to, gap.to) - Math.max(from, gap.from)), 0);
    return without > (to - from) / 2;
  });
}

/** The map without what stands for a gap: nobody heard of it. */
export function withoutGaps(map: Patches, missing: readonly boolean[]): Patches {
  return { ...map, rows: map.rows.map((row) => ({ ...row, values: row.values.map((value, c) => (missing[c] ? null : value)) })) };
}

export function patches(use: ThreadUse): Patches {
  const rows = use.computing
    .filter((one) => one.prefix !== null || one.seconds > 0)
    .map(({ prefix, share, seconds }) => {
      const label = prefix === null ? 'others' : visible(prefix);
      return { key: prefix === null ? '-' : `=${prefix}`, label, title: `${prefix === null ? 'all other prefixes' : label}, ${coreTime(seconds)}`, values: share, figure: coreTime(seconds), prefix };
    });
  return mapOf(rows, use.from_micros, use.at_micros, (value) => `${share(value)} of all threads`);
}

/** A row for each worker that has one; then all others, and those that samples told of together. */
export function workerPatches(heat: WorkerHeat, say: (value: number) => string): Patches {
  const rows: PatchRow[] = heat.workers.map(({ worker_id, name, mean, values }) => {
    const label = visible(name ?? worker_id);
    const figure = mean === null ? none : say(mean);
    return { key: `=${worker_id}`, label, title: `${label}, ${figure} on average`, values, figure, prefix: null };
  });
  if (heat.others !== null) {
    const { workers, values } = heat.others;
    rows.push({ key: '-', label: plural(workers, 'other'), title: `${plural(workers, 'worker')} with less: the mean of those that were up`, values, figure: none, prefix: null });
  }
  if (heat.together.length > 0)
    rows.push({ key: '*', label: 'all, the median', title: 'The median of all workers, at times with more than 64 of them', values: heat.together, figure: none, prefix: null });
  return mapOf(rows, heat.from_micros, heat.at_micros, say);
}

/** From 0; nothing for what is not told. */
export function classOf(value: number, most: number): number {
  return most <= 0 ? 0 : Math.min(classes - 1, Math.floor((value / most) * classes));
}

export interface Patch {
  row: number;
  from: number;
  to: number;
}

/** A patch of one row from one column to another, in either order. */
export function patch(row: number, a: number, b: number): Patch {
  return { row, from: Math.min(a, b), to: Math.max(a, b) };
}

export interface Place {
  row: number;
  column: number;
}

/** A cell by its row and its time: while a cluster runs, both change their places. */
export interface Cell {
  key: string;
  micros: number;
}

/** Its time is the middle of its column: edges may move a little. */
export function cellAt({ rows, edges }: Patches, { row, column }: Place): Cell {
  return { key: rows[row]?.key ?? '', micros: (edges[column]! + edges[column + 1]!) / 2 };
}

/** The column that a time is in, or the nearest one. */
export function columnAt(edges: readonly number[], micros: number): number {
  const next = edges.findIndex((edge) => edge > micros);
  return Math.max(0, (next < 0 ? edges.length - 1 : next) - 1);
}

/** Where a cell is now. Null: its row is gone. */
export function placeOf({ rows, edges }: Patches, { key, micros }: Cell): Place | null {
  const row = rows.findIndex((one) => one.key === key);
  return row < 0 ? null : { row, column: columnAt(edges, micros) };
}
