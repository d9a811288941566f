// The verdicts on the rows in sight: each is asked for once, and again when its cluster was heard of again or is in another
// state, as one that falls silent is lost.

import { SvelteMap } from 'svelte/reactivity';
import { client } from '../../api';
import type { ClusterRow, ShortVerdict } from '../../generated/api';
import { questions } from '../../state/questions.svelte';

/** As many as core judges at once. */
const most = 200;

/** What a verdict is of, as a row has it. */
function isOf(row: ClusterRow): string {
  return `${row.last_heard_micros} ${row.state}`;
}

export class Verdicts {
  #said = new SvelteMap<number, ShortVerdict>();
  /** When each was last heard of and its state, as it was asked for. */
  #asked = new Map<number, string>();
  #key = Symbol('verdicts');

  of(id: number): ShortVerdict | undefined {
    return this.#said.get(id);
  }

  want(rows: readonly ClusterRow[]): void {
    this.#tell(rows.slice(0, most).map((row) => row.id));
    const missing = rows.filter((row) => this.#asked.get(row.id) !== isOf(row)).slice(0, most);
    if (missing.length === 0) return;
    for (const row of missing) this.#asked.set(row.id, isOf(row));
    client.call('verdicts', { ids: missing.map((row) => row.id) }).then(
      (answer) => answer.rows.forEach((row) => this.#said.set(row.id, row)),
      // The list says what is wrong; these rows are asked for again when they come into sight.
      () => missing.forEach((row) => this.#asked.delete(row.id)),
    );
  }

  /** Nobody looks at them any more. */
  end(): void {
    this.#tell([]);
  }

  /** Whatever was asked before: what is copied is about all rows in sight. */
  #tell(ids: number[]): void {
    if (ids.length === 0) questions.drop(this.#key);
    else questions.put(this.#key, { command: 'verdicts', request: JSON.stringify({ ids }) });
  }
}
