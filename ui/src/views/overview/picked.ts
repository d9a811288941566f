// What is chosen of the heat-map: cells by row and column. An address holds it as stretches of columns, core is asked for it
// as stretches of time, and a chip says it in words.

import type { SelectedCells } from '../../generated/api';
import type { Pick, RowKey } from '../../state/heatRoute';
import type { Axis } from './grid';

export const every: RowKey = { is: 'every' };

/** A row as text that no other row has. */
export function idOf(row: RowKey): string {
  return row.is === 'row' ? `=${row.name}` : row.is;
}

/** Cells by row; columns by their place. */
export type Picked = Map<string, { row: RowKey; columns: Set<number> }>;

export function picked(picks: readonly Pick[], { keys }: Keys): Picked {
  const places = new Map(keys.map((key, i) => [key, i]));
  const out: Picked = new Map();
  for (const { row, from, to } of picks) {
    const [a, b] = [places.get(from), places.get(to)];
    if (a === undefined || b === undefined) continue;
    const known = out.get(idOf(row)) ?? { row, columns: new Set<number>() };
    out.set(idOf(row), known);
    for (let i = Math.min(a, b); i <= Math.max(a, b); i++) known.columns.add(i);
  }
  return out;
}

type Keys = globalThis.Pick<Axis, 'keys'>;

/** Stretches of columns that follow each other. */
function runs(columns: Set<number>): [number, number][] {
  const out: [number, number][] = [];
  for (const at of [...columns].sort((a, b) => a - b)) {
    const last = out.at(-1);
    if (last !== undefined && last[1] === at - 1) last[1] = at;
    else out.push([at, at]);
  }
  return out;
}

export function picksOf(cells: Picked, { keys }: Keys): Pick[] {
  return [...cells.values()].flatMap(({ row, columns }) => runs(columns).map(([a, b]) => ({ row, from: keys[a]!, to: keys[b]! })));
}

/** What core is asked for. Stretches of time that touch are one. */
export function cellsOf(cells: Picked, { ranges }: Axis): SelectedCells[] {
  return [...cells.values()].flatMap(({ row, columns }) => {
    const times = [...columns].flatMap((i) => ranges[i]!).sort((a, b) => a[0] - b[0]);
    const joined: [number, number][] = [];
    for (const [from, to] of times) {
      const last = joined.at(-1);
      if (last !== undefined && last[1] === from) last[1] = to;
      else joined.push([from, to]);
    }
    return joined.map(([from_micros, to_micros]) => ({ row: row.is === 'row' ? row.name : null, every_row: row.is === 'every', from_micros, to_micros }));
  });
}

/** A rectangle of rows and columns, or with `added` the cells of both. */
export function rectangle(rows: readonly RowKey[], columns: readonly number[], added: Picked | null = null): Picked {
  const out: Picked = new Map(added === null ? [] : [...added].map(([id, { row, columns: c }]) => [id, { row, columns: new Set(c) }]));
  for (const row of rows) {
    const known = out.get(idOf(row)) ?? { row, columns: new Set<number>() };
    out.set(idOf(row), known);
    for (const column of columns) known.columns.add(column);
  }
  return out;
}

/** With this cell, or without it if it was chosen. */
export function toggled(cells: Picked, row: RowKey, column: number): Picked {
  const out = rectangle([row], [column], cells);
  if (!(cells.get(idOf(row))?.columns.has(column) ?? false)) return out;
  const left = out.get(idOf(row))!;
  left.columns.delete(column);
  if (left.columns.size === 0) out.delete(idOf(row));
  return out;
}

export function without(cells: Picked, row: RowKey): Picked {
  const out = new Map(cells);
  out.delete(idOf(row));
  return out;
}

/** Whether all chosen rows have the same columns: then rows and time are chosen apart. */
export function isRectangle(cells: Picked): boolean {
  const [first, ...rest] = [...cells.values()];
  return first !== undefined && rest.every(({ columns }) => columns.size === first.columns.size && [...columns].every((c) => first.columns.has(c)));
}

export function sizeOf(cells: Picked): number {
  return [...cells.values()].reduce((sum, { columns }) => sum + columns.size, 0);
}

/** First and last chosen column if all between are chosen too. */
export function stretch(cells: Picked): [number, number] | null {
  const first = cells.values().next().value;
  if (first === undefined || !isRectangle(cells)) return null;
  const found = runs(first.columns);
  return found.length === 1 ? found[0]! : null;
}
