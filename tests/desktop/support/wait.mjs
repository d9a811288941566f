// Waiting for a state, never for a time.

import { setTimeout as sleep } from 'node:timers/promises';

/** The first value of `look` that is neither false nor nothing. Errors count as not yet. */
export async function until(what, look, { seconds = 30 } = {}) {
  const deadline = performance.now() + seconds * 1000;
  let last;
  do {
    try {
      const value = await look();
      if (value !== false && value !== null && value !== undefined) return value;
    } catch (error) {
      last = error;
    }
    await sleep(100);
  } while (performance.now() < deadline);
  throw new Error(`waited ${seconds} s for ${what}`, { cause: last });
}
