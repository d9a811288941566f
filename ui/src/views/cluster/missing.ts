// What is in the record of a cluster, what is not, and why: none of that is a zero.

import type { Cluster, ClusterFacts } from '../../generated/api';
import { none } from '../../format/number';
import { lossWords } from './losses';
import { leftOut, vessel } from './notInBundle';
import { categories, daskVersion, offSince, offWords, sourceWords, tellsFrom, unavailableWords, type Category } from './told';

export interface Missing {
  what: string;
  why: string;
  since: number | null;
  /** The setting that brings it back. */
  setting: string | null;
  /** Without one: what helps instead. */
  todo: string;
  category: Category | null;
}

export function missing({ facts, losses }: Cluster): Missing[] {
  const off = categories.flatMap((category): Missing[] => {
    const since = offSince(facts, category);
    return since === null
      ? []
      : [{ what: offWords[category].label, why: 'off at source', since, setting: offWords[category].setting, todo: '', category }];
  });
  const words = unavailableWords(facts);
  const isFromFile = facts.from_bundle?.source != null;
  const untold = facts.unavailable.map((word, i): Missing => ({ what: words[i] ?? word, why: isFromFile ? `not in ${sourceWords(facts.from_bundle?.source) ?? ''}` : `not reported by ${daskVersion(facts)}`, since: null, setting: null, todo: isFromFile ? 'connect a cluster to Bobbin to collect it' : tellsFrom(word) || 'nothing: no version of Dask reports it here', category: null }));
  const lost = lossWords(losses).map((why): Missing => ({ what: 'Part of the record', why, since: null, setting: null, todo: none, category: null }));
  const notInBundle = leftOut(facts, null).map((one): Missing => ({ what: one.title, why: `left out by the author of the ${vessel}`, since: null, setting: null, todo: 'ask for a share that includes more', category: null }));
  return [...off, ...notInBundle, ...untold, ...lost];
}

/** The categories that leave the scheduler; of a file of another program nothing was sent. */
export function sent(facts: ClusterFacts): string[] {
  return facts.from_bundle?.source != null ? [] : categories.filter((category) => offSince(facts, category) === null).map((category) => offWords[category].label);
}
