// The words and shapes of a cluster's state.

import type { ClusterRow, ClusterState } from '../generated/api';
import { shortDuration } from '../format/duration';
import { dateTime, when } from '../format/time';

export const stateWords: Record<ClusterState, { word: string; means: string; tone: 'good' | 'warn' | 'stalled' | 'calm' | 'bad' }> = {
  running: { word: 'Running', means: 'It is reporting, and tasks are assigned or have just finished.', tone: 'good' },
  stalled: { word: 'Stalled', means: 'It is reporting and tasks are assigned, but none has finished for too long.', tone: 'stalled' },
  idle: { word: 'Idle', means: 'It is reporting and has nothing to do.', tone: 'warn' },
  finished: { word: 'Finished', means: 'Its scheduler reported that it was closing.', tone: 'calm' },
  lost: {
    word: 'Lost',
    means: 'It has not reported for three intervals and never reported a shutdown: the scheduler may have died.',
    tone: 'bad',
  },
};

/** When its last task ended, to the second, and since when nothing is to do. */
export function lastWorkTitle(row: Pick<ClusterRow, 'last_completed_micros' | 'since_completed_micros' | 'tasks_completed' | 'stopped_micros' | 'idle_since_micros'>, now: number): string {
  const ended = row.last_completed_micros === null ? lastWork(row) : dateTime(row.last_completed_micros);
  const idle = row.stopped_micros === null && row.idle_since_micros !== null ? `; idle since ${when(row.idle_since_micros, now)}` : '';
  return ended + idle;
}

/** `last work finished 4 min ago`. */
export function lastWork({ since_completed_micros, tasks_completed }: Pick<ClusterRow, 'since_completed_micros' | 'tasks_completed'>): string {
  if (since_completed_micros === null) return tasks_completed === 0 ? 'no work has finished yet' : 'time of last work not reported';
  return since_completed_micros < 1e6 ? 'work finished just now' : `last work finished ${shortDuration(since_completed_micros / 1e6)} ago`;
}
