// Money: always a range, in the currency of the price book. What is shown has two digits that mean something.

import type { Money } from '../generated/api';
import { fixed, none } from './number';

/** Digits after the point, so that `size` has two that mean something. */
function digitsOf(size: number): number {
  if (size === 0 || size >= 1000) return 0;
  return size >= 0.1 ? 2 : Math.min(9, 1 - Math.floor(Math.log10(size)));
}

const known = new Map([
  ['EUR', '€'],
  ['USD', '$'],
  ['GBP', '£'],
]);

/** `€`; a currency without a sign is its code. */
export function currencySign(currency: string): string {
  return known.get(currency) ?? currency;
}

/** `0.42–0.61` and its unit apart, for columns and large type. */
export function moneyParts(money: Money, currency: string): { value: string; unit: string } {
  const [low, high] = [money.low_nanos / 1e9, money.high_nanos / 1e9];
  const digits = digitsOf(high);
  const [a, b] = [fixed(low, digits), fixed(high, digits)];
  return { value: a === b ? b : `${a}–${b}`, unit: currencySign(currency) };
}

/** `0.42–0.61 €`. */
export function money(amount: Money | null | undefined, currency: string): string {
  if (amount == null) return none;
  const { value, unit } = moneyParts(amount, currency);
  return `${value} ${unit}`;
}

/** One figure: the middle of a range. */
export function middle(amount: number | null | undefined, currency: string): string {
  return amount == null ? none : `${fixed(amount, digitsOf(Math.abs(amount)))} ${currencySign(currency)}`;
}

/** For the hover: the figures that were rounded. */
export function exactMoney(amount: Money, currency: string): string {
  return `${fixed(amount.low_nanos / 1e9, 9)} to ${fixed(amount.high_nanos / 1e9, 9)} ${currency}`;
}
