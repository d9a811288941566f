// Views with which few sittings begin. Each is a file of its own, so that the first page is small; all of them are
// fetched while the page rests, so that going to one later shows it at once.

import type { Component } from 'svelte';

/** What is fetched while the page rests. */
const all: { fetch: () => Promise<void> }[] = [];

export class Later<Props extends Record<string, unknown>> {
  view: Component<Props> | null = $state.raw(null);
  /** Its file did not come: the page may be older than the Bobbin that now answers. */
  failed = $state(false);
  readonly #load: () => Promise<{ default: Component<Props> }>;
  #fetching: Promise<void> | null = null;

  constructor(load: () => Promise<{ default: Component<Props> }>) {
    this.#load = load;
    all.push(this);
  }

  /** Where it did not come before, it is asked for again: a Bobbin that was away for a moment is back. */
  fetch(): Promise<void> {
    if (this.#fetching === null) this.failed = false;
    this.#fetching ??= this.#load().then(
      ({ default: view }) => {
        this.view = view;
      },
      () => {
        this.failed = true;
        this.#fetching = null;
      },
    );
    return this.#fetching;
  }
}

const restMs = 400;

/** Fetches one view after the other, each when nothing else is to do. What fails here is said when somebody goes there. */
export function fetchLater(): () => void {
  let stopped = false;
  const rests = (next: () => void) => ('requestIdleCallback' in window ? requestIdleCallback(next, { timeout: 5 * restMs }) : setTimeout(next, restMs));
  async function fetchAll() {
    for (const one of all) {
      await new Promise<void>(rests);
      if (stopped) return;
      await one.fetch();
    }
  }
  const begin = setTimeout(() => void fetchAll(), restMs);
  return () => {
    stopped = true;
    clearTimeout(begin);
  };
}
