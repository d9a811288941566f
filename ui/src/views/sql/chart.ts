// A result as a chart: which columns may be drawn, and the points of one.

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

function numberOf(value: SqlValue | undefined): number | null {
  if (typeof value === 'number') return value;
  if (value !== null && typeof value === 'object' && 'number' in value) return Number(value.number);
  return null;
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
  const places = kind === 'line' && x !== null && (numeric(result)[x] ?? false) ? [x, y] : [y];
  return result.rows.filter((row) => places.some((at) => numberOf(row[at]) === null)).length;
}

export interface Point {
  x: number;
  y: number;
}

/** Rising in x. Words as x are taken by their place. */
export function points(result: SqlResult, { x, y }: Wish): Point[] {
  const numbers = x === null || !(numeric(result)[x] ?? false);
  const all = result.rows.flatMap((row, i) => {
    const [at, value] = [numbers ? i + 1 : numberOf(row[x!]), numberOf(row[y])];
    return at === null || value === null ? [] : [{ x: at, y: value }];
  });
  return all.toSorted((a, b) => a.x - b.x);
}
