// The heat-map's answer to what is drawn: bins, classes of colour, and what a selection means as a filter.

import type { HeatMap } from '../../generated/api';
import { classOf, quantileBreaks } from '../../format/scale';
import { monthName, weekday } from '../../format/time';

/** Beyond this many days a column is a week. */
const mostDays = 100;
export const classes = 6;

export interface Column {
  /** First and last local day. */
  from: string;
  to: string;
}

export interface Row {
  label: string;
  /** Seconds of compute; null where nothing reported. */
  cells: (number | null)[];
  /** Clusters that reported; in a week, the most on any of its days. */
  clusters: number[];
  total: number;
}

export interface Heat {
  bin: 'day' | 'week';
  columns: Column[];
  rows: Row[];
  /** Where the classes of colour part, in seconds. */
  breaks: number[];
  most: number;
}

export function heat(answer: HeatMap): Heat {
  const bin = answer.days.length > mostDays ? 'week' : 'day';
  const starts =
    bin === 'day' ? answer.days.map((_, i) => i) : answer.days.flatMap((day, i) => (i === 0 || weekday(day) === 0 ? [i] : []));
  const spans = starts.map((start, i) => [start, starts[i + 1] ?? answer.days.length] as const);
  const columns = spans.map(([start, end]) => ({ from: answer.days[start]!, to: answer.days[end - 1]! }));
  const rows = answer.rows.map((row) => ({
    label: row.label,
    cells: spans.map(([start, end]) => sum(row.compute_seconds.slice(start, end))),
    clusters: spans.map(([start, end]) => Math.max(0, ...row.clusters.slice(start, end))),
    total: row.total_compute_seconds,
  }));
  const values = rows.flatMap((row) => row.cells.filter((cell) => cell !== null));
  return { bin, columns, rows, breaks: quantileBreaks(values, classes), most: Math.max(0, ...values) };
}

/** Nothing and nothing is nothing; nothing and zero is zero. */
function sum(values: (number | null)[]): number | null {
  return values.reduce((a, b) => (a === null ? b : b === null ? a : a + b), null);
}

/** What a cell looks like: blank (nothing reported), zero, or a class of heat. */
export function look(cell: number | null, breaks: number[]): 'blank' | 'zero' | number {
  if (cell === null) return 'blank';
  if (cell === 0) return 'zero';
  // With few classes the strong end is used, so that a lone value can be seen.
  return classes - 1 - breaks.length + classOf(cell, breaks);
}

export interface Selection {
  label: string | null;
  /** Local days, both inclusive. */
  from: string | null;
  to: string | null;
}

/** Columns `a` to `b` (in any order) of one row, or of all. */
export function selection(map: Heat, label: string | null, a: number, b: number): Selection {
  const [first, last] = a < b ? [a, b] : [b, a];
  const column = (i: number) => map.columns[Math.min(map.columns.length - 1, Math.max(0, i))]!;
  return { label, from: column(first).from, to: column(last).to };
}

/** The columns that a selection covers, first and last; null if none does. */
export function covered(map: Heat, { from, to }: Selection): [number, number] | null {
  const first = map.columns.findIndex((column) => from === null || column.to >= from);
  const last = map.columns.findLastIndex((column) => to === null || column.from <= to);
  return first < 0 || last < first ? null : [first, last];
}

export interface Label {
  x: number;
  text: string;
  /** The first of a month. */
  strong: boolean;
}

/** What stands over the columns: months first, days or Mondays as there is room. */
export function labels(map: Heat, cell: number): Label[] {
  const out: (Label & { end: number })[] = [];
  map.columns.forEach((column, i) => {
    const strong = column.from.slice(5, 7) !== map.columns[i - 1]?.from.slice(5, 7);
    if (!strong && (map.bin === 'week' || (cell < 22 && weekday(column.from) !== 0))) return;
    const x = i * cell;
    const day = Number(column.from.slice(8));
    const text = map.bin === 'week' ? monthName(column.from) : strong ? `${day} ${monthName(column.from)}` : String(day);
    while (strong && out.length > 0 && out.at(-1)!.end > x && !out.at(-1)!.strong) out.pop();
    if (out.length > 0 && out.at(-1)!.end > x) return;
    out.push({ x, text, strong, end: x + 7 * text.length + 6 });
  });
  return out.map(({ x, text, strong }) => ({ x, text, strong }));
}

/** Rows beyond this many are one: no project or user of its own, so that it cannot be chosen. */
const mostRows = 40;

export function others(map: Heat): string | null {
  return map.rows.length < mostRows ? null : map.rows.at(-1)!.label;
}
