// Columns of samples to the outlines of a chart. Knows no framework and no colours.

export interface Span {
  from: number;
  to: number;
}

/** A value holds `after` its moment until the next, stands for the time `before` it, or is `between` its neighbours. */
export type Kind = 'after' | 'before' | 'between';

type Values = readonly (number | null)[];

/** Runs of samples, first and last index, that nothing parts: no missing value, no gap in the record. */
export function runs(at: readonly number[], values: Values, gaps: readonly Span[]): [number, number][] {
  const out: [number, number][] = [];
  let start = -1;
  for (let i = 0; i < at.length; i++) {
    const here = values[i] != null;
    const parted = start >= 0 && gaps.some((gap) => gap.from < at[i]! && gap.to > at[i - 1]!);
    if (start >= 0 && (!here || parted)) {
      out.push([start, i - 1]);
      start = -1;
    }
    if (here && start < 0) start = i;
  }
  if (start >= 0) out.push([start, at.length - 1]);
  return out;
}

/** The corners of one run, oldest first. */
function corners(at: readonly number[], values: Values, [first, last]: [number, number], kind: Kind): [number, number][] {
  const out: [number, number][] = [];
  for (let i = first; i <= last; i++) {
    if (i > first && kind === 'after') out.push([at[i]!, values[i - 1]!]);
    // Also the first one stands for the time before it, if that is on the record.
    const reachesBack = i > first || (i > 0 && values[i - 1] === null);
    if (kind === 'before' && reachesBack) out.push([at[i - 1]!, values[i]!]);
    out.push([at[i]!, values[i]!]);
  }
  return out;
}

const put = (n: number) => n.toFixed(1);

/** An SVG path along the values; a lone sample is a short dash, so that it can be seen. What stands for a gap alone is not drawn. */
export function linePath(
  at: readonly number[],
  values: Values,
  gaps: readonly Span[],
  kind: Kind,
  x: (at: number) => number,
  y: (value: number) => number,
): string {
  const inGap = (i: number) => gaps.some((gap) => gap.from < at[i]! && at[i]! < gap.to);
  return runs(at, values, gaps)
    .filter(([first, last]) => first !== last || !inGap(first))
    .map((run) => {
      if (run[0] === run[1]) return `M${put(x(at[run[0]]!) - 2)},${put(y(values[run[0]]!))}h4`;
      return `M${corners(at, values, run, kind).map(([t, v]) => `${put(x(t))},${put(y(v))}`).join('L')}`;
    })
    .join('');
}

/** An SVG path around what lies between `low` (null is the axis) and `high`. */
export function areaPath(
  at: readonly number[],
  low: Values | null,
  high: Values,
  gaps: readonly Span[],
  kind: Kind,
  x: (at: number) => number,
  y: (value: number) => number,
): string {
  const floor: Values = low ?? high.map((v) => (v === null ? null : 0));
  return runs(at, high, gaps)
    .filter(([first, last]) => first !== last)
    .map((run) => {
      const there = corners(at, high, run, kind);
      const back = corners(at, floor, run, kind).reverse();
      return `M${[...there, ...back].map(([t, v]) => `${put(x(t))},${put(y(v))}`).join('L')}Z`;
    })
    .join('');
}

/** Each series on top of those before it; a missing value counts as nothing as long as any is there. */
export function stacked(series: readonly Values[]): (number | null)[][] {
  const out: (number | null)[][] = [];
  let below: (number | null)[] | null = null;
  for (const values of series) {
    const top: (number | null)[] = values.map((v, i) => {
      const under = below?.[i] ?? null;
      return v === null && under === null ? null : (v ?? 0) + (under ?? 0);
    });
    out.push(top);
    below = top;
  }
  return out;
}

/** The sample that counts at a moment: the nearest, or -1 where there is none. */
export function nearest(at: readonly number[], moment: number): number {
  if (at.length === 0) return -1;
  let low = 0;
  let high = at.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (at[middle]! < moment) low = middle + 1;
    else high = middle;
  }
  return low > 0 && moment - at[low - 1]! < at[low]! - moment ? low - 1 : low;
}

/** The bin that a moment lies in, where each moment of `at` ends one; -1 where there is none. */
export function binOf(at: readonly number[], moment: number): number {
  const near = nearest(at, moment);
  return near >= 0 && near < at.length - 1 && at[near]! < moment ? near + 1 : near;
}

/** A stretch of time that the keys choose: one end stays, the other goes on by a sample. */
export function stretched(span: Span | null, moment: number, to: number): Span {
  return { from: span?.from ?? moment, to };
}

/** The lowest value, where one is below zero. */
export function lowest(columns: readonly Values[]): number {
  let least = 0;
  for (const values of columns) for (const v of values) if (v !== null && v < least) least = v;
  return least;
}

/** Whether it has only zeros, if anything. */
export function nothing(values: Values): boolean {
  return values.every((v) => v === null || v === 0);
}

export function largest(columns: readonly Values[]): number {
  let most = 0;
  for (const values of columns) for (const v of values) if (v !== null && v > most) most = v;
  return most;
}
