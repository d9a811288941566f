// The words and looks of a verdict.

import type { ClusterRow, Evidence, Verdict, VerdictKind } from '../../generated/api';
import { exactBytes } from '../../format/bytes';
import { fixed } from '../../format/number';
import type { IconName } from '../../parts/icons';
import type { Route } from '../../state/route';

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

/** Whether any task has ended, well or not: before that there is nothing to judge. */
export function ended({ tasks_completed, tasks_erred }: Pick<ClusterRow, 'tasks_completed' | 'tasks_erred'>): boolean {
  return tasks_completed + tasks_erred > 0;
}

/** The figure of a reason unrounded, for the hover. Shares and times are rounded in its words. */
export function exactWords({ value, unit }: Pick<Evidence, 'value' | 'unit'>): string {
  switch (unit) {
    case 'share':
      return `Exactly ${fixed(value * 100, 2)} %. `;
    case 'times':
      return `Exactly ${fixed(value, 2)} times. `;
    case 'bytes':
      return `Exactly ${exactBytes(value)}. `;
    case 'seconds':
    case 'count':
      return '';
  }
}

/** What is muted: this verdict for these reasons, so that another reason speaks up again. */
export function muteKey(scheduler: string, { kind, evidence }: Pick<Verdict, 'kind' | 'evidence'>): string {
  return [scheduler, kind, ...evidence.map(({ about }) => about)].join(' ');
}

/** Where the proof of a reason is. */
export function proof(route: Route & { view: 'cluster' }, { tab, item }: Pick<Evidence, 'tab' | 'item'>): Route {
  return { ...route, tab: tab ?? route.tab, item, text: '' };
}
