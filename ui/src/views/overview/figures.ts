// The overview's figures: what is counted, in which unit, how it changed, and by which formula.

import type { UsageSeries, UsageTotals } from '../../generated/api';
import { bytesParts, exactBytes } from '../../format/bytes';
import { coreParts, exactCoreTime } from '../../format/duration';
import { exactMoney, money, moneyParts } from '../../format/money';
import { count, countParts, none, ratio, share } from '../../format/number';

export interface Figure {
  key: string;
  label: string;
  value: string;
  unit: string;
  /** Unrounded, for the hover. */
  exact: string;
  /** What it means and how it is counted. */
  means: string;
  /** The figure as a number, to compare periods; null where it is not known. */
  size: number | null;
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
      size: totals.thread_seconds,
      series: 'thread_seconds',
    },
    {
      key: 'compute_seconds',
      label: 'Compute time',
      ...coreParts(totals.compute_seconds),
      exact: exactCoreTime(totals.compute_seconds),
      means: 'Time threads spent in your functions.',
      size: totals.compute_seconds,
      series: 'compute_seconds',
    },
    {
      key: 'cost',
      label: 'Cost',
      ...(cost === null ? { value: none, unit: '' } : moneyParts(cost.total, cost.currency)),
      exact: cost === null ? '' : exactMoney(cost.total, cost.currency),
      means: cost === null ? 'No price applied to this usage.' : `An estimate, from the lowest to the highest the price allows. ${cost.words}.`,
      size: cost === null ? null : (cost.total.low_nanos + cost.total.high_nanos) / 2e9,
      series: 'cost',
      worse: true,
    },
    {
      key: 'idle_cost',
      label: 'Idle cost',
      ...(cost === null ? { value: none, unit: '' } : moneyParts(cost.idle, cost.currency)),
      exact: cost === null ? '' : exactMoney(cost.idle, cost.currency),
      means: `The part of the cost spent on threads that had nothing to do.${cost === null || cost.stalled.high_nanos === 0 ? '' : ` Stalled threads cost another ${money(cost.stalled, cost.currency)}.`}`,
      size: cost === null ? null : (cost.idle.low_nanos + cost.idle.high_nanos) / 2e9,
      series: 'idle_cost',
      worse: true,
    },
    {
      key: 'tasks_completed',
      label: 'Tasks',
      ...countParts(totals.tasks_completed),
      exact: count(totals.tasks_completed),
      means: 'Tasks that finished.',
      size: totals.tasks_completed,
      series: 'tasks_completed',
    },
    {
      key: 'tasks_erred',
      label: 'Erred tasks',
      ...countParts(totals.tasks_erred),
      exact: count(totals.tasks_erred),
      means: 'Tasks that erred themselves, not because a task they needed did.',
      size: totals.tasks_erred,
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
      size: totals.workers_peak,
      series: 'workers_peak',
    },
    {
      key: 'result_bytes',
      label: 'Data',
      ...bytesParts(totals.result_bytes),
      exact: exactBytes(totals.result_bytes),
      means: 'In-memory size of all task results. 1 GiB = 1,024 MiB.',
      size: totals.result_bytes,
      series: 'result_bytes',
    },
    {
      key: 'efficiency',
      label: 'Efficiency',
      value: share(ratio(totals.compute_seconds, totals.thread_seconds)),
      unit: '',
      exact: '',
      means: 'Compute time ÷ (threads × up-time). The rest, up to 100 %, is idle or stalled time, data transfer, disk and overhead.',
      size: null,
      series: null,
    },
    {
      key: 'clusters',
      label: 'Clusters',
      value: count(totals.clusters),
      unit: '',
      exact: '',
      means: 'Clusters that reported.',
      size: totals.clusters,
      series: 'clusters',
    },
  ];
}

export interface Trend {
  /** `+12 %`, `3.4 times`, `new`, `as before`. */
  words: string;
  way: 'up' | 'down' | 'level';
}

/** How a figure changed; null where one of the two is not known. */
export function trend(now: number | null, before: number | null): Trend | null {
  if (now === null || before === null) return null;
  if (before === 0) return now === 0 ? null : { words: 'none before', way: 'up' };
  const change = now / before - 1;
  if (Math.abs(change) < 0.005) return { words: 'no change', way: 'level' };
  const way = change > 0 ? 'up' : 'down';
  if (change >= 2) return { words: `${change >= 99 ? '> 100' : (change + 1).toFixed(1)} times`, way };
  return { words: `${change > 0 ? '+' : '−'}${Math.max(1, Math.round(Math.abs(change) * 100))} %`, way };
}

/** How efficiency changed, in points of a hundred. */
export function points(now: UsageTotals, before: UsageTotals): Trend | null {
  const [a, b] = [now, before].map((totals) => ratio(totals.compute_seconds, totals.thread_seconds));
  if (a == null || b == null) return null;
  const change = Math.round(a * 100) - Math.round(b * 100);
  if (change === 0) return { words: 'no change', way: 'level' };
  return { words: `${change > 0 ? '+' : '−'}${Math.abs(change)} points`, way: change > 0 ? 'up' : 'down' };
}
