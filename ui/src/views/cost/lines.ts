// What a line of code took, as words.

import type { Range } from '../../generated/api';
import type { ColumnUnit } from '../../format/column';

/** `3.1`, or with the error `2.9–3.3`, in the unit of its column. */
export function timeRange({ low, high }: Range, unit: ColumnUnit): string {
  const [a, b] = [unit.say(low), unit.say(high)];
  return a === b ? b : `${a}–${b}`;
}
