// A result as a chart: which columns may be drawn, and the points of one.

import { real } from '../../format/number';
import { visible } from '../../format/visible';
import type { SqlResult, SqlValue } from '../../generated/api';
import { cell, numeric } from './values';

export const kinds = ['bar', 'line'] as const;
export type Kind = (typeof kinds)[number];

export interface Wish {
  kind: Kind;
  /** Columns by place; null counts rows from 1. */
  x: number | null;
  y: number;
}

/** More bars than this cannot be told apart. */
export const mostBars = 60;

/** What can be drawn: SQLite also has infinities. */
function numberOf(value: SqlValue | undefined): number | null {
  if (typeof value === 'number') return value;
  if (value === null || typeof value !== 'object' || !('number' in value)) return null;
  const number = Number(value.number);
  return Number.isFinite(number) ? number : null;
}

/** What a result is drawn as to begin with; null where no column holds numbers. */
export function firstWish(result: SqlResult): Wish | null {
  const numbers = numeric(result);
  const y = numbers.lastIndexOf(true);
  if (y < 0 || result.rows.length < 2) return null;
  const words = numbers.indexOf(false);
  if (words >= 0) return { kind: 'bar', x: words, y };
  const x = numbers.indexOf(true);
  return { kind: 'line', x: x === y ? null : x, y };
}

export interface Bar {
  label: string;
  value: number;
}

/** The first rows that have a value. */
export function bars(result: SqlResult, { x, y }: Wish): Bar[] {
  const all = result.rows.flatMap((row, i) => {
    const value = numberOf(row[y]);
    return value === null ? [] : [{ label: x === null ? String(i + 1) : visible(cell(row[x] ?? null).text), value }];
  });
  return all.slice(0, mostBars);
}

/** Rows that are in no chart of these columns, since one of them has no number there. */
export function leftOut(result: SqlResult, { kind, x, y }: Wish): number {
  const places = kind === 'line' && x !== null && !byWords(result, x) ? [x, y] : [y];
  return result.rows.filter((row) => places.some((at) => numberOf(row[at]) === null)).length;
}

/** Whether a column has words on the axis: they are taken by their place. */
export function byWords(result: SqlResult, x: number | null): boolean {
  return x !== null && !(numeric(result)[x] ?? false);
}

export interface Point {
  x: number;
  y: number;
  /** What stands at its x. */
  label: string;
}

/** Rising in x. */
export function points(result: SqlResult, { x, y }: Wish): Point[] {
  const words = byWords(result, x);
  const all = result.rows.flatMap((row, i) => {
    const under = x === null ? undefined : row[x];
    const [at, value] = [x === null || words ? i + 1 : numberOf(under), numberOf(row[y])];
    return at === null || value === null ? [] : [{ x: at, y: value, label: words ? cell(under ?? null).text : real(at) }];
  });
  return all.toSorted((a, b) => a.x - b.x);
}

/** The first, the last, and others evenly between them: no more than have room. */
export function spaced<T>(all: readonly T[], room: number): T[] {
  if (all.length <= room) return [...all];
  return Array.from({ length: room }, (_, i) => all[Math.round((i * (all.length - 1)) / (room - 1))]!);
}
