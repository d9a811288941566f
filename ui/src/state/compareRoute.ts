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
  /** Only the columns in which the two runs differ, or all; null is as the reader had them last. */
  hideConstant: boolean | null;
}

/** From A to B. */
export function compare(a: Compared, b: Compared, more: Partial<Pick<CompareRoute, 'perTask' | 'differencesOnly' | 'hideConstant'>> = {}): CompareRoute {
  return { view: 'compare', a, b, perTask: false, differencesOnly: null, hideConstant: null, ...more };
}

/** One of two words, or nothing said. */
function readEither(text: string | null, yes: string, no: string): boolean | null {
  return text === yes ? true : text === no ? false : null;
}

const writeEither = (on: boolean | null, yes: string, no: string) => (on === null ? null : on ? yes : no);

function readOne(text: string | null): Compared {
  if (text === 'baseline') return text;
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : null;
}

export function readCompare(q: URLSearchParams): CompareRoute {
  return compare(readOne(q.get('a')), readOne(q.get('b')), {
    perTask: q.get('per') === 'task',
    differencesOnly: readEither(q.get('show'), 'differences', 'all'),
    hideConstant: readEither(q.get('columns'), 'telling', 'all'),
  });
}

export function writeCompare(route: CompareRoute, put: (name: string, value: string | number | null) => void): void {
  put('a', route.a);
  put('b', route.b);
  put('per', route.perTask ? 'task' : null);
  put('show', writeEither(route.differencesOnly, 'differences', 'all'));
  put('columns', writeEither(route.hideConstant, 'telling', 'all'));
}
