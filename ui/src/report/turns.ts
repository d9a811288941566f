// What stands below the first picture comes after it, one section whenever the page has nothing else to do: who opens a report reads what
// became of the cluster while its proof is laid out.

/** At the latest, where the page never rests. */
const mostMs = 100;

/** A rest that is shorter is one between two frames: a section would hold up the second. */
const restMs = 20;

/** Whether a report is opened at its top. A link leads into it, and who comes back finds the place where they were: for them all is there at once. */
export const atTop = location.hash === '' && history.state === null;

const waiting: (() => void)[] = [];

/** Since when the section whose turn it is waits for a rest. */
let since = 0;

/** How long it may still wait; 0 would be no limit. */
const leftMs = () => Math.max(1, since + mostMs - performance.now());

const rests = (f: (deadline?: IdleDeadline) => void) => ('requestIdleCallback' in globalThis ? requestIdleCallback(f, { timeout: leftMs() }) : setTimeout(f));

function rest(): void {
  since = performance.now();
  rests(next);
}

function next(deadline?: IdleDeadline): void {
  if (deadline !== undefined && deadline.timeRemaining() < restMs && performance.now() - since < mostMs) {
    rests(next);
    return;
  }
  waiting.shift()?.();
  if (waiting.length > 0) rest();
}

/** Calls `f` in its turn. */
export function inTurn(f: () => void): void {
  waiting.push(f);
  // The first of two frames is called before it is drawn.
  if (waiting.length === 1) requestAnimationFrame(() => requestAnimationFrame(rest));
}

// Paper has all of it.
addEventListener('beforeprint', () => {
  while (waiting.length > 0) waiting.shift()!();
});
