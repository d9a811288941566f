// What the view in sight is about, as it is known beyond this store. The view itself says so.

import { SvelteMap } from 'svelte/reactivity';

class Place {
  /** The ids of clusters' schedulers, by the clusters' numbers here. */
  readonly schedulers = new SvelteMap<number, string>();
}

export const place = new Place();
