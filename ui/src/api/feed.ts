// When to ask again. A change asks at once; a burst of changes asks at most four times a second, and once more at its end. What
// is about all clusters, where changes never end, is asked for rarely while nobody is at the page.

export interface Clock {
  now(): number;
  /** Milliseconds since somebody moved the pointer, turned the wheel or pressed a key. */
  rested(): number;
  /** Calls `f` once `ms` have passed and the page is seen, or somebody is back at it. Gives the way not to. */
  later(f: () => void, ms: number): () => void;
}

let touched = 0;
/** What to do when somebody is back. */
const waiters = new Set<() => void>();

function wake(): void {
  for (const f of [...waiters]) f();
}

function touch(): void {
  const back = presence() !== 'attended';
  touched = performance.now();
  if (back) wake();
}

const unseen = () => globalThis.document?.hidden === true;

globalThis.document?.addEventListener('visibilitychange', () => {
  if (!unseen()) wake();
});

for (const kind of ['pointermove', 'pointerdown', 'wheel', 'keydown', 'focusin']) {
  globalThis.addEventListener?.(kind, touch, { capture: true, passive: true });
}

/** Calls `f` whenever somebody is back at the page, or it is seen again. Gives the way to stop. */
export function onBack(f: () => void): () => void {
  waiters.add(f);
  return () => waiters.delete(f);
}

let lookingOn = 0;

/** Somebody looks on without a hand on it, as at a replay. Gives the way to end that. */
export function lookOn(): () => void {
  lookingOn += 1;
  return () => (lookingOn -= 1);
}

const real: Clock = {
  now: () => performance.now(),
  rested: () => (lookingOn > 0 ? 0 : performance.now() - touched),
  later: (f, ms) => {
    const end = () => {
      clearTimeout(timer);
      waiters.delete(now);
    };
    const now = () => {
      end();
      f();
    };
    const timer = setTimeout(() => {
      if (!unseen()) now();
    }, ms);
    waiters.add(now);
    return end;
  },
};

/** Whether somebody is at the page, has just left it alone, or has been away for a while. */
export type Presence = 'attended' | 'alone' | 'away';

/** How often at most to ask, in milliseconds. */
export type Pace = Record<Presence, number>;

/** Of what is about one cluster: whoever opened it waits for it. */
export const near: Pace = { attended: 250, alone: 250, away: 250 };
/** Of what is about all of them: ten that report make a change every second, and each of them reports every ten. */
export const wide: Pace = { attended: 250, alone: 10_000, away: 120_000 };
/** Of what is brought about from the page, such as samples: nobody waits for it who is not there. */
export const handy: Pace = { attended: 250, alone: 60_000, away: 120_000 };
/** Of what time alone brings. */
export const ticks: Pace = { attended: 5_000, alone: 10_000, away: 120_000 };
/** So long without a hand on it. */
const alone = 10_000;
const away = 120_000;

export function presence(clock: Clock = real): Presence {
  const rested = clock.rested();
  return rested < alone ? 'attended' : rested < away ? 'alone' : 'away';
}

/** Something happened that is worth a look: a page that nobody is at any more goes on as one that was just left alone. */
export function stir(): void {
  const before = presence();
  if (unseen() || before === 'attended') return;
  touched = performance.now() - alone;
  if (before === 'away') wake();
}

export interface Paced {
  (): void;
  /** Because of time alone, which is no change. */
  tick(): void;
  stop(): void;
}

/** From here on what is asked rarely is asked at the same moments, whenever each began: what comes of it is one picture to draw. */
const rarely = 1_000;

function due(last: number, every: number): number {
  return every < rarely ? last + every : Math.round(last / every + 1) * every;
}

/** Calls `f` at once, then at the pace; a call that came in between is made up for at the end. */
export function paced(f: () => void, pace: Pace = near, clock: Clock = real): Paced {
  let last = -Infinity;
  let waiting: (() => void) | null = null;
  const run = () => {
    waiting = null;
    last = clock.now();
    f();
  };
  const ask = () => {
    if (waiting !== null) return;
    const wait = due(last, pace[presence(clock)]) - clock.now();
    if (wait <= 0) run();
    else waiting = clock.later(run, wait);
  };
  ask.tick = () => {
    // What was asked a moment ago is not older for that.
    if (waiting === null && clock.now() - last >= ticks[presence(clock)] / 2) f();
  };
  ask.stop = () => {
    waiting?.();
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
