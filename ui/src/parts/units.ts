// Values of a chart in words, by their unit.

import { bytes } from '../format/bytes';
import { bytesColumn, type ColumnUnit } from '../format/column';
import { count, fixed, none, plain, real, round } from '../format/number';

export type Unit = 'count' | 'mean' | 'real' | 'bytes' | 'bytes_per_s' | 'percent' | 'ms';

/** One digit below ten, and small is not none. */
function share(n: number): string {
  const size = Math.abs(n);
  if (size < 1e-6) return '0';
  if (size < 0.05) return n < 0 ? '> -0.1' : '< 0.1';
  return size < 9.95 ? fixed(n, 1) : count(Math.round(n));
}

const says: Record<Unit, (value: number) => string> = {
  count,
  mean: plain,
  real,
  bytes,
  bytes_per_s: (n) => `${bytes(n)}/s`,
  percent: (n) => `${share(n)} %`,
  ms: (n) => `${plain(n)} ms`,
};

export function sayValue(unit: Unit, value: number | null | undefined): string {
  return value == null ? none : says[unit](value);
}

/** How values are said below each other: the unit once, by the largest of them. */
export function columnOf(unit: Unit, most: number): ColumnUnit {
  const say = (of: (value: number) => string) => (value: number | null) => (value === null ? none : of(value));
  switch (unit) {
    case 'bytes':
      return bytesColumn(most);
    case 'bytes_per_s': {
      const column = bytesColumn(most);
      return { ...column, unit: `${column.unit}/s` };
    }
    case 'percent':
      return { unit: '%', say: say(share) };
    case 'ms':
      return { unit: 'ms', say: say(plain) };
    default:
      return { unit: '', say: say(says[unit]) };
  }
}

/** Ticks are round: their bytes need no digits after the point. */
export function sayTick(unit: Unit, value: number): string {
  if (unit === 'real') return round(value);
  return says[unit](value).replace(/\.0+ (?=\D)/, ' ');
}

/** By which numbers the axis is divided. */
export function ticksOf(unit: Unit): 'count' | 'real' | 'bytes' {
  if (unit === 'real') return unit;
  return unit === 'bytes' || unit === 'bytes_per_s' ? 'bytes' : 'count';
}
