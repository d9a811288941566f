// What the page asks at the moment, one for each panel: so that each can be had as SQL.

import { SvelteMap } from 'svelte/reactivity';
import type { Command } from '../api';

export interface Question {
  command: Command;
  /** As JSON. */
  request: string;
}

/** Nothing of clusters: what the reader set, files, and how far something is. */
const aside: readonly Command[] = ['close_order', 'connection', 'demo', 'desktop', 'idle_kept', 'keys', 'ledger', 'receiver_settings', 'replay', 'sends', 'sharing_rules', 'sql_tables', 'stages', 'this_build', 'views'];

class Questions {
  #asked = new SvelteMap<symbol, Question>();

  /** Those that look something up in the store, each once. */
  get all(): Question[] {
    const seen = new Set<string>();
    return [...this.#asked.values()].filter(({ command, request }) => {
      const text = command + request;
      if (aside.includes(command) || seen.has(text)) return false;
      seen.add(text);
      return true;
    });
  }

  /** `key`: who asks. */
  put(key: symbol, question: Question): void {
    this.#asked.set(key, question);
  }

  drop(key: symbol): void {
    this.#asked.delete(key);
  }
}

export const questions = new Questions();
