// The rows of a heat-map keep their places while somebody reads it: what comes in changes cells, and moves no row under them.

import { untrack } from 'svelte';
import { inOrder, type Heat } from './heat';

export function heldOrder(latest: () => Heat) {
  let order = $state.raw<string[] | null>(null);
  const map = $derived(order === null ? latest() : inOrder(latest(), order));
  return {
    get map(): Heat {
      return map;
    },
    hold(on: boolean) {
      order = on ? untrack(() => map.lines.map((line) => line.id)) : null;
    },
  };
}
