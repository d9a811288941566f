// Round numbers for an axis.

/** Below this a double has no digits left to divide. */
const leastSpan = 1e-300;
/** Above this the ticks beyond the largest value may be more than a double holds: they are sought for values that are smaller by so many times. */
const mostSpan = 1e307;
const smaller = 1e12;

/**
 * Ticks from 0 to at least `most`, and from 0 down to `least` where that is negative: about `wanted` of them, at 1, 2 or 5 times a power of 10, or
 * of 1024 for bytes. Counts are divided into whole numbers.
 */
export function valueTicks(most: number, wanted: number, kind: 'count' | 'real' | 'bytes' = 'count', least = 0): number[] {
  const span = Math.max(0, most) - Math.min(0, least);
  if (!(span > leastSpan)) return [0, kind === 'bytes' ? 1024 ** 3 : 1];
  if (span > mostSpan) return valueTicks(held(most) / smaller, wanted, kind, held(least) / smaller).map((tick) => held(tick * smaller));
  const raw = span / wanted;
  let step: number;
  if (kind === 'bytes') {
    const unit = 1024 ** Math.floor(Math.log(Math.max(raw, 1)) / Math.log(1024));
    const size = raw / unit;
    step = ([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024].find((s) => s >= size) ?? 1024) * unit;
  } else {
    const unit = 10 ** Math.floor(Math.log10(raw));
    step = ([1, 2, 5, 10].find((s) => s * unit >= raw * 0.999) ?? 10) * unit;
    if (kind === 'count') step = Math.max(step, 1);
  }
  const ticks = [0];
  for (let at = step; at < most + step * 0.999; at += step) ticks.push(at);
  for (let at = -step; at > least - step * 0.999; at -= step) ticks.unshift(at);
  return ticks;
}

/** The largest number there is, in place of one beyond it. */
export function held(value: number): number {
  return Math.min(Number.MAX_VALUE, Math.max(-Number.MAX_VALUE, value));
}

/** Where a value lies from `low`, 0, to `high`, 1. Halves, because the largest numbers are further apart than a number can say. */
export function placeOf(value: number, low: number, high: number): number {
  return (value / 2 - low / 2) / (high / 2 - low / 2);
}

/** Where `n` classes of equal count part, rounded up to two significant digits; sorted, without repeats. */
export function quantileBreaks(values: number[], n: number): number[] {
  const sorted = values.filter((v) => v > 0).sort((a, b) => a - b);
  if (sorted.length === 0) return [];
  const breaks = [];
  for (let i = 1; i < n; i++) {
    breaks.push(roundUp(sorted[Math.min(sorted.length - 1, Math.floor((i * sorted.length) / n))]!));
  }
  const most = sorted[sorted.length - 1]!;
  return [...new Set(breaks)].filter((b) => b < most);
}

/** Two significant digits, never less than the value. */
function roundUp(value: number): number {
  const unit = 10 ** (Math.floor(Math.log10(value)) - 1);
  return Number((Math.ceil(value / unit - 1e-9) * unit).toPrecision(2));
}

/** The class of a value among breaks: 0 below or at the first. */
export function classOf(value: number, breaks: number[]): number {
  let i = 0;
  while (i < breaks.length && value > breaks[i]!) i += 1;
  return i;
}
