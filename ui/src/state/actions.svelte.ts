// What can be done on the page in sight, as the palette lists it: each part says what its own buttons do, while it is there.

import { untrack } from 'svelte';
import { SvelteMap } from 'svelte/reactivity';

export interface Action {
  /** Apart from all others. */
  id: string;
  label: string;
  /** What is said behind it. */
  hint: string;
  /** The key that does the same. */
  keys?: string;
  /** Where it leads, or what it does. */
  to: string | (() => void);
  /** Of a kind that stands on many pages: listed behind what this page alone can do. */
  common?: true;
}

const offered = new SvelteMap<symbol, readonly Action[]>();

export const actions = {
  get all(): Action[] {
    return [...offered.values()].flat().toSorted((a, b) => Number(a.common ?? false) - Number(b.common ?? false));
  },
};

/** Offers what the buttons of a component do, for as long as it lives. */
export function offer(these: () => readonly Action[]): void {
  const key = Symbol('actions');
  $effect(() => {
    const now = these();
    untrack(() => offered.set(key, now));
  });
  $effect(() => () => void offered.delete(key));
}
