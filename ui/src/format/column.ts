// One unit down a column: the largest value chooses it, the head of the column says it.

import type { Money } from '../generated/api';
import { byteUnits } from './bytes';
import { currencySign } from './money';
import { fixed, none } from './number';

export interface ColumnUnit {
  unit: string;
  say: (value: number | null) => string;
}

function inUnit(unit: string, size: number, most: number): ColumnUnit {
  // The largest value says how many digits all have, so that points stand below each other.
  const digits = most / size < 1000 ? 2 : 0;
  const least = 10 ** -digits;
  return {
    unit,
    say: (value) => {
      if (value === null) return none;
      const n = value / size;
      if (n > 0 && n < least / 2) return `< ${least}`;
      return fixed(n, n === 0 ? 0 : digits);
    },
  };
}

/** Time of threads. */
export function coreColumn(most: number): ColumnUnit {
  if (most < 600) return inUnit('core-s', 1, most);
  return most < 36_000 ? inUnit('core-min', 60, most) : inUnit('core-h', 3600, most);
}

/** Money, from at least to at most: digits by the dearest, down to tenths of a thousandth; `finer` where the dearest is the sum of the others. */
export function moneyColumn(most: Money | null, currency: string, finer = 0): { unit: string; say: (amount: Money | null) => string } {
  const high = (most?.high_nanos ?? 0) / 1e9;
  const digits = high >= 1000 ? 0 : finer + (high >= 0.1 || high === 0 ? 2 : high >= 0.01 ? 3 : 4);
  const least = 10 ** -digits;
  return {
    unit: `≈ ${currencySign(currency)}`,
    say: (amount) => {
      if (amount === null) return none;
      const [a, b] = [fixed(amount.low_nanos / 1e9, digits), fixed(amount.high_nanos / 1e9, digits)];
      const below = `< ${least.toFixed(digits)}`;
      if (amount.high_nanos > 0 && amount.high_nanos / 1e9 < least / 2) return below;
      if (a === b) return b;
      // Nothing that was paid is a zero.
      return `${amount.low_nanos > 0 && amount.low_nanos / 1e9 < least / 2 ? below : a}–${b}`;
    },
  };
}

export function bytesColumn(most: number): ColumnUnit {
  const { base, names } = byteUnits();
  const step = [1, 2, 3].find((step) => most < base ** (step + 1)) ?? 4;
  return inUnit(names[step]!, base ** step, most);
}
