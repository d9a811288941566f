// Where a reader points in the heat-map: a row and a column of what is drawn, and the cells between two such places.

import type { ClusterRow, HeatRows } from '../../generated/api';
import type { RowKey } from '../../state/heatRoute';
import type { Axis } from './grid';
import type { Cell, HeatLine } from './heat';
import { idOf, rectangle, type Picked } from './picked';

export interface Place {
  row: number;
  column: number;
}

/** The nearest place that there is. */
export function clamp(lines: readonly HeatLine[], { row, column }: Place): Place {
  const last = (lines[0]?.cells.length ?? 0) - 1;
  return { row: Math.max(0, Math.min(lines.length - 1, row)), column: Math.max(0, Math.min(last, column)) };
}

/** All places of the rectangle that two corners make. */
export function within(a: Place, b: Place): [number, number][] {
  const out: [number, number][] = [];
  for (let r = Math.min(a.row, b.row); r <= Math.max(a.row, b.row); r++) for (let c = Math.min(a.column, b.column); c <= Math.max(a.column, b.column); c++) out.push([r, c]);
  return out;
}

/** The cells between two places. All rows together are every row, also of the others, which cannot be chosen alone. */
export function between(all: readonly HeatLine[], a: Place, b: Place, added: Picked | null): Picked {
  const lines = all.slice(Math.min(a.row, b.row), Math.max(a.row, b.row) + 1);
  const whole = lines.length === all.length && lines.some((line) => line.id === 'others');
  let out: Picked = rectangle([], [], added);
  for (const line of lines) {
    if (line.id === 'others' && !whole) continue;
    for (const one of line.cells.slice(Math.min(a.column, b.column), Math.max(a.column, b.column) + 1))
      if (one !== null) out = rectangle([whole ? { is: 'every' } : one.row], [one.column], out);
    if (whole) break;
  }
  return out;
}

/** The rows from one with this id to another, both included, without the others; only that one where the first is not drawn. */
export function rowsTo(lines: readonly HeatLine[], from: string, to: RowKey): RowKey[] {
  const rows = lines.flatMap(({ row }) => row ?? []);
  const ids = rows.map(idOf);
  const [a, b] = [ids.indexOf(from), ids.indexOf(idOf(to))];
  return a < 0 || b < 0 ? [to] : rows.slice(Math.min(a, b), Math.max(a, b) + 1);
}

/** What can be chosen by itself at a place. */
export function cellAt(lines: readonly HeatLine[], { row, column }: Place): Cell | null {
  const line = lines[row];
  return line === undefined || line.id === 'others' ? null : (line.cells[column] ?? null);
}

export function isChosen(one: Cell, cells: Picked): boolean {
  return (cells.get(idOf(one.row))?.columns.has(one.column) ?? false) || (cells.get('every')?.columns.has(one.column) ?? false);
}

/** A cluster in the heat-map: its row, and from when to when it was there. */
export interface Stay {
  row: RowKey;
  from: number;
  to: number;
}

/** Where a cluster stands in the heat-map, if that can be told; `now` is where it is if it goes on. */
export function stayOf(cluster: Pick<ClusterRow, 'user' | 'project' | 'host' | 'name' | 'started_micros' | 'stopped_micros'>, by: HeatRows, now: number): Stay | null {
  // It has many, and a list does not say which.
  if (by === 'span') return null;
  const name = by === 'everything' ? null : cluster[by];
  const row: RowKey = by === 'everything' ? { is: 'every' } : name === null ? { is: 'nameless' } : { is: 'row', name };
  return { row, from: cluster.started_micros, to: cluster.stopped_micros ?? now };
}

/** The cells in which it was, where something was reported. */
export function stayed(lines: readonly HeatLine[], axis: Pick<Axis, 'ranges'>, { row, from, to }: Stay): [number, number][] {
  const id = idOf(row);
  const meets = (column: number) => (axis.ranges[column] ?? []).some(([first, last]) => first <= to && last > from);
  return lines.flatMap((line, r) => line.cells.flatMap((one, c) => (one !== null && one.clusters > 0 && idOf(one.row) === id && meets(one.column) ? [[r, c] as [number, number]] : [])));
}
