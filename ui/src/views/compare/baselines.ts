// What is known of the history of one cluster and its computations: asked once for the page, told by every card.

import { getContext, setContext } from 'svelte';
import type { History } from '../../generated/api';
import { ask, type Asked } from '../../state/ask.svelte';

const key = Symbol('baseline');

/** Asks for as long as the page of the cluster is there. */
export function baselines(id: () => number): Asked<'baseline'> {
  return setContext(
    key,
    ask('baseline', () => ({ id: id() }), { subject: id, cluster: id }),
  );
}

/** The history of the cluster itself, or of one of its computations; null until it is known, and where it has none. */
export function historyOf(computation: () => string | null): () => History | null {
  const asked = getContext<Asked<'baseline'> | undefined>(key);
  return () => {
    const answer = asked?.answer ?? null;
    const wanted = computation();
    if (answer === null) return null;
    if (wanted === null) return answer.cluster;
    return answer.computations.find((row) => row.computation_id === wanted)?.history ?? null;
  };
}
