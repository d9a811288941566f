// Whether the page follows what comes in, and when something came last.

import { SvelteSet } from 'svelte/reactivity';
import { client, inWindow, type ApiError } from '../api';
import { onBack, paced, presence, stir, ticks, Turn, wide } from '../api/feed';
import type { Change, Status } from '../generated/api';
import { together } from './together';

type Listener = (change: Change) => void;

/** States such as lost come with time alone, without any change. */
export const time: Change = { revision: 0, cluster_ids: [] };
/** While nobody listened: whatever may have changed. */
const any: Change = { revision: 0, cluster_ids: [] };

class Live {
  /** Null until the first contact. */
  linked: boolean | null = $state(null);
  paused: boolean = $state(false);
  /** Changes that came while paused. */
  behind: number = $state(0);
  status: Status | null = $state.raw(null);
  statusError: ApiError | null = $state.raw(null);
  /** In microseconds. Ticks once a second, while nobody is at the page with what is asked anew: each tick is a picture to draw. */
  now: number = $state(Date.now() * 1000);
  /** Clusters that a batch came from in the last two seconds, while somebody is at the page. */
  fresh = new SvelteSet<number>();

  #listeners = new Set<Listener>();
  /** Of them, those that wait for what one cluster does. */
  #watchers = 0;
  /** Clusters that were heard of: another one is news. */
  #heard = new Set<number>();
  /** Hears changes again where the page rests. */
  #wake = () => {};
  #seconds = 0;
  #missed: Change | null = null;
  #turn = new Turn();

  start(): void {
    const askStatus = paced(() => void this.#askStatus(), wide);
    askStatus();
    const hearChanges = () =>
      client.onChange(
        (change) => {
          if (change.cluster_ids.some((id) => !this.#heard.has(id))) stir();
          for (const id of change.cluster_ids) this.#heard.add(id);
          if (this.paused) this.behind += 1;
          if (this.paused || document.hidden) this.#missed = merge(this.#missed, change);
          else this.#tell(change);
          if (document.hidden) return;
          if (presence() === 'attended') this.#mark(change);
          askStatus();
        },
        (up) => {
          this.linked = up;
          if (up) askStatus();
        },
      );
    // From the beginning, seen or not: what was asked by then need not be asked anew once it is seen.
    let hearNoMore: (() => void) | null = hearChanges();
    this.#wake = () => {
      if (hearNoMore !== null || document.hidden) return;
      this.#missed = any;
      hearNoMore = hearChanges();
      if (!this.paused) this.#catchUp();
    };
    onBack(this.#wake);
    client.onNews(stir);
    const tick = () => {
      const here = presence();
      // To be told each second of what is looked at every two minutes is work for nobody. In a browser it is how one knows that Bobbin is there.
      if (here === 'away' && inWindow && !this.paused && this.#watchers === 0) {
        hearNoMore?.();
        hearNoMore = null;
      }
      const due = (++this.#seconds * 1000) % ticks[here] === 0;
      if (here === 'attended' || (due && this.paused)) this.now = Date.now() * 1000;
      if (this.paused || !due) return;
      askStatus.tick();
      this.#tell(time);
    };
    let ticking = document.hidden ? undefined : setInterval(tick, 1000);
    // A window that nobody sees asks nothing, and is told nothing unless it counts; once it is seen again it catches up.
    document.addEventListener('visibilitychange', () => {
      clearInterval(ticking);
      if (document.hidden) {
        if (this.paused) return;
        hearNoMore?.();
        hearNoMore = null;
        return;
      }
      if (hearNoMore === null) {
        this.#missed = any;
        hearNoMore = hearChanges();
      }
      ticking = setInterval(tick, 1000);
      this.now = Date.now() * 1000;
      askStatus();
      if (!this.paused) this.#catchUp();
    });
  }

  /** Asks for the status at once. */
  refresh(): Promise<void> {
    return this.#askStatus();
  }

  /** Hears of changes while the page follows; `watches`: at once, also while nobody is at the page. Gives the way to stop. */
  hear(listener: Listener, watches = false): () => void {
    this.#listeners.add(listener);
    if (watches) {
      this.#watchers += 1;
      this.#wake();
    }
    return () => {
      if (this.#listeners.delete(listener) && watches) this.#watchers -= 1;
    };
  }

  /** Does `f` while the page follows. What was still due when the reader paused is caught up with once it follows again. */
  following(f: () => void): () => void {
    return () => {
      if (this.paused) this.#missed = any;
      else f();
    };
  }

  setPaused(paused: boolean): void {
    this.paused = paused;
    if (paused) return;
    this.behind = 0;
    this.#catchUp();
  }

  #catchUp(): void {
    if (this.#missed !== null) this.#tell(this.#missed);
    this.#missed = null;
  }

  #tell(change: Change): void {
    for (const listener of this.#listeners) listener(change);
  }

  #mark(change: Change): void {
    for (const id of change.cluster_ids) {
      this.fresh.add(id);
      setTimeout(() => this.fresh.delete(id), 2000);
    }
  }

  async #askStatus(): Promise<void> {
    const question = this.#turn.next();
    try {
      const status = await together.of(client.call('status', {}));
      if (!this.#turn.take(question)) return;
      this.status = status;
      this.statusError = null;
    } catch (error) {
      if (this.#turn.take(question)) this.statusError = error as ApiError;
    } finally {
      this.now = Date.now() * 1000;
    }
  }
}

/** No clusters named means: any may have changed. */
export function merge(a: Change | null, b: Change): Change {
  if (a === null) return b;
  const all = a.cluster_ids.length === 0 || b.cluster_ids.length === 0;
  return {
    revision: Math.max(a.revision, b.revision),
    cluster_ids: all ? [] : [...new Set([...a.cluster_ids, ...b.cluster_ids])],
  };
}

export const live = new Live();
