// Bytes in binary units, 1 KiB = 1,024 bytes, as Dask itself prints them; or in thousands, as a reader may choose.

import { chosen, type UnitSystem } from './chosen.svelte';
import { count, fixed, none } from './number';

const systems: Record<UnitSystem, { base: number; names: readonly string[] }> = {
  binary: { base: 1024, names: ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'] },
  decimal: { base: 1000, names: ['B', 'kB', 'MB', 'GB', 'TB', 'PB'] },
};

/** What units are called, each so many times the one before. */
export const byteUnits = () => systems[chosen.units];

/** The unit in which this many bytes are read best. */
function stepOf(bytes: number): number {
  const { base, names } = byteUnits();
  let step = 0;
  for (let size = Math.abs(bytes); size >= base && step < names.length - 1; size /= base) step += 1;
  return step;
}

/** A figure and its unit apart, for columns and large type. */
export function bytesParts(bytes: number): { value: string; unit: string } {
  const { base, names } = byteUnits();
  let step = stepOf(bytes);
  let size = bytes / base ** step;
  // 1,023.6 MiB would be printed as 1024 MiB.
  if (Math.abs(size) >= base - 0.5 && step > 0 && step < names.length - 1) {
    step += 1;
    size /= base;
  }
  if (step === 0) return { value: count(bytes), unit: 'B' };
  const digits = Math.abs(size) < 10 ? 2 : Math.abs(size) < 100 ? 1 : 0;
  return { value: fixed(size, digits), unit: names[step]! };
}

/** `1.50 GiB`. */
export function bytes(n: number | null | undefined): string {
  if (n == null) return none;
  const { value, unit } = bytesParts(n);
  return `${value} ${unit}`;
}

/** For the hover: the figure that was rounded. */
export function exactBytes(n: number | null | undefined): string {
  return n == null ? 'not available' : `${count(n)} bytes`;
}
