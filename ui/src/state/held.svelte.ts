// The rows of a list that is whole here: they keep their places while the reader is among them.

import { hold } from './hold';

/** What one who reads several lists beside each other can do: hold all of them, and let go of all. */
interface Together {
  readonly differs: boolean;
  readonly waiting: number;
  hold: (on: boolean) => void;
  letGo: () => void;
}

/** Lists of one panel: who is among the rows of one is among those of all. */
export function together(...lists: Together[]): Together {
  return {
    get differs() {
      return lists.some((list) => list.differs);
    },
    get waiting() {
      return lists.reduce((sum, { differs, waiting }) => sum + (differs ? waiting : 0), 0);
    },
    hold(on) {
      for (const list of lists) list.hold(on);
    },
    letGo() {
      for (const list of lists) list.letGo();
    },
  };
}

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
