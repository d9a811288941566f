// Which of the answers that a report holds is the one to a question.

/** How much is asked for, and how it is put: a report gives what it holds, and a flame graph whole. */
const amounts = new Set(['limit', 'offset', 'points', 'bins', 'view', 'part', 'tree', 'order', 'direction', 'search']);

function isDefault(value: unknown): boolean {
  return value === null || value === undefined || value === false || value === '' || (typeof value === 'object' && Object.keys(value).length === 0);
}

/** A request without what has its default and what says how much; its names in order. */
function plain(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(plain);
  const entries = Object.entries(value)
    .filter(([name]) => !amounts.has(name))
    .map(([name, one]) => [name, plain(one)] as const)
    .filter(([, one]) => !isDefault(one));
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Two requests that mean the same have the same. */
export function keyOf(command: string, request: unknown): string {
  return `${command} ${JSON.stringify(plain(request))}`;
}
