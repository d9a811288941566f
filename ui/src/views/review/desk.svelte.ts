// One stage on the desk. What is decided is shown at once, and again as core says it.

import { ApiError, client } from '../../api';
import { Turn } from '../../api/feed';
import type { Category, DecideRequest, Decision, Stage } from '../../generated/api';

/** While the bytes are written anew, how often it is asked whether they are there. */
const againMs = 150;
/** The same where they could not be written, or nobody answers: each question has it tried again. */
const triedMs = 3_000;

export class Desk {
  stage: Stage | null = $state.raw(null);
  error: ApiError | null = $state.raw(null);
  /** What was decided of categories and is on its way. */
  deciding: ReadonlyMap<Category, Decision> = $state.raw(new Map());

  #turn = new Turn();
  #later: ReturnType<typeof setTimeout> | undefined;
  #id = 0;

  async load(id: number): Promise<void> {
    if (id !== this.#id) this.stage = null;
    this.#id = id;
    await this.#ask(() => client.call('stage', { id }));
  }

  async decide(decided: Omit<Partial<DecideRequest>, 'id'>): Promise<void> {
    const of = (decided.categories ?? []).flatMap(({ category, decision }): [Category, Decision][] => (decision === null ? [] : [[category, decision]]));
    this.deciding = new Map([...this.deciding, ...of]);
    await this.#ask(() => client.call('decide_stage', { id: this.#id, ...decided }));
    this.deciding = new Map();
  }

  take(stage: Stage): void {
    this.stage = stage;
  }

  stop(): void {
    clearTimeout(this.#later);
    this.#turn.forget();
  }

  async #ask(what: () => Promise<Stage>): Promise<void> {
    clearTimeout(this.#later);
    const question = this.#turn.next();
    try {
      const stage = await what();
      if (!this.#turn.take(question)) return;
      this.stage = stage;
      this.error = null;
    } catch (error) {
      if (!this.#turn.take(question)) return;
      this.error = error instanceof ApiError ? error : new ApiError('internal', String(error));
    }
    const kinds = (this.stage?.blockers ?? []).map(({ kind }) => kind);
    const pending = kinds.includes('writing') || kinds.includes('not_written');
    const wait = !pending ? null : kinds.includes('writing') && this.error === null ? againMs : triedMs;
    if (wait !== null && this.#turn.latest(question)) this.#later = setTimeout(() => void this.load(this.#id), wait);
  }
}
