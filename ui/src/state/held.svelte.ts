// The rows of a list that is whole here: they keep their places while the reader is among them.

import { hold } from './hold';

/** `question`: what the reader asked for; a new one lets go. */
export function heldRows<T>(fresh: () => T[], question: () => string, key: (row: T) => unknown) {
  let held = $state(false);
  let kept: T[] = $state.raw([]);
  let keptFor = $state('');
  const now = $derived(hold(kept, fresh(), key));
  const keeps = $derived(held && keptFor === question());
  $effect(() => {
    if (!keeps) {
      kept = fresh();
      keptFor = question();
    }
  });
  return {
    get rows(): T[] {
      return keeps ? now.rows : fresh();
    },
    /** Whether letting go would move anything. */
    get differs(): boolean {
      return keeps && now.differs;
    },
    /** Rows that are not shown yet. */
    get waiting(): number {
      return now.waiting;
    },
    hold(on: boolean) {
      held = on;
    },
    letGo() {
      kept = fresh();
    },
  };
}
