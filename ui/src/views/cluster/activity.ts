// What the time of workers went to, as bars; and spans as a tree.

import type { ActivitySum, MetricKind, SpanRow } from '../../generated/api';
import type { Part } from '../../parts/series';

/** In the order of bars. */
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

/** What a sum is called in addresses. */
export function keyOf({ of }: Pick<ActivitySum, 'of'>): string {
  return of === null ? '-' : `:${of}`;
}

export function partsOf({ parts }: Pick<ActivitySum, 'parts'>): Part[] {
  const seconds = new Map<MetricKind, number>(parts.map((part) => [part.kind, part.seconds]));
  return kinds.map(({ key, label, colour, hatched }) => ({ key, label, colour, hatched: hatched ?? false, value: seconds.get(key) ?? 0 }));
}

/** The kinds that occur, for the legend. */
export function legendOf(list: readonly Pick<ActivitySum, 'parts'>[]) {
  return kinds.filter(({ key }) => list.some(({ parts }) => parts.some(({ kind }) => kind === key)));
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
