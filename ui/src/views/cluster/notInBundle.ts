// What a bundle left out of a cluster, by the lists in which it is missed.

import { inReport } from '../../api/inReport';
import type { ClusterFacts } from '../../generated/api';
import type { Tab } from '../../state/route';
import { unavailableWords } from './told';

/** What it came in. */
export const vessel = inReport ? 'report' : 'bundle';

const titles: Record<string, { title: string; tabs: Tab[] }> = {
  code: { title: `Code is not in the ${vessel}`, tabs: ['computations'] },
  lines: { title: `Source lines are not in the ${vessel}`, tabs: ['profile', 'cost'] },
  exceptions: { title: `Messages and tracebacks are not in the ${vessel}`, tabs: ['exceptions'] },
  events: { title: `Event payloads are not in the ${vessel}`, tabs: ['events'] },
};

const aliases: Record<string, Tab[]> = { names: ['groups', 'graph'], host: ['workers'] };

/** What a file of another program does not hold, by the lists in which it is missed. A file may name what is not here. */
const missedIn = new Map<string, Tab[]>([
  ['code', ['computations']],
  ['computations', ['computations']],
  ['dependencies', ['graph']],
  ['durations', ['groups']],
  ['events', ['events']],
  ['exceptions', ['exceptions']],
  ['groups', ['groups', 'graph']],
  ['older_tasks', ['groups']],
  ['profile', ['profile']],
  ['profile_bytes', ['profile']],
  ['profile_leaves', ['profile']],
  ['result_bytes', ['groups']],
  ['sample_time', ['profile']],
  ['worker_times', ['workers']],
  ['workers', ['workers']],
]);

/** In words, for one list. */
export function notInFile(facts: ClusterFacts, tab: Tab): string[] {
  if (facts.from_bundle?.source == null) return [];
  const words = unavailableWords(facts);
  return facts.unavailable.flatMap((word, i) => ((missedIn.get(word) ?? []).includes(tab) ? [words[i] ?? word] : []));
}

export interface LeftOut {
  category: string;
  title: string;
  values: number;
  /** Others stand in its place. */
  masked: boolean;
}

/** `tab`: null is all of it. */
export function leftOut(facts: ClusterFacts, tab: Tab | null): LeftOut[] {
  const from = facts.from_bundle;
  if (from == null) return [];
  const out = Object.entries(from.left_out).flatMap(([category, values]): LeftOut[] => {
    const known = titles[category];
    return known === undefined || !(tab === null || known.tabs.includes(tab)) ? [] : [{ category, title: known.title, values: values ?? 0, masked: false }];
  });
  const masked = from.masked
    .filter((category) => tab !== null && (aliases[category] ?? []).includes(tab))
    .map((category): LeftOut => ({ category, title: category === 'names' ? 'Some names are aliases' : 'Hosts and addresses are aliases', values: 0, masked: true }));
  return [...out, ...masked];
}
