// What is known of the stacks that are looked at, and of those that they are compared with. The page that has them asks, beside all else
// that it asks: whatever is drawn of them waits for it.

import { ask, type Asked } from '../../state/ask.svelte';
import type { FlameRoute } from '../../state/flameRoute';
import { readAgainst, selectionOf, type Chosen } from './selection';

export interface AskedAbout {
  about: Asked<'flame_about'>;
  /** Of what a difference is against. */
  earlier: Asked<'flame_about'>;
}

/** `chosen` is null while no stacks are looked at. */
export function askAbout(chosen: () => Chosen | null, flame: () => FlameRoute): AskedAbout {
  const selection = $derived.by(() => {
    const present = chosen();
    return present === null ? null : selectionOf(present);
  });
  const against = $derived(selection !== null && flame().shape === 'difference' ? readAgainst(flame().against) : null);
  const only = (of: Chosen | null) => (of?.ids.length === 1 ? of.ids[0]! : null);
  return {
    about: ask('flame_about', () => (selection === null ? null : { selection }), { subject: () => JSON.stringify(selection), cluster: () => only(chosen()) }),
    earlier: ask('flame_about', () => (against === null ? null : { selection: selectionOf(against) }), { subject: () => flame().against, cluster: () => only(against) }),
  };
}
