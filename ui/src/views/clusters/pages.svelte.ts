// The list of clusters by pages: those in sight are asked for, and asked again when something changed.

import { untrack } from 'svelte';
import { ApiError, client } from '../../api';
import { paced, wide } from '../../api/feed';
import type { ClusterRow, ClustersRequest } from '../../generated/api';
import { hold } from '../../state/hold';
import { live, time } from '../../state/live.svelte';
import { questions } from '../../state/questions.svelte';
import { together } from '../../state/together';

const size = 100;

export class ClusterPages {
  rows: (ClusterRow | undefined)[] = $state.raw([]);
  total: number | null = $state(null);
  currency = $state('');
  error: ApiError | null = $state.raw(null);
  /** New rows that wait until the reader lets go. */
  waiting = $state(0);
  /** Whether the order shown is older than what is known. */
  differs = $state(false);
  waits = $state(true);
  /** What the typed filter has that is not understood; the rows are then those of before. */
  problem: string | null = $state(null);

  #request: Omit<ClustersRequest, 'limit' | 'offset'> | null = null;
  #key = Symbol('clusters');
  /** The question on its way for each page; the answer to any other is not wanted any more. */
  #asking = new Map<number, symbol>();
  #seen: [number, number] = [0, 1];
  #held = false;
  #again = paced(live.following(() => this.#refresh()), wide);

  constructor(request: () => Omit<ClustersRequest, 'limit' | 'offset'>) {
    let written = '';
    $effect(() => {
      const next = request();
      untrack(() => {
        const text = JSON.stringify(next);
        if (text === written) return;
        written = text;
        this.#request = next;
        questions.put(this.#key, { command: 'clusters', request: text });
        this.#held = false;
        this.waits = true;
        this.#asking.clear();
        void this.#load(0, true);
      });
    });
    $effect(() => {
      const stop = live.hear((change) => (change === time ? this.#again.tick() : this.#again()));
      return () => {
        stop();
        this.#again.stop();
        this.#asking.clear();
        questions.drop(this.#key);
      };
    });
  }

  /** Rows in sight: those that are not here yet are asked for. */
  see(first: number, last: number): void {
    this.#seen = [first, Math.max(first + 1, last)];
    for (const page of this.#pages()) {
      const missing = this.rows[page * size] === undefined;
      if (missing && page * size < (this.total ?? 0)) void this.#load(page, false);
    }
  }

  hold(held: boolean): void {
    if (this.#held === held) return;
    this.#held = held;
    if (!held && this.differs) this.show();
  }

  /** Takes the order of now. */
  show(): void {
    const held = this.#held;
    this.#held = false;
    // What is on its way was asked for with the rows where they were.
    this.#asking.clear();
    this.#refresh();
    this.#held = held;
    this.waiting = 0;
    this.differs = false;
  }

  #pages(): number[] {
    const [first, last] = this.#seen;
    const pages = [];
    for (let page = Math.floor(first / size); page * size < last; page++) pages.push(page);
    return pages;
  }

  #refresh(): void {
    for (const page of this.#pages()) void this.#load(page, !this.#held);
  }

  /** `fresh`: pages that are not in sight are thrown away, as they may have moved. */
  async #load(page: number, fresh: boolean): Promise<void> {
    if (this.#request === null || this.#asking.has(page)) return;
    const question = Symbol('page');
    this.#asking.set(page, question);
    const wanted = () => this.#asking.get(page) === question;
    try {
      const answer = await together.of(client.call('clusters', { ...this.#request, limit: size, offset: page * size }));
      if (!wanted()) return;
      this.currency = answer.currency;
      this.#put(page, answer.rows, answer.total, fresh);
      this.error = null;
      this.problem = null;
    } catch (error) {
      if (!wanted()) return;
      const failed = error instanceof ApiError ? error : new ApiError('internal', String(error));
      this.problem = failed.code === 'invalid' ? failed.message : null;
      this.error = this.problem === null ? failed : null;
    } finally {
      if (wanted()) {
        this.#asking.delete(page);
        this.waits = false;
      }
    }
  }

  #put(page: number, now: ClusterRow[], total: number, fresh: boolean): void {
    const start = page * size;
    const shown = this.rows.slice(start, start + size).filter((row) => row !== undefined);
    const rows = this.rows.slice();
    if (this.#held && !fresh && shown.length > 0) {
      const held = hold(shown, now, (row) => row.id);
      held.rows.forEach((row, i) => (rows[start + i] = row));
      this.rows = rows;
      this.waiting = Math.max(this.waiting, total - (this.total ?? total));
      this.differs ||= held.differs || total !== this.total;
      return;
    }
    if (fresh) {
      const kept = new Set(this.#pages());
      rows.forEach((_, i) => {
        if (!kept.has(Math.floor(i / size))) delete rows[i];
      });
      this.waiting = 0;
      this.differs = false;
    }
    rows.length = total;
    now.forEach((row, i) => (rows[start + i] = row));
    this.rows = rows;
    this.total = total;
  }
}
