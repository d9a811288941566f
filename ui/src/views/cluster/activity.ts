// Dask's fine performance metrics, summed as the page shows them: what the time of workers went to.

import type { MetricKind, MetricRow, SpanRow } from '../../generated/api';
import type { Part } from '../../parts/series';
import type { Sum } from '../../state/route';

/** In the order of bars. A worker's own event loop runs beside everything else: it is in no bar. */
const kinds: { key: Exclude<MetricKind, 'event_loop'>; label: string; colour: string; means: string; hatched?: boolean }[] = [
  { key: 'cpu', label: 'On CPU', colour: 'var(--data-compute)', means: 'your functions, computing' },
  { key: 'waiting', label: 'Waiting in functions', colour: 'var(--data-noncpu)', means: 'your functions, waiting for disks, networks or locks' },
  { key: 'network', label: 'Network', colour: 'var(--data-transfer)', means: 'moving data between workers' },
  { key: 'disk_read', label: 'Disk read', colour: 'var(--data-disk-read)', means: 'reading spilled data back' },
  { key: 'disk_write', label: 'Disk write', colour: 'var(--data-disk-write)', means: 'spilling data to disk' },
  { key: 'packing', label: 'Packing', colour: 'var(--data-deserialize)', means: 'serializing and compressing, and the way back' },
  { key: 'failed', label: 'Failed', colour: 'var(--state-erred)', means: 'attempts that failed or were canceled', hatched: true },
  { key: 'idle', label: 'Idle', colour: 'var(--data-unused)', means: 'threads with nothing to do' },
  { key: 'other', label: 'Other', colour: 'var(--data-other)', means: 'waiting for a thread, bookkeeping, and activities Bobbin has no name for' },
];

export interface ActivitySum {
  key: string;
  /** What it is summed over: a prefix, a context, or the id of a span; null is everything else. */
  of: string | null;
  seconds: number;
  bytes: number;
  parts: Part[];
}

const keyOf: Record<Sum, (row: MetricRow) => string | null> = {
  prefix: (row) => row.prefix,
  span: (row) => row.span_id,
  context: (row) => row.context,
};

/** Rows of the same prefix, span or context together, most seconds first. */
export function sums(rows: readonly MetricRow[], by: Sum): ActivitySum[] {
  const out = new Map<string | null, { seconds: Map<MetricKind, number>; bytes: number }>();
  for (const row of rows) {
    if (row.kind === 'event_loop') continue;
    const of = keyOf[by](row);
    let sum = out.get(of);
    if (sum === undefined) out.set(of, (sum = { seconds: new Map(), bytes: 0 }));
    if (row.unit === 'bytes') sum.bytes += row.value;
    if (row.unit !== 'seconds') continue;
    sum.seconds.set(row.kind, (sum.seconds.get(row.kind) ?? 0) + row.value);
  }
  return [...out]
    .map(([of, { seconds, bytes }]) => {
      const parts = partsOf(seconds);
      return { key: of === null ? '-' : `:${of}`, of, bytes, parts, seconds: parts.reduce((sum, part) => sum + part.value, 0) };
    })
    .sort((a, b) => b.seconds - a.seconds || b.bytes - a.bytes || (a.key < b.key ? -1 : 1));
}

function partsOf(seconds: ReadonlyMap<MetricKind, number>): Part[] {
  // A correction of Dask's can leave a small negative rest.
  return kinds.map(({ key, label, colour, hatched }) => ({ key, label, colour, hatched: hatched ?? false, value: Math.max(0, seconds.get(key) ?? 0) }));
}

/** The kinds that occur, for the legend. */
export function legendOf(list: readonly ActivitySum[]) {
  return kinds.filter(({ key }) => list.some(({ parts }) => parts.some((part) => part.key === key && part.value > 0)));
}

export interface ActivityLine {
  key: string;
  context: string;
  activity: string;
  seconds: number | null;
  bytes: number | null;
  count: number | null;
  /** Units that this page does not know, with their sums. */
  more: [string, number][];
}

/** Dask's own words, one line for each context and activity, in all units; null is: not counted in this unit. */
export function lines(rows: readonly MetricRow[], by: Sum, of: string | null | undefined): ActivityLine[] {
  const out = new Map<string, ActivityLine>();
  for (const row of rows) {
    if (of !== undefined && keyOf[by](row) !== of) continue;
    const key = JSON.stringify([row.context, row.activity]);
    let line = out.get(key);
    if (line === undefined) out.set(key, (line = { key, context: row.context, activity: row.activity, seconds: null, bytes: null, count: null, more: [] }));
    if (row.unit === 'seconds' || row.unit === 'bytes' || row.unit === 'count') line[row.unit] = (line[row.unit] ?? 0) + row.value;
    else {
      const same = line.more.find(([unit]) => unit === row.unit);
      if (same === undefined) line.more.push([row.unit, row.value]);
      else same[1] += row.value;
    }
  }
  return [...out.values()].sort((a, b) => (b.seconds ?? -1) - (a.seconds ?? -1) || (b.bytes ?? -1) - (a.bytes ?? -1) || (a.key < b.key ? -1 : 1));
}

export interface SpanLine {
  row: SpanRow;
  depth: number;
}

/** Spans as a tree: newest first, children under their parents in the order they began. One whose parent is not here stands alone. */
export function spanTree(rows: readonly SpanRow[]): SpanLine[] {
  const here = new Set(rows.map((row) => row.span_id));
  const children = new Map<string | null, SpanRow[]>();
  for (const row of rows) {
    const parent = row.parent_id !== null && row.parent_id !== row.span_id && here.has(row.parent_id) ? row.parent_id : null;
    children.set(parent, [...(children.get(parent) ?? []), row]);
  }
  const out: SpanLine[] = [];
  const seen = new Set<string>();
  const put = (row: SpanRow, depth: number) => {
    if (seen.has(row.span_id)) return;
    seen.add(row.span_id);
    out.push({ row, depth });
    const under = children.get(row.span_id) ?? [];
    for (const child of under.toSorted((a, b) => (a.start_micros ?? Infinity) - (b.start_micros ?? Infinity))) put(child, depth + 1);
  };
  for (const row of children.get(null) ?? []) put(row, 0);
  // Parents that go round in a circle are nobody's children.
  for (const row of rows) put(row, 0);
  return out;
}
