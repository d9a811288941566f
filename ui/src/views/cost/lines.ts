// What lines of code took, as words.

import type { LineCosts, Range } from '../../generated/api';
import type { ColumnUnit } from '../../format/column';

/** `3.1`, or with the error `2.9–3.3`, in the unit of its column. */
export function timeRange({ low, high }: Range, unit: ColumnUnit): string {
  const [a, b] = [unit.say(low), unit.say(high)];
  return a === b ? b : `${a}–${b}`;
}

/** Of profiles without samples by line, it is functions that have a price. */
export function headingOf(lines: LineCosts | null): string {
  return lines === null || lines.by_line || lines.rows.length === 0 ? 'Most expensive lines of code' : 'Most expensive functions';
}
