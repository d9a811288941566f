// The words and shapes of a cluster's state.

import type { ClusterState } from '../generated/api';

export const stateWords: Record<ClusterState, { word: string; means: string; tone: 'good' | 'warn' | 'calm' | 'bad' }> = {
  running: { word: 'Running', means: 'It reports, and tasks are assigned or were just finished.', tone: 'good' },
  idle: { word: 'Idle', means: 'It reports, and there is nothing to do.', tone: 'warn' },
  finished: { word: 'Finished', means: 'Its scheduler said that it was closing.', tone: 'calm' },
  lost: {
    word: 'Lost',
    means: 'It has been silent for three intervals without saying goodbye: the scheduler may have died.',
    tone: 'bad',
  },
};
