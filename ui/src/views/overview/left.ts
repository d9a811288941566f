// When a cluster will be through, in words.

import type { TimeLeft } from '../../generated/api';
import { shortDuration } from '../../format/duration';
import { plural } from '../../format/number';

/** `≈ 4 to 9 min left`; one figure where both ends are told alike. */
export function leftWords({ low_seconds, high_seconds }: TimeLeft): string {
  const [low, high] = [shortDuration(low_seconds), shortDuration(high_seconds)];
  const unit = / \D+$/.exec(high)?.[0] ?? '';
  const from = unit !== '' && low.endsWith(unit) ? low.slice(0, -unit.length) : low;
  return low === high ? `≈ ${high} left` : `≈ ${from} to ${high} left`;
}

export function leftMeans({ tasks }: TimeLeft): string {
  return `For the ${plural(tasks, 'task')} left, from how long tasks of their groups took. The low end assumes that all threads compute, the high end as many as computed in the last samples. Tasks submitted later are not included.`;
}
