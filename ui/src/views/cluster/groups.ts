// Task groups: filtered and ordered on the page, as all of them are here.

import type { Direction, Money, TaskGroupRow } from '../../generated/api';
import { stateTotal, type TaskStates } from '../../parts/series';
import type { GroupSort } from '../../state/route';

export function spanSeconds(row: TaskGroupRow): number | null {
  return row.start_micros === null || row.stop_micros === null ? null : (row.stop_micros - row.start_micros) / 1e6;
}

export function diskSeconds(row: TaskGroupRow): number {
  return row.seconds.disk_read + row.seconds.disk_write;
}

/** In other activities than those that have a column. */
export function otherSeconds(row: TaskGroupRow): number {
  return row.seconds.deserialize + row.seconds.other;
}

/** What a bar of states shows, in columns: errors have their own. */
export const stateColumns = [
  { label: 'Waiting', states: ['waiting', 'queued', 'no-worker'] },
  { label: 'Processing', states: ['processing'] },
  { label: 'In memory', states: ['memory'] },
  { label: 'Released', states: ['released', 'forgotten'] },
] as const;

export function tasksIn(states: TaskStates, those: readonly string[]): number {
  return those.reduce((sum, state) => sum + (states[state] ?? 0), 0);
}

const keys: Record<Exclude<GroupSort, 'cost'>, (row: TaskGroupRow) => string | number | null> = {
  name: (row) => row.name.toLowerCase(),
  tasks: (row) => stateTotal(row.states),
  erred: (row) => row.states['erred'] ?? 0,
  compute: (row) => row.seconds.compute,
  transfer: (row) => row.seconds.transfer,
  disk: diskSeconds,
  bytes: (row) => row.result_bytes,
  p50: (row) => row.durations?.p50_seconds ?? null,
  p95: (row) => row.durations?.p95_seconds ?? null,
  start: (row) => row.start_micros,
  span: spanSeconds,
};

/**
 * Ordered; equal rows by id, so that they stay put; what is not available comes last either way. In the first order, the
 * most compute time, groups with errors stand before all others.
 */
export function sorted(rows: readonly TaskGroupRow[], sort: GroupSort, direction: Direction, costs: ReadonlyMap<string, Money> = new Map()): TaskGroupRow[] {
  const key = sort === 'cost' ? (row: TaskGroupRow) => costs.get(row.group_id)?.high_nanos ?? null : keys[sort];
  const sign = direction === 'ascending' ? 1 : -1;
  const first = sort === 'compute' && direction === 'descending';
  const failed = (row: TaskGroupRow) => (first && (row.states['erred'] ?? 0) > 0 ? 0 : 1);
  return [...rows].sort((a, b) => {
    if (failed(a) !== failed(b)) return failed(a) - failed(b);
    const [x, y] = [key(a), key(b)];
    if (x === null || y === null) return x === y ? byId(a, b) : x === null ? 1 : -1;
    return x < y ? -sign : x > y ? sign : byId(a, b);
  });
}

function byId(a: TaskGroupRow, b: TaskGroupRow): number {
  return a.group_id < b.group_id ? -1 : a.group_id > b.group_id ? 1 : 0;
}

export interface Wanted {
  text: string;
  from: number | null;
  to: number | null;
  /** Only these groups; null is all. */
  ids: ReadonlySet<string> | null;
}

/** Part of the name, and worked on in the given time. */
export function wanted(rows: readonly TaskGroupRow[], { text, from, to, ids }: Wanted): TaskGroupRow[] {
  const word = text.trim().toLowerCase();
  return rows.filter(
    (row) =>
      (ids === null || ids.has(row.group_id)) &&
      (word === '' || row.name.toLowerCase().includes(word)) &&
      overlaps(row.start_micros, row.stop_micros, from, to),
  );
}

/** Whether something from `start` to `stop` (null: not yet) was going on between `from` and `to` (null: any time). */
export function overlaps(start: number | null, stop: number | null, from: number | null, to: number | null): boolean {
  if (from === null && to === null) return true;
  if (start === null) return false;
  return (to === null || start <= to) && (from === null || stop === null || stop >= from);
}

/** `('sum-part-9c2e', 3)`-like names: the part that people know, and the rest. */
export function nameParts(row: TaskGroupRow): { prefix: string; rest: string } {
  return row.prefix !== '' && row.name.startsWith(row.prefix)
    ? { prefix: row.prefix, rest: row.name.slice(row.prefix.length) }
    : { prefix: row.name, rest: '' };
}
