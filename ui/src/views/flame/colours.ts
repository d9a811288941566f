// Which colour a frame has: one a package, the same in every profile.

/** Tokens of packages, in `tokens.css`. */
const packages = ['flame-1', 'flame-2', 'flame-3', 'flame-4', 'flame-5', 'flame-6'] as const;

/** Those that Dask users meet most, so that none of them share a colour with their neighbours. */
const known = new Map<string, (typeof packages)[number]>([
  ['dask', 'flame-1'],
  ['distributed', 'flame-1'],
  ['pandas', 'flame-2'],
  ['numpy', 'flame-3'],
  ['pyarrow', 'flame-4'],
  ['xarray', 'flame-5'],
  ['sklearn', 'flame-6'],
]);

/** The token of a frame of this library. */
export function colourOf(library: string): string {
  if (library === 'your code' || library === 'notebook') return 'flame-yours';
  if (library === 'python' || library === 'unknown' || library === '') return 'flame-python';
  return known.get(library) ?? packages[hash(library) % packages.length]!;
}

/** FNV-1a. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  return value >>> 0;
}

export const tokens = ['ink', 'ink-2', 'ink-3', 'surface', 'sunken', 'line-2', 'accent', 'flame-yours', 'flame-python', ...packages, 'flame-small', 'flame-more', 'flame-less', 'flame-same'];

export interface LegendRow {
  token: string;
  libraries: string[];
}

/** What is in sight, most samples first: colours with the libraries that have them. */
export function legend(libraries: readonly string[], weights: readonly number[], most: number): LegendRow[] {
  const sums = new Map<string, number>();
  libraries.forEach((library, i) => sums.set(library, (sums.get(library) ?? 0) + (weights[i] ?? 0)));
  const rows = new Map<string, LegendRow>();
  const largest = [...sums].filter(([, weight]) => weight > 0).sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, most);
  for (const [library] of largest) {
    const token = colourOf(library);
    const row = rows.get(token) ?? { token, libraries: [] };
    row.libraries.push(library);
    rows.set(token, row);
  }
  return [...rows.values()];
}
