// What the plugin cost the scheduler, as figures with their words.

import type { Cluster } from '../../generated/api';
import { bytes } from '../../format/bytes';
import { duration, setLength } from '../../format/duration';
import { count, fixed, none, plural } from '../../format/number';

/** Above this share of the scheduler's loop the plugin does less. */
export const mark = 0.005;
/** The right end of the meter. */
export const scale = 0.01;

/** `0.021 %`: small shares with three digits after the point. */
export function loopShare(share: number | null): string {
  if (share === null) return none;
  if (share === 0) return '0 %';
  return share < 0.00001 ? '< 0.001 %' : `${fixed(share * 100, share < 0.001 ? 3 : 2)} %`;
}

/** `1.84 ms`: beats are short. */
export function millis(micros: number | null): string {
  if (micros === null) return none;
  return micros < 100_000 ? `${fixed(micros / 1000, micros < 10_000 ? 2 : 1)} ms` : duration(micros / 1e6);
}

export interface CostTime {
  label: string;
  loop: string;
  hooks: string;
  sent: string;
}

/** What it took, of the last beat and of all that are on the record. */
export function costTimes({ facts: { plugin_cost: c } }: Cluster): CostTime[] {
  return [
    { label: 'Last report', loop: millis(c.beat_micros), hooks: millis(c.hook_micros), sent: bytes(c.sent_bytes) },
    { label: 'All reports', loop: millis(c.all_beat_micros), hooks: millis(c.all_hook_micros), sent: bytes(c.all_sent_bytes) },
  ];
}

export interface Figure {
  label: string;
  value: string;
  means: string;
  tone?: 'warn' | 'bad';
}

export function costFigures({ facts, losses }: Cluster): Figure[] {
  const c = facts.plugin_cost;
  const shed = Object.entries(losses.dropped_records).filter(([, n]) => n > 0);
  return [
    { label: 'Interval', value: `every ${setLength(facts.interval_micros / 1e6)}`, means: 'The current interval. If a report takes more than half a percent of the loop, the plugin reports less often than configured.' },
    { label: 'Waiting', value: c.waiting_records === null ? none : plural(c.waiting_records, 'record'), means: 'Records waiting to be sent.' },
    { label: 'On disk', value: bytes(c.spooled_bytes), means: 'On the scheduler’s disk until Bobbin can take it.', ...((c.spooled_bytes ?? 0) > 0 ? { tone: 'warn' as const } : {}) },
    {
      label: 'Dropped',
      value: c.shed_records === null ? none : plural(c.shed_records, 'record'),
      means: shed.length === 0 ? 'Records dropped to stay within its limits.' : `By kind: ${shed.map(([kind, n]) => `${kind} ${count(n)}`).join(', ')}.`,
      ...((c.shed_records ?? 0) > 0 ? { tone: 'warn' as const } : {}),
    },
    {
      label: 'Errors in hooks',
      value: count(c.hook_errors),
      means: 'Errors of the plugin’s own that it caught. None of them reached Dask.',
      ...((c.hook_errors ?? 0) > 0 ? { tone: 'bad' as const } : {}),
    },
  ];
}
