// The overview's figures: what is counted, in which unit, and by which formula.

import type { UsageSeries, UsageTotals, UsageTrends } from '../../generated/api';
import { bytesParts, exactBytes } from '../../format/bytes';
import { coreParts, exactCoreTime } from '../../format/duration';
import { exactMoney, money, moneyParts } from '../../format/money';
import { count, countParts, none, share } from '../../format/number';

export interface Figure {
  key: keyof UsageTrends;
  label: string;
  value: string;
  unit: string;
  /** Unrounded, for the hover. */
  exact: string;
  /** What it means and how it is counted. */
  means: string;
  /** What of the series it is. */
  series: keyof UsageSeries | null;
  /** More of it is worse. */
  worse?: boolean;
  bad?: boolean;
}

export function figures(totals: UsageTotals): Figure[] {
  const { cost } = totals;
  return [
    {
      key: 'thread_seconds',
      label: 'Cluster time',
      ...coreParts(totals.thread_seconds),
      exact: exactCoreTime(totals.thread_seconds),
      means: 'Threads × the time clusters were up, idle time included. One thread for one hour is one core-hour.',
      series: 'thread_seconds',
    },
    {
      key: 'compute_seconds',
      label: 'Compute time',
      ...coreParts(totals.compute_seconds),
      exact: exactCoreTime(totals.compute_seconds),
      means: 'Time threads spent in your functions.',
      series: 'compute_seconds',
    },
    {
      key: 'cost',
      label: 'Cost',
      ...(cost === null ? { value: none, unit: '' } : moneyParts(cost.total, cost.currency)),
      exact: cost === null ? '' : exactMoney(cost.total, cost.currency),
      means: cost === null ? 'No price applied to this usage.' : `An estimate, from the lowest to the highest the price allows. ${cost.words}.`,
      series: 'cost',
      worse: true,
    },
    {
      key: 'idle_cost',
      label: 'Idle cost',
      ...(cost === null ? { value: none, unit: '' } : moneyParts(cost.idle, cost.currency)),
      exact: cost === null ? '' : exactMoney(cost.idle, cost.currency),
      means: `The part of the cost spent on threads that had nothing to do.${cost === null || cost.stalled.high_nanos === 0 ? '' : ` Stalled threads cost another ${money(cost.stalled, cost.currency)}.`}`,
      series: 'idle_cost',
      worse: true,
    },
    {
      key: 'tasks_completed',
      label: 'Tasks',
      ...countParts(totals.tasks_completed),
      exact: count(totals.tasks_completed),
      means: 'Tasks that finished.',
      series: 'tasks_completed',
    },
    {
      key: 'tasks_erred',
      label: 'Erred tasks',
      ...countParts(totals.tasks_erred),
      exact: count(totals.tasks_erred),
      means: 'Tasks that erred themselves, not because a task they needed did.',
      series: 'tasks_erred',
      worse: true,
      bad: totals.tasks_erred > 0,
    },
    {
      key: 'workers_peak',
      label: 'Workers, peak',
      value: count(totals.workers_peak),
      unit: '',
      exact: '',
      means: 'The most workers any one cluster had at once.',
      series: 'workers_peak',
    },
    {
      key: 'result_bytes',
      label: 'Data',
      ...bytesParts(totals.result_bytes),
      exact: exactBytes(totals.result_bytes),
      means: 'In-memory size of all task results. 1 GiB = 1,024 MiB.',
      series: 'result_bytes',
    },
    {
      key: 'efficiency',
      label: 'Efficiency',
      value: share(totals.efficiency),
      unit: '',
      exact: '',
      means: 'Compute time ÷ (threads × up-time). The rest, up to 100 %, is idle or stalled time, data transfer, disk and overhead.',
      series: null,
    },
    {
      key: 'clusters',
      label: 'Clusters',
      value: count(totals.clusters),
      unit: '',
      exact: '',
      means: 'Clusters that reported.',
      series: 'clusters',
    },
  ];
}
