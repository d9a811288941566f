// Numbers to words. The locale is named, never taken from the browser: units and digits read alike everywhere.

const whole = new Intl.NumberFormat('en-GB', { maximumFractionDigits: 0 });
const cache = new Map<number, Intl.NumberFormat>();

/** From here on digits are no longer written out: some numbers have three hundred of them. */
const longest = 1e21;

/** `1e+300`. Not by way of a rounded number: beside the largest there is none. */
function short(n: number): string {
  return n.toExponential(2).replace(/\.?0+e/, 'e');
}

/** What stands where a figure is not available: never zero. */
export const none = '–';

/** `1,234`; a huge one is short. */
export function count(n: number | null | undefined): string {
  if (n == null) return none;
  return Math.abs(n) < longest ? whole.format(n) : short(n);
}

/** For large type: up to seven digits in full, then in millions. */
export function countParts(n: number): { value: string; unit: string } {
  if (n < 10_000_000) return { value: count(n), unit: '' };
  if (n < 9_995_000_000) return { value: three(n / 1e6), unit: 'million' };
  return { value: three(n / 1e9), unit: 'billion' };
}

/** With exactly so many digits after the point: `1,234.50`; a huge one is short. */
export function fixed(n: number, digits: number): string {
  if (Math.abs(n) >= longest) return short(n);
  let format = cache.get(digits);
  if (format === undefined) {
    format = new Intl.NumberFormat('en-GB', { minimumFractionDigits: digits, maximumFractionDigits: digits });
    cache.set(digits, format);
  }
  return format.format(n);
}

/** Three significant digits, as a column reads them: `0.42`, `9.41`, `12.4`, `1,234`. */
export function three(n: number): string {
  const size = Math.abs(n);
  if (size === 0) return '0';
  if (size < 10) return fixed(n, 2);
  if (size < 100) return fixed(n, 1);
  return fixed(n, 0);
}

/** A whole number as it is, any other in three digits. Means that are whole but for the last digits of a division are whole. */
export function plain(n: number): string {
  return Math.abs(n - Math.round(n)) < 0.0005 ? count(Math.round(n)) : three(n);
}

/** As `plain`, but what is small is not none: `0.0003`. */
export function real(n: number): string {
  return n !== 0 && Math.abs(n) < 0.01 ? String(Number(n.toPrecision(3))) : plain(n);
}

/** A round number in all its digits: `0.015`, `2.5`, `1,500`; a huge one as `real`. */
export function round(n: number): string {
  return Math.abs(n) < 1000 ? String(Number(n.toPrecision(3))) : real(n);
}

/** A share of one as `38 %`; `< 1 %` and `> 99 %` where rounding would say none or all. */
export function share(x: number | null): string {
  if (x === null || !Number.isFinite(x)) return none;
  if (x > 0 && x < 0.01) return '< 1 %';
  if (x > 0.99 && x < 1) return '> 99 %';
  return `${Math.round(x * 100)} %`;
}

/** `42–61 %`; one figure where both ends read alike, and no `0` for what is more than nothing, nor `100` for what is less than all. */
export function shareRange({ low, high }: { low: number; high: number }): string {
  const all = share(high);
  if (share(low) === all || high < 0.01) return all;
  const begin = share(low).replace(/ %$/, '');
  return `${begin}–${high > 0.99 && high < 1 ? share(1) : all}`;
}

/** `part ÷ whole`, or null where there is no whole. */
export function ratio(part: number, of: number): number | null {
  return of > 0 ? part / of : null;
}

/** `1 task`, `2 tasks`. */
export function plural(n: number, one: string, more = `${one}s`): string {
  return `${count(n)} ${n === 1 ? one : more}`;
}
