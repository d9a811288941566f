// Time of threads as one bar whose parts add up to threads × up-time.

import type { TimeParts } from '../../generated/api';
import type { Part } from '../../parts/series';

const looks: { key: keyof TimeParts; label: string; colour: string; means: string; hatched?: boolean }[] = [
  { key: 'compute_micros', label: 'Compute', colour: 'var(--data-compute)', means: 'running your functions' },
  { key: 'transfer_micros', label: 'Transfer', colour: 'var(--data-transfer)', means: 'moving data between workers' },
  { key: 'disk_micros', label: 'Disk', colour: 'var(--data-disk-read)', means: 'spilling and reading back' },
  { key: 'other_micros', label: 'Deserialize, other', colour: 'var(--data-deserialize)', means: 'unpickling functions and arguments, and what Dask counts as other' },
  { key: 'idle_micros', label: 'Idle', colour: 'var(--data-unused)', means: 'threads that had nothing to do' },
  { key: 'stalled_micros', label: 'Stalled', colour: 'var(--stalled)', means: 'threads that did nothing while work was assigned and none of it finished, counted from when this was known', hatched: true },
];

export interface TimePart extends Part {
  means: string;
}

/** In seconds, in the order of the bar. Stalled time is rare: it is a part where there is any. */
export function timeParts(parts: TimeParts): TimePart[] {
  return looks.filter(({ key }) => key !== 'stalled_micros' || parts[key] > 0).map(({ key, ...look }) => ({ key, ...look, value: parts[key] / 1e6 }));
}
