// The heat-map's answer to what is drawn: rows and columns of cells in each form, classes of colour, and labels.

import type { HeatMap, HeatRows, Measure } from '../../generated/api';
import { bytes } from '../../format/bytes';
import { bytesColumn, coreColumn, moneyColumn, type ColumnUnit } from '../../format/column';
import { coreTime } from '../../format/duration';
import { middle } from '../../format/money';
import { count, none, plural } from '../../format/number';
import { classOf, quantileBreaks } from '../../format/scale';
import { monthName } from '../../format/time';
import { wall } from '../../format/zone';
import type { Bin, Form, RowKey } from '../../state/heatRoute';
import { bounds, stretchWords, weekdayOf, type Axis } from './grid';
import { every, idOf } from './picked';

export const classes = 6;

export interface Cell {
  /** Place of its column on the axis. */
  column: number;
  row: RowKey;
  /** Null with clusters: not told. Null without: nothing reported. */
  value: number | null;
  clusters: number;
}

export interface HeatLine {
  id: string;
  label: string;
  /** Of all its cells: what a click on its name chooses. */
  row: RowKey | null;
  total: number | null;
  /** By place; null where the grid has no cell, as before a year begins. */
  cells: (Cell | null)[];
}

export interface Heat {
  measure: Measure;
  lines: HeatLine[];
  /** Over the columns. */
  labels: { at: number; text: string; strong: boolean; weekly: boolean }[];
  /** Where the classes of colour part. */
  breaks: number[];
  most: number;
  /** Above this a cell is far beyond the others; null where none is. */
  outlier: number | null;
}

export const rowWords: Record<HeatRows, { rows: string; nameless: string }> = {
  user: { rows: 'User', nameless: 'user not sent' },
  project: { rows: 'Project', nameless: 'no project' },
  host: { rows: 'Host', nameless: 'host not sent' },
  name: { rows: 'Cluster', nameless: 'no name' },
  span: { rows: 'Span', nameless: 'no span' },
  everything: { rows: 'All', nameless: 'all clusters' },
};

export const measureWords: Record<Measure, { label: string; means: string }> = {
  compute: { label: 'Compute time', means: 'Time threads spent in your functions.' },
  cluster: { label: 'Cluster time', means: 'Threads × the time they were up, idle time included.' },
  cost: { label: 'Cost', means: 'At the price that applied when each cluster started; the middle of its range.' },
  idle: { label: 'Idle time', means: 'Cluster time in which threads had nothing to do: not computing, transferring, on disk or deserializing, and not stalled.' },
  stalled: { label: 'Stalled time', means: 'Cluster time in which threads did nothing while work was assigned and none of it finished, counted from when this was known.' },
  failures: { label: 'Erred tasks', means: 'Tasks that erred themselves, not because a task they needed did.' },
  memory_peak: { label: 'Peak memory', means: 'The most memory any one cluster used.' },
};

/** A value in its unit. */
export function say(measure: Measure, value: number | null, currency: string): string {
  if (value === null) return none;
  switch (measure) {
    case 'compute':
    case 'cluster':
    case 'idle':
    case 'stalled':
      return coreTime(value);
    case 'cost':
      return `≈ ${middle(value, currency)}`;
    case 'failures':
      return count(value);
    case 'memory_peak':
      return bytes(value);
  }
}

/** The map's values as a table has them: one unit, which the heads of its columns say. */
export function columnOf({ measure, most }: Pick<Heat, 'measure' | 'most'>, currency: string): ColumnUnit {
  const money = (value: number) => ({ low_nanos: value * 1e9, high_nanos: value * 1e9 });
  switch (measure) {
    case 'compute':
    case 'cluster':
    case 'idle':
    case 'stalled':
      return coreColumn(most);
    case 'cost': {
      const { unit, say } = moneyColumn(money(most), currency);
      return { unit, say: (value) => say(value === null ? null : money(value)) };
    }
    case 'failures':
      return { unit: 'tasks', say: count };
    case 'memory_peak':
      return bytesColumn(most);
  }
}

const weekdays = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const;

/** What is drawn. Weeks begin on the weekday `start`, 0 is Monday. */
export function heat(answer: HeatMap, axis: Axis, form: Form, bin: Bin, start: number): Heat {
  const lines = form === 'map' ? mapLines(answer) : foldedLines(answer, axis, form, start);
  const values = lines.flatMap((line) => line.cells.flatMap((cell) => cell?.value ?? []));
  const breaks = quantileBreaks(values, classes);
  const most = Math.max(0, ...values);
  const last = breaks.at(-1);
  // Twice the largest break and more would be told from it by nothing but the legend.
  const outlier = last !== undefined && most > 4 * last ? 4 * last : null;
  return { measure: answer.measure, lines, labels: labels(axis, form, bin, start), breaks, most, outlier };
}

function mapLines(answer: HeatMap): HeatLine[] {
  return answer.rows.map((row) => {
    const key: RowKey | null = row.others > 0 ? null : row.key === null ? { is: 'nameless' } : { is: 'row', name: row.key };
    const label = row.others > 0 ? `${count(row.others)} others` : (row.key ?? rowWords[answer.by].nameless);
    const cells = row.values.map((value, column) => ({ column, row: key ?? every, value, clusters: row.clusters[column] ?? 0 }));
    return { id: key === null ? 'others' : idOf(key), label, row: key, total: row.total, cells };
  });
}

/** One row of all clusters, laid out by weekday. */
function foldedLines(answer: HeatMap, axis: Axis, form: Form, start: number): HeatLine[] {
  const row = answer.rows[0];
  const cell = (column: number): Cell => ({ column, row: every, value: row?.values[column] ?? null, clusters: row?.clusters[column] ?? 0 });
  const order = Array.from({ length: 7 }, (_, i) => (start + i) % 7);
  return order.map((weekday) => {
    const cells =
      form === 'week'
        ? Array.from({ length: 24 }, (_, hour) => cell(weekday * 24 + hour))
        : weeksOf(axis, start).map((week) => {
            const at = week.find((column) => weekdayOf(axis.keys[column]!) === weekday);
            return at === undefined ? null : cell(at);
          });
    return { id: String(weekday), label: weekdays[weekday]!, row: null, total: null, cells };
  });
}

/** The days of each week. */
function weeksOf(axis: Axis, start: number): number[][] {
  const out: number[][] = [];
  axis.keys.forEach((day, column) => {
    if (out.length === 0 || weekdayOf(day) === start) out.push([]);
    out.at(-1)!.push(column);
  });
  return out;
}

function labels(axis: Axis, form: Form, bin: Bin, start: number): Heat['labels'] {
  if (form === 'week') return Array.from({ length: 8 }, (_, i) => ({ at: i * 3, text: `${String(i * 3).padStart(2, '0')}:00`, strong: false, weekly: true }));
  const keys = form === 'calendar' ? weeksOf(axis, start).map((week) => axis.keys[week[0]!]!) : axis.keys;
  if (form === 'map' && bin === 'hour')
    return axis.edges.slice(0, -1).flatMap((edge, at) => {
      const d = wall(edge);
      if (d.getUTCHours() !== 0) return [];
      return [{ at, text: `${d.getUTCDate()} ${monthName(`2000-${String(d.getUTCMonth() + 1).padStart(2, '0')}-01`)}`, strong: d.getUTCDate() === 1, weekly: true }];
    });
  return keys.flatMap((day, at) => {
    const strong = day.slice(0, 7) !== keys[at - 1]?.slice(0, 7);
    if (bin === 'day' && form === 'map') return [{ at, text: strong ? `${Number(day.slice(8))} ${monthName(day)}` : String(Number(day.slice(8))), strong, weekly: weekdayOf(day) === start }];
    return strong ? [{ at, text: monthName(day), strong, weekly: true }] : [];
  });
}

/** Those that have room, the first of a month before others; of narrow days the first of each week. */
export function roomy(all: Heat['labels'], cell: number): { x: number; text: string; strong: boolean }[] {
  const out: { x: number; text: string; strong: boolean; end: number }[] = [];
  for (const { at, text, strong, weekly } of all) {
    if (!strong && !weekly && cell < 22) continue;
    const x = at * cell;
    // What begins in the middle of a month gives way to the month.
    while (strong && out.length > 0 && out.at(-1)!.end > x && (!out.at(-1)!.strong || out.at(-1)!.x === 0)) out.pop();
    if (out.length > 0 && out.at(-1)!.end > x) continue;
    out.push({ x, text, strong, end: x + 7 * text.length + 6 });
  }
  return out;
}

export interface CellWords {
  /** Whose it is. */
  title: string;
  when: string;
  what: string;
  /** Of how many clusters; empty where none reported. */
  from: string;
}

/** A cell in words: whose, when, how much, and of how many clusters. */
export function cellWords(measure: Measure, line: HeatLine, one: Cell, axis: Axis, currency: string): CellWords {
  const ranges = axis.ranges[one.column] ?? [];
  const [first, last] = [ranges[0], ranges.at(-1)];
  const when = first === undefined ? 'no such hour in this period' : ranges.length === 1 ? stretchWords(...first) : `${plural(ranges.length, 'hour')}, the first ${bounds(...first)}, the last ${bounds(...last!)}`;
  const title = line.row === null && line.id !== 'others' ? `${line.label}${axis.columns.length > 0 ? ` ${String(one.column % 24).padStart(2, '0')}:00` : ''}, all clusters` : line.label;
  const what = one.value !== null ? `${say(measure, one.value, currency)} ${measureWords[measure].label.toLowerCase()}` : one.clusters > 0 ? 'reported, but not this measure' : 'nothing reported';
  return { title, when, what, from: one.clusters > 0 ? plural(one.clusters, 'cluster') : '' };
}

/** What a cell looks like: nothing reported, not told, zero, or a class of heat. */
export function look(cell: Cell, breaks: number[]): 'blank' | 'untold' | 'zero' | number {
  if (cell.value === null) return cell.clusters > 0 ? 'untold' : 'blank';
  if (cell.value === 0) return 'zero';
  // With few classes the strong end is used, so that a lone value can be seen.
  return classes - 1 - breaks.length + classOf(cell.value, breaks);
}

/** The map with its rows in an order that is being read; new ones below the others, and all the rest at the end. */
export function inOrder(map: Heat, ids: readonly string[]): Heat {
  const places = new Map(ids.map((id, i) => [id, i]));
  const place = (line: HeatLine) => (line.id === 'others' ? Infinity : (places.get(line.id) ?? ids.length));
  // Two at infinity are none: their difference would be no number.
  return { ...map, lines: map.lines.toSorted((a, b) => (place(a) === place(b) ? 0 : place(a) - place(b))) };
}
