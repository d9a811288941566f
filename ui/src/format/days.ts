// Local days, of the reader's zone: which one a moment lies in, and when one begins.

import type { Micros } from '../generated/api';
import { moment, wall } from './zone';

/** The local day of a moment, `YYYY-MM-DD`. */
export function localDay(micros: Micros): string {
  return wall(micros).toISOString().slice(0, 10);
}

/** When a local day begins. */
export function dayBegins(day: string): Micros {
  const [y, m, d] = day.split('-').map(Number) as [number, number, number];
  return moment(y, m - 1, d);
}

/** The local day so many days later. */
export function dayLater(day: string, days: number): string {
  const [y, m, d] = day.split('-').map(Number) as [number, number, number];
  // Noon is on its day however the clocks change.
  return localDay(moment(y, m - 1, d + days, 12));
}
