// The chosen part of a cluster's time, in words.

import { duration } from '../../format/duration';
import { clock, date } from '../../format/time';

/** `14:02:10.250`: to the millisecond, as charts are drawn finer than seconds. */
export function fineClock(micros: number): string {
  return `${clock(micros)}.${String(Math.floor((micros % 1e6) / 1000)).padStart(3, '0')}`;
}

/** `14 Nov 2026, 14:02:10.250 – 14:03:00.000, 49.8 s`; the day once where it is one. */
export function windowWords(from: number, to: number): string {
  const days = [date(from), date(to)];
  const end = days[0] === days[1] ? fineClock(to) : `${days[1]}, ${fineClock(to)}`;
  return `${days[0]}, ${fineClock(from)} – ${end}, ${duration((to - from) / 1e6)}`;
}
