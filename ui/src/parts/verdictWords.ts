// The words and looks of a verdict.

import type { VerdictKind } from '../generated/api';
import type { IconName } from './icons';

interface Words {
  word: string;
  means: string;
  tone: 'good' | 'warn' | 'stalled' | 'bad' | 'calm';
  icon: IconName;
  /** A state of now is no opinion: it cannot be muted. */
  mutable: boolean;
}

export const verdictWords: Record<VerdictKind, Words> = {
  healthy: { word: 'Healthy', means: 'It did its work, and no rule found anything to fix.', tone: 'good', icon: 'done', mutable: false },
  wasteful: { word: 'Wasteful', means: 'It did its work, but at a cost you can lower. The main reason comes first.', tone: 'warn', icon: 'info', mutable: true },
  idle: { word: 'Idle', means: 'It has nothing to do, and is still up.', tone: 'warn', icon: 'idle', mutable: false },
  stalled: { word: 'Stalled', means: 'Tasks are assigned, but none has finished for too long.', tone: 'stalled', icon: 'stalled', mutable: false },
  failing: { word: 'Failing', means: 'Tasks erred, or workers were lost.', tone: 'bad', icon: 'exceptions', mutable: true },
  lost: { word: 'Lost', means: 'It stopped reporting without shutting down.', tone: 'bad', icon: 'close', mutable: false },
  unknown: { word: 'Not yet', means: 'It has not finished a task, so there is nothing to judge.', tone: 'calm', icon: 'help', mutable: false },
};
