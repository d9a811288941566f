// Where the bars of a waterfall stand, and what they are called.

import type { PartKind, Waterfall, WaterfallPart } from '../../generated/api';
import { duration } from '../../format/duration';
import { plural } from '../../format/number';
import { visible } from '../../format/visible';
import type { Tab } from '../../state/route';

/** One row: a run from nothing to its wall clock, or a part from where the one before it ended. */
export interface Bar {
  key: string;
  label: string;
  words: string;
  from: number;
  to: number;
  kind: PartKind | 'run' | 'small';
  prefix: string | null;
  /** B less A; null is a whole run. */
  micros: number | null;
}

const names: Record<PartKind, string> = {
  startup: 'Start-up',
  tasks: 'Number of tasks',
  speed: 'One task',
  transfer: 'Transfer',
  disk: 'Disk',
  deserialize: 'Deserialize',
  other: 'Other',
  threads: 'Threads',
  stalled: 'Stalled',
  waiting: 'Waiting',
  working: 'Working',
  idle: 'Idle',
};

/** The tab of a run that proves a part. */
export const proofTabs: Record<PartKind, Tab> = {
  startup: 'workers',
  tasks: 'groups',
  speed: 'groups',
  transfer: 'activity',
  disk: 'activity',
  deserialize: 'activity',
  other: 'activity',
  threads: 'workers',
  stalled: 'activity',
  waiting: 'activity',
  working: 'computations',
  idle: 'computations',
};

export function partName(part: { kind: PartKind; prefix: string | null }): string {
  return part.prefix === null ? names[part.kind] : `${names[part.kind]}: ${visible(part.prefix)}`;
}

/** The bars in order; parts that are nothing are left out, and the small ones are one bar until `open`. */
export function bars(told: Waterfall, open: boolean): Bar[] {
  const rows: Bar[] = [{ key: 'a', label: 'A', words: '', from: 0, to: told.a_micros, kind: 'run', prefix: null, micros: null }];
  let at = told.a_micros;
  const step = (bar: Omit<Bar, 'from' | 'to'>) => {
    rows.push({ ...bar, from: at, to: at + (bar.micros ?? 0) });
    at += bar.micros ?? 0;
  };
  const parts = told.parts.filter((part) => part.micros !== 0);
  const small = parts.filter((part) => part.small);
  const sum = small.reduce((total, part) => total + part.micros, 0);
  for (const part of parts) {
    if (part === small[0]) step({ key: 'small', label: plural(small.length, 'smaller part'), words: '', kind: 'small', prefix: null, micros: sum });
    if (!part.small) step(barOf(part));
  }
  if (open && small.length > 0) {
    // Opened, they stand where their sum stood.
    const place = rows.findIndex((bar) => bar.kind === 'small');
    at = rows[place]!.from;
    const single = small.map((part) => {
      const bar = { ...barOf(part), from: at, to: at + part.micros };
      at = bar.to;
      return bar;
    });
    rows.splice(place + 1, 0, ...single);
  }
  rows.push({ key: 'b', label: 'B', words: '', from: 0, to: told.b_micros, kind: 'run', prefix: null, micros: null });
  return rows;
}

function barOf(part: WaterfallPart): Omit<Bar, 'from' | 'to'> {
  return { key: `${part.kind} ${part.prefix ?? ''}`, label: partName(part), words: visible(part.words), kind: part.kind, prefix: part.prefix, micros: part.micros };
}

/** What the width stands for. Differences that are small beside the whole are drawn large: the axis then begins later. */
export function axis(rows: readonly Bar[]): { from: number; to: number } {
  const ends = rows.flatMap((bar) => (bar.kind === 'run' ? [bar.to] : [bar.from, bar.to]));
  const [least, most] = [Math.min(...ends), Math.max(...ends)];
  const range = most - least;
  if (range > 0.35 * most || range === 0) return { from: Math.min(0, least), to: Math.max(most, 1) };
  return { from: Math.max(0, least - range * 0.35), to: most };
}

/** Left edge and width in percent; what is there has at least a hair. */
export function place(bar: Bar, { from, to }: { from: number; to: number }): { x: number; width: number } {
  const at = (micros: number) => (Math.max(0, Math.min(1, (micros - from) / (to - from))) * 100);
  const [left, right] = [at(Math.min(bar.from, bar.to)), at(Math.max(bar.from, bar.to))];
  return { x: Math.min(left, 99.7), width: Math.max(right - left, 0.3) };
}

/** `+1.20 s`, `−340 ms`. */
export function signed(micros: number): string {
  return micros > 0 ? `+${duration(micros / 1e6)}` : duration(micros / 1e6);
}
