// A difference in words.

import type { FlameChange, FlameMeasure } from '../../generated/api';
import { coreTime, duration } from '../../format/duration';
import { percent } from './labels';

export const measureWords: Record<FlameMeasure, string> = { shares: 'shares of time', seconds: 'time', seconds_per_task: 'time per task' };

export const changeWords: Record<FlameChange, string> = {
  more_time: 'takes more time',
  less_time: 'takes less time',
  same: 'about the same',
  new: 'new: only in the later one',
  vanished: 'gone: only in the earlier one',
};

/** A figure in the unit of the measure. */
export function sayMeasure(measure: FlameMeasure, value: number): string {
  if (measure === 'shares') return percent(value);
  return measure === 'seconds' ? coreTime(value) : duration(value);
}

/** A difference with its sign: `+ 4.2 points`, `− 12.0 core-s`. */
export function sayChange(measure: FlameMeasure, before: number, after: number): string {
  const by = after - before;
  const sign = by > 0 ? '+ ' : by < 0 ? '− ' : '± ';
  const size = Math.abs(by);
  if (measure === 'shares') return `${sign}${(size * 100).toFixed(1)} points`;
  return `${sign}${sayMeasure(measure, size)}`;
}
