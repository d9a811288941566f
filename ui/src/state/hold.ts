// Rows under the pointer stay where they are. While a list is held, its rows keep their order and take new values; what
// is new, gone or elsewhere is counted and waits.

export interface Held<T> {
  rows: T[];
  /** Rows that are not shown yet. */
  waiting: number;
  /** Whether letting go would move anything. */
  differs: boolean;
}

/** `now` in the order in which `shown` had them. */
export function hold<T>(shown: readonly T[], now: readonly T[], key: (row: T) => unknown): Held<T> {
  const fresh = new Map(now.map((row) => [key(row), row]));
  const rows = shown.map((row) => fresh.get(key(row)) ?? row);
  const known = new Set(shown.map(key));
  const waiting = now.filter((row) => !known.has(key(row))).length;
  const differs = now.length !== shown.length || now.some((row, i) => key(row) !== key(shown[i]!));
  return { rows, waiting, differs };
}
