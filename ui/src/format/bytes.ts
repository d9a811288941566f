// Bytes in binary units: 1 KiB = 1,024 bytes, as Dask itself prints them.

import { count, fixed, none } from './number';

const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'] as const;

/** The unit in which this many bytes are read best. */
function stepOf(bytes: number): number {
  let step = 0;
  for (let size = Math.abs(bytes); size >= 1024 && step < units.length - 1; size /= 1024) step += 1;
  return step;
}

/** A figure and its unit apart, for columns and large type. */
export function bytesParts(bytes: number): { value: string; unit: string } {
  let step = stepOf(bytes);
  let size = bytes / 1024 ** step;
  // 1,023.6 MiB would be printed as 1024 MiB.
  if (Math.abs(size) >= 1023.5 && step > 0 && step < units.length - 1) {
    step += 1;
    size /= 1024;
  }
  if (step === 0) return { value: count(bytes), unit: 'B' };
  const digits = Math.abs(size) < 10 ? 2 : Math.abs(size) < 100 ? 1 : 0;
  return { value: fixed(size, digits), unit: units[step]! };
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
