// What a verdict rests on, in words, and where its proof is.

import type { ClusterRow, Evidence, Verdict } from '../../generated/api';
import { exactBytes } from '../../format/bytes';
import { fixed } from '../../format/number';
import type { Route } from '../../state/route';

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
