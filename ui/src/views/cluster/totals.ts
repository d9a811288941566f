// All time of threads in parts, in which they did nothing last.

import type { WindowTotals } from '../../generated/api';
import { activityParts, type Part } from '../../parts/series';

/** Parts of nothing are not drawn: stalled time is rare. */
export function threadParts({ seconds, idle_seconds, stalled_seconds }: Pick<WindowTotals, 'seconds' | 'idle_seconds' | 'stalled_seconds'>): Part[] {
  return [
    ...activityParts(seconds),
    { key: 'idle', label: 'Idle', colour: 'var(--data-unused)', value: idle_seconds },
    { key: 'stalled', label: 'Stalled', colour: 'var(--stalled)', value: stalled_seconds, hatched: true },
  ];
}
