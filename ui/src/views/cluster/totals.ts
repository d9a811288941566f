// All time of threads in parts, idleness last.

import type { WindowTotals } from '../../generated/api';
import { activityParts, type Part } from '../../parts/series';

export function threadParts({ seconds, idle_seconds }: Pick<WindowTotals, 'seconds' | 'idle_seconds'>): Part[] {
  return [...activityParts(seconds), { key: 'idle', label: 'Idle', colour: 'var(--data-unused)', value: idle_seconds }];
}
