// The chosen part of a cluster's time, in words.

import { duration } from '../../format/duration';
import { clock, date } from '../../format/time';

/** `14:02:10.250`: to the millisecond, as charts are drawn finer than seconds. */
export function fineClock(micros: number): string {
  return `${clock(micros)}.${String(Math.floor((micros % 1e6) / 1000)).padStart(3, '0')}`;
}

/** `14 Nov 2026, 14:02:10 – 14:03:00, 50.0 s`; the day once where it is one, and milliseconds where they matter. */
export function windowWords(from: number, to: number, exactly = to - from < 10e6): string {
  const at = exactly ? fineClock : clock;
  const days = [date(from), date(to)];
  const end = days[0] === days[1] ? at(to) : `${days[1]}, ${at(to)}`;
  return `${days[0]}, ${at(from)} – ${end}, ${duration((to - from) / 1e6)}`;
}
