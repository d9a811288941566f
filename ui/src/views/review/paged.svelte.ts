// A long list of which only the pages in sight are asked for. What is shown stays until the first page of a new question is here.

import { untrack } from 'svelte';
import { ApiError } from '../../api';

export interface Page<T> {
  rows: T[];
  total: number;
}

/** `question`: what is asked besides the page. */
export function paged<T>(ask: (offset: number, limit: number) => Promise<Page<T>>, question: () => string, size = 200) {
  let rows: (T | undefined)[] = $state.raw([]);
  let total: number | null = $state(null);
  let error: ApiError | null = $state.raw(null);
  let generation = 0;
  let shown = 0;
  let asked = new Set<number>();
  let seen: [number, number] = [0, size];

  async function page(at: number) {
    if (asked.has(at)) return;
    asked.add(at);
    const mine = generation;
    try {
      const answer = await ask(at * size, size);
      if (mine !== generation) return;
      const next = shown === generation ? rows.slice() : [];
      shown = generation;
      next.length = answer.total;
      answer.rows.forEach((row, i) => (next[at * size + i] = row));
      rows = next;
      total = answer.total;
      error = null;
    } catch (failed) {
      if (mine === generation) error = failed instanceof ApiError ? failed : new ApiError('internal', String(failed));
    }
  }

  function see(first: number, last: number) {
    seen = [first, last];
    const most = total === null || shown !== generation ? last : Math.min(last, total);
    for (let at = Math.floor(first / size); at * size < Math.max(most, 1); at += 1) void page(at);
  }

  $effect(() => {
    question();
    untrack(() => {
      generation += 1;
      asked = new Set();
      see(...seen);
    });
  });

  return {
    get rows() {
      return rows;
    },
    get total() {
      return total;
    },
    get error() {
      return error;
    },
    see,
  };
}
