// What the page asks at the moment, one for each panel: so that each can be had as SQL.

import { SvelteMap } from 'svelte/reactivity';
import type { Command } from '../api';

export interface Question {
  command: Command;
  /** As JSON. */
  request: string;
}

class Questions {
  #asked = new SvelteMap<symbol, Question>();

  /** Those that look something up in the store, each once. */
  get all(): Question[] {
    const aside: Command[] = ['status', 'views', 'close_order', 'idle_kept', 'desktop', 'sql_tables'];
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
