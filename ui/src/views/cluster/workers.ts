// Workers as the table and the time axis have them.

import type { Direction, WorkerEvent, WorkerRow } from '../../generated/api';
import type { Mark } from '../../parts/marks';
import type { WorkerSort } from '../../state/route';
import { overlaps } from './groups';

type Tone = Mark['tone'];

/** What became of a worker: one that was not asked to go is lost. */
export function stateOf(row: WorkerRow): { word: string; tone: Tone; means: string } {
  const last = row.events.at(-1);
  // A nanny kills first, and then the scheduler misses the worker.
  const killed = row.events.slice(-2).some(({ event }) => event === 'killed');
  switch (row.state) {
    case 'running':
      return { word: 'Running', tone: 'good', means: 'It accepts tasks.' };
    case 'paused':
      return { word: 'Paused', tone: 'warn', means: 'It accepts no tasks: its memory is nearly full.' };
    case 'gone':
      if (killed) return { word: 'Killed', tone: 'bad', means: 'Its nanny killed it.' };
      if (last?.event === 'left' && last.expected === false) return { word: 'Lost', tone: 'bad', means: 'It left without being told to close.' };
      return { word: 'Left', tone: 'calm', means: last?.expected === true ? 'It was told to close.' : 'Its version of Dask does not report whether it was told to close.' };
  }
}

type Step = Pick<Mark, 'word' | 'tone' | 'shape' | 'weight'>;

const lives: Record<WorkerEvent['event'], Step> = {
  killed: { word: 'killed', tone: 'bad', shape: 'cross', weight: 9 },
  left: { word: 'left', tone: 'calm', shape: 'went', weight: 5 },
  paused: { word: 'paused', tone: 'warn', shape: 'pause', weight: 6 },
  restarted: { word: 'restarted', tone: 'warn', shape: 'again', weight: 4 },
  resumed: { word: 'resumed', tone: 'good', shape: 'came', weight: 2 },
  joined: { word: 'joined', tone: 'good', shape: 'came', weight: 1 },
};

/** `lost` is a worker that left without being asked to. */
export function eventOf(event: WorkerEvent): Step {
  return event.event === 'left' && event.expected === false ? { word: 'lost', tone: 'bad', shape: 'cross', weight: 8 } : lives[event.event];
}

export function nameOf(row: WorkerRow): string {
  return row.name ?? row.address ?? row.worker_id;
}

export function marksOf(rows: readonly WorkerRow[]): Mark[] {
  return rows.flatMap((row) => row.events.map((event) => ({ at: event.at_micros, name: nameOf(row), ...eventOf(event) })));
}

/** What needs a look comes first: those that were lost, then paused ones; those that went as they were asked to come last. */
function rank(row: WorkerRow): number {
  if (stateOf(row).tone === 'bad') return 0;
  return { paused: 1, running: 2, gone: 3 }[row.state];
}

const keys: Record<WorkerSort, (row: WorkerRow) => string | number | null> = {
  worker: (row) => nameOf(row).toLowerCase(),
  state: rank,
  host: (row) => row.host?.toLowerCase() ?? null,
  threads: (row) => row.threads,
  cpu: (row) => row.now?.cpu_percent ?? null,
  memory: (row) => row.now?.memory_used_bytes ?? null,
  spilled: (row) => row.now?.memory_spilled_bytes ?? null,
  tasks: (row) => row.now?.processing ?? null,
  lag: (row) => row.now?.lag_micros ?? null,
  joined: (row) => row.first_seen_micros,
  left: (row) => row.left_micros,
};

const natural = new Intl.Collator('en', { numeric: true });

/** Ordered; `worker-9` before `worker-10`; what is not available comes last either way; equal ones by id. */
export function sortedWorkers(rows: readonly WorkerRow[], sort: WorkerSort, direction: Direction): WorkerRow[] {
  const key = keys[sort];
  const sign = direction === 'ascending' ? 1 : -1;
  const tie = (a: WorkerRow, b: WorkerRow) => natural.compare(nameOf(a), nameOf(b)) || (a.worker_id < b.worker_id ? -1 : 1);
  return [...rows].sort((a, b) => {
    const [x, y] = [key(a), key(b)];
    if (x === null || y === null) return x === y ? tie(a, b) : x === null ? 1 : -1;
    const order = typeof x === 'string' ? natural.compare(x, String(y)) : x - Number(y);
    return order === 0 ? tie(a, b) : sign * order;
  });
}

/** Part of the name, address, host or state; and there in the given time. */
export function wantedWorkers(rows: readonly WorkerRow[], text: string, from: number | null = null, to: number | null = null): WorkerRow[] {
  const word = text.trim().toLowerCase();
  const there = rows.filter((row) => overlaps(row.first_seen_micros, row.left_micros, from, to));
  if (word === '') return there;
  return there.filter((row) => [row.name, row.address, row.host, stateOf(row).word].some((part) => part?.toLowerCase().includes(word)));
}
