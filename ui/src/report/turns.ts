// What stands below the first picture comes after it, one section whenever the page has nothing else to do: who opens a report reads what
// became of the cluster while its proof is laid out.

/** At the latest, where the page never rests. */
const mostMs = 100;

/** Whether a report is opened at its top. A link leads into it, and who comes back finds the place where they were: for them all is there at once. */
export const atTop = location.hash === '' && history.state === null;

const waiting: (() => void)[] = [];

const rests = (f: () => void) => ('requestIdleCallback' in globalThis ? requestIdleCallback(f, { timeout: mostMs }) : setTimeout(f));

function next(): void {
  waiting.shift()?.();
  if (waiting.length > 0) rests(next);
}

/** Calls `f` in its turn. */
export function inTurn(f: () => void): void {
  waiting.push(f);
  // The first of two frames is called before it is drawn.
  if (waiting.length === 1) requestAnimationFrame(() => requestAnimationFrame(() => rests(next)));
}

// Paper has all of it.
addEventListener('beforeprint', () => {
  while (waiting.length > 0) waiting.shift()!();
});
