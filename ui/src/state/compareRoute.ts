// What an address says of a comparison: `compare?a=baseline&b=7`.

/** A cluster, the other one's usual run, or none chosen yet. */
export type Compared = number | 'baseline' | null;

export interface CompareRoute {
  view: 'compare';
  a: Compared;
  b: Compared;
  /** Times for each thousand tasks. */
  perTask: boolean;
  /** Only what differs, or all; null is as the reader had it last. */
  differencesOnly: boolean | null;
}

/** From A to B. */
export function compare(a: Compared, b: Compared, perTask = false, differencesOnly: boolean | null = null): CompareRoute {
  return { view: 'compare', a, b, perTask, differencesOnly };
}

function readOne(text: string | null): Compared {
  if (text === 'baseline') return text;
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : null;
}

export function readCompare(q: URLSearchParams): CompareRoute {
  const shown = q.get('show');
  return compare(readOne(q.get('a')), readOne(q.get('b')), q.get('per') === 'task', shown === 'differences' ? true : shown === 'all' ? false : null);
}

export function writeCompare(route: CompareRoute, put: (name: string, value: string | number | null) => void): void {
  put('a', route.a);
  put('b', route.b);
  put('per', route.perTask ? 'task' : null);
  put('show', route.differencesOnly === null ? null : route.differencesOnly ? 'differences' : 'all');
}
