// When to ask again. A change asks at once; a burst of changes asks at most four times a second, and once more at its end.

export interface Clock {
  now(): number;
  later(f: () => void, ms: number): unknown;
  forget(handle: unknown): void;
}

const real: Clock = {
  now: () => performance.now(),
  later: (f, ms) => setTimeout(f, ms),
  forget: (handle) => clearTimeout(handle as ReturnType<typeof setTimeout>),
};

/** Calls `f` at once, then at most once in `everyMs`; a call that came in between is made up for at the end. */
export function paced(f: () => void, everyMs = 250, clock: Clock = real): { (): void; stop(): void } {
  let last = -Infinity;
  let waiting: unknown = null;
  const run = () => {
    waiting = null;
    last = clock.now();
    f();
  };
  const ask = () => {
    if (waiting !== null) return;
    const wait = last + everyMs - clock.now();
    if (wait <= 0) run();
    else waiting = clock.later(run, wait);
  };
  ask.stop = () => {
    if (waiting !== null) clock.forget(waiting);
    waiting = null;
  };
  return ask;
}

/** Answers are taken in the order of their questions: one that comes after a later question's answer is dropped. */
export class Turn {
  #asked = 0;
  #taken = 0;

  /** The number of a new question. */
  next(): number {
    return ++this.#asked;
  }

  /** Whether the answer to this question is still news. */
  take(question: number): boolean {
    if (question <= this.#taken) return false;
    this.#taken = question;
    return true;
  }

  /** Whether a later question is still open. */
  latest(question: number): boolean {
    return question === this.#asked;
  }

  /** Answers to everything asked so far are no longer wanted. */
  forget(): void {
    this.#taken = this.#asked;
  }
}
