// The overview's figures: what is counted, in which unit, and by which formula.

import type { UsageTotals } from '../../generated/api';
import { bytesParts, exactBytes } from '../../format/bytes';
import { coreParts, exactCoreTime } from '../../format/duration';
import { count, countParts, ratio, share } from '../../format/number';

export interface Figure {
  key: string;
  label: string;
  value: string;
  unit: string;
  /** Unrounded, for the hover. */
  exact: string;
  /** What it means and how it is counted. */
  means: string;
  bad?: boolean;
}

export function figures(totals: UsageTotals): Figure[] {
  const time = coreParts(totals.thread_seconds);
  const compute = coreParts(totals.compute_seconds);
  const data = bytesParts(totals.result_bytes);
  return [
    {
      key: 'thread_seconds',
      label: 'Cluster time',
      ...time,
      exact: exactCoreTime(totals.thread_seconds),
      means: 'Threads × time that clusters were up, idleness included. One thread for one hour is one core-hour.',
    },
    {
      key: 'compute_seconds',
      label: 'Compute time',
      ...compute,
      exact: exactCoreTime(totals.compute_seconds),
      means: 'Time that threads spent in your functions.',
    },
    {
      key: 'efficiency',
      label: 'Efficiency',
      value: share(ratio(totals.compute_seconds, totals.thread_seconds)),
      unit: '',
      exact: '',
      means: 'Compute time ÷ cluster time. What is missing to 100 % is idleness, data transfer, disk and overhead.',
    },
    {
      key: 'tasks_completed',
      label: 'Tasks',
      ...countParts(totals.tasks_completed),
      exact: count(totals.tasks_completed),
      means: 'Tasks that finished.',
    },
    {
      key: 'tasks_erred',
      label: 'Failed tasks',
      ...countParts(totals.tasks_erred),
      exact: count(totals.tasks_erred),
      means: 'Tasks that erred of themselves, not because one that they needed did.',
      bad: totals.tasks_erred > 0,
    },
    {
      key: 'workers_peak',
      label: 'Workers, peak',
      value: count(totals.workers_peak),
      unit: '',
      exact: '',
      means: 'The most workers that any one cluster had at once.',
    },
    {
      key: 'result_bytes',
      label: 'Data',
      ...data,
      exact: exactBytes(totals.result_bytes),
      means: 'Size in memory of all results that tasks made. 1 GiB = 1,024 MiB.',
    },
    {
      key: 'clusters',
      label: 'Clusters',
      value: count(totals.clusters),
      unit: '',
      exact: '',
      means: 'Clusters that reported.',
    },
  ];
}
