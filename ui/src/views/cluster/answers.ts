// The questions that a person comes with, each answered in a sentence with a number.

import type { Cluster, ClusterCost } from '../../generated/api';
import { bytes } from '../../format/bytes';
import { age, coreTime, duration, shortDuration } from '../../format/duration';
import { money } from '../../format/money';
import { count, none, plural, ratio, share } from '../../format/number';
import { dateTime, shortClock } from '../../format/time';
import { activities, stateTotal, statesDone } from '../../parts/series';
import type { Tab } from '../../state/route';

export interface Said {
  question: string;
  answer: string;
  /** The figures behind the answer. */
  because: string;
  tone: 'calm' | 'good' | 'warn' | 'stalled' | 'bad';
  /** Where the proof is. */
  tab: Tab | null;
}

/** What was asked besides; null where the answer is not here yet. */
export interface Known {
  /** How often a worker went without being asked to. */
  lost: number | null;
  /** Left out where nothing is told of money. */
  cost?: ClusterCost | null;
}

export function answers({ row, seconds, largest, facts }: Cluster, { lost, cost }: Known, now: number): Said[] {
  return [
    finished(row, facts.stop_reason, now),
    failed(row, lost ?? 0),
    ...(cost === undefined ? [] : [costs(cost)]),
    longest(largest),
    busy(row, seconds, facts),
  ];
}

/** A map, since a reason comes from outside and may be called `constructor`. */
const reasons = new Map([
  ['closed', 'closed by its owner'],
  ['idle_timeout', 'stopped after its idle timeout'],
  ['remote_close', 'closed from Bobbin'],
  ['exit', 'its process ended'],
  ['end_of_file', 'the file ends here'],
]);

function finished(row: Cluster['row'], reason: string | null, now: number): Said {
  const question = row.state === 'running' || row.state === 'stalled' || row.state === 'idle' ? 'Why is it still running?' : 'Did it finish?';
  const all = stateTotal(row.tasks);
  const open = all - statesDone(row.tasks);
  const seconds = ((row.stopped_micros ?? now) - row.started_micros) / 1e6;
  const length = row.stopped_micros === null ? age(seconds) : duration(seconds);
  const done = `${plural(row.tasks_completed, 'task')} finished`;
  switch (row.state) {
    case 'running':
      return {
        question,
        answer:
          open > 0
            ? `${plural(open, 'task')} of ${count(all)} to go`
            : row.tasks_completed === 0
              ? 'It has had no work yet'
              : 'All its tasks are finished',
        because: row.tasks_completed === 0 ? `connected for ${length}` : `${done} in ${length} so far`,
        tone: 'good',
        tab: 'groups',
      };
    case 'stalled':
      return {
        question,
        answer: row.since_completed_micros === null ? 'It is stalled: no task has ever finished' : `It is stalled: no task finished for ${shortDuration(row.since_completed_micros / 1e6)}`,
        because: `${plural(row.tasks['processing'] ?? 0, 'task')} on workers, ${count(open)} of ${count(all)} to go`,
        tone: 'stalled',
        tab: 'groups',
      };
    case 'idle':
      return {
        question,
        answer:
          row.idle_since_micros === null
            ? 'Nothing to do, and still up'
            : `Nothing to do for ${shortDuration((now - row.idle_since_micros) / 1e6)}, and still up`,
        because: `${done}; it holds ${plural(row.workers, 'worker')} with ${plural(row.threads, 'thread')}`,
        tone: 'warn',
        tab: 'workers',
      };
    case 'finished':
      return {
        question,
        answer: open === 0 ? `Yes, after ${length}` : `It ended after ${length} with ${plural(open, 'task')} unfinished`,
        because: `${done}; ${reasons.get(reason ?? '') ?? reason ?? 'no reason given'}`,
        tone: open === 0 ? 'good' : 'warn',
        tab: 'groups',
      };
    case 'lost':
      return {
        question,
        answer: `Unknown: last report ${shortClock(row.last_heard_micros)}, the scheduler may have died`,
        because: `${done} until ${dateTime(row.last_heard_micros)}; ${plural(open, 'task')} unfinished then`,
        tone: 'bad',
        tab: 'groups',
      };
  }
}

function failed(row: Cluster['row'], lost: number): Said {
  const question = 'Did anything fail?';
  if (row.exceptions === 0 && row.tasks_erred === 0) {
    const because = `${plural(row.tasks_completed, 'task')} finished`;
    if (lost > 0) return { question, answer: `${plural(lost, 'worker')} lost, but no exceptions`, because, tone: 'bad', tab: 'workers' };
    // What nobody heard the end of, or what hangs, is not well for want of an exception.
    const well = row.tasks_completed > 0 && row.state !== 'lost' && row.state !== 'stalled';
    return { question, answer: well || row.tasks_completed === 0 ? 'No exceptions' : 'No exceptions reported', because, tone: well ? 'good' : 'calm', tab: null };
  }
  const kinds = plural(row.exceptions, 'kind of exception', 'kinds of exception');
  return {
    question,
    answer: row.tasks_erred === 0 ? kinds : `${kinds} in ${plural(row.tasks_erred, 'failed task')}`,
    because: 'tasks that depend on them are not counted',
    tone: 'bad',
    tab: 'exceptions',
  };
}

function costs(known: ClusterCost | null): Said {
  const question = 'What did it cost?';
  const said = (answer: string, because: string, tone: Said['tone'] = 'calm'): Said => ({ question, answer, because, tone, tab: 'cost' });
  if (known === null) return said(none, '');
  if (known.thread_micros === 0) return said('Nothing to price yet', 'no worker threads have been reported');
  const { cost, an_hour } = known;
  if (cost === null) return said('Unknown: no price applies', `${coreTime(known.thread_micros / 1e6)} of cluster time`, 'warn');
  const stalled = known.operations.some(({ operation }) => operation.is === 'stalled');
  const idle = ratio(cost.idle.high_nanos, cost.total.high_nanos);
  return said(
    `≈ ${money(cost.total, cost.currency)}`,
    [idle === null ? '' : `${share(idle)} of it for ${stalled ? 'idle and stalled' : 'idle'} threads`, an_hour === null ? '' : `it is costing ${money(an_hour, cost.currency)} an hour`].filter((part) => part !== '').join('; '),
    (idle ?? 0) > 0.5 ? 'warn' : 'calm',
  );
}

function longest(largest: Cluster['largest']): Said {
  const question = 'What took the most time?';
  if (largest === null) return { question, answer: 'Unknown', because: 'no task has finished', tone: 'calm', tab: null };
  return {
    question,
    answer: `${largest.prefix}: ${share(largest.share)}`,
    because: `of compute time: ${coreTime(largest.compute_seconds)} in ${plural(largest.tasks, 'task')}`,
    tone: 'calm',
    tab: 'groups',
  };
}

function busy(row: Cluster['row'], seconds: Cluster['seconds'], facts: Cluster['facts']): Said {
  const question = 'Was it busy?';
  const part = ratio(row.compute_seconds, row.thread_seconds);
  if (part === null) return { question, answer: 'Unknown', because: row.stopped_micros === null ? 'no cluster time yet' : 'no cluster time was recorded', tone: 'calm', tab: null };
  const rest = activities
    .filter(({ key }) => key !== 'compute' && seconds[key] > 0)
    .sort((a, b) => seconds[b.key] - seconds[a.key])[0];
  // The limit is that of the last sample: it is the peak's too only while all workers are there.
  const limit = row.workers === row.workers_peak && (row.memory_limit_bytes ?? 0) >= (row.memory_peak_bytes ?? 0) ? row.memory_limit_bytes : null;
  const memory = row.memory_peak_bytes === null ? '' : `; at most ${bytes(row.memory_peak_bytes)} of ${limit ? `${bytes(limit)} ` : ''}memory`;
  return {
    question,
    answer: `${share(part)} of cluster time`,
    because: `computed ${coreTime(row.compute_seconds)} of ${coreTime(row.thread_seconds)}${
      rest === undefined ? '' : `; ${rest.label.toLowerCase()} ${coreTime(seconds[rest.key])}`
    }${memory}`,
    tone: part < 0.2 ? 'warn' : 'calm',
    // What workers did all the time is measured by themselves; else there is the time of groups.
    tab: facts.unavailable.includes('metrics') ? 'groups' : 'activity',
  };
}
