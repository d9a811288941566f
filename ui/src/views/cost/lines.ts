// What a line of code took, as words.

import type { Range } from '../../generated/api';
import { coreTime } from '../../format/duration';

/** `≈ 3.1 core-h`, or with the error `2.9–3.3 core-h`. */
export function timeRange({ low, high }: Range): string {
  const [a, b] = [coreTime(low), coreTime(high)];
  if (a === b) return `≈ ${b}`;
  const unit = b.slice(b.indexOf(' '));
  // In one unit, so that the ends can be compared.
  const size = unit === ' core-h' ? 3600 : unit === ' core-min' ? 60 : 1;
  const text = (n: number) => (n / size).toFixed(high / size < 10 ? 2 : 1);
  return `${text(low)}–${text(high)}${unit}`;
}
