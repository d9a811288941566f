// What was removed of a cluster that stayed, in words.

import type { Pruned, RetentionCategory } from '../../generated/api';
import type { Tab } from '../../state/route';

const words: Record<RetentionCategory, { what: string; stays: string; tabs: readonly Tab[] }> = {
  profiles: { what: 'Profile', stays: 'totals kept', tabs: ['profile', 'cost'] },
  code: { what: 'Code', stays: 'computations kept', tabs: ['computations'] },
  exceptions: { what: 'Messages and tracebacks', stays: 'types and counts kept', tabs: ['exceptions'] },
  events: { what: 'Events', stays: 'topics kept', tabs: ['events'] },
  samples: { what: 'Charts over time', stays: 'totals kept', tabs: ['activity'] },
};

/** `Profile removed by the 30-day rule; totals kept`. */
export function prunedWords({ category, rule_days }: Pruned): string {
  const { what, stays } = words[category];
  return `${what} removed ${rule_days === null ? 'to keep the store under its size' : `by the ${rule_days}-day rule`}; ${stays}`;
}

/** Whether a tab shows what is left of it. Charts over time stand above all of them. */
export function concerns({ category }: Pruned, tab: Tab): boolean {
  return category === 'samples' || words[category].tabs.includes(tab);
}
