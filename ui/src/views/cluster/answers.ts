// The questions that a person comes with, each answered in a sentence with a number.

import type { Cluster, TaskGroupRow } from '../../generated/api';
import { bytes } from '../../format/bytes';
import { coreTime, duration, shortDuration } from '../../format/duration';
import { count, plural, ratio, share } from '../../format/number';
import { dateTime, shortClock } from '../../format/time';
import { activities, activityTotal, stateTotal, statesDone } from '../../parts/series';
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

export function answers({ row, seconds, facts }: Cluster, groups: TaskGroupRow[] | null, now: number): Said[] {
  const out = [finished(row, facts.stop_reason, now), failed(row, facts.workers_lost)];
  out.push(longest(groups, seconds.compute));
  out.push(busy(row, seconds));
  return out;
}

/** A map, since a reason comes from outside and may be called `constructor`. */
const reasons = new Map([
  ['closed', 'closed by its owner'],
  ['idle_timeout', 'stopped after its idle timeout'],
  ['remote_close', 'closed from Bobbin'],
  ['exit', 'its process ended'],
  ['end_of_file', 'the file tells no more'],
]);

function finished(row: Cluster['row'], reason: string | null, now: number): Said {
  const question = row.state === 'running' || row.state === 'stalled' || row.state === 'idle' ? 'Why is it still running?' : 'Did it finish?';
  const all = stateTotal(row.tasks);
  const open = all - statesDone(row.tasks);
  const length = duration(((row.stopped_micros ?? now) - row.started_micros) / 1e6);
  const done = `${plural(row.tasks_completed, 'task')} finished`;
  switch (row.state) {
    case 'running':
      return {
        question,
        answer:
          open > 0
            ? `${plural(open, 'task')} of ${count(all)} to go`
            : row.tasks_completed === 0
              ? 'Nothing was asked of it yet'
              : 'It has just finished its tasks',
        because: row.tasks_completed === 0 ? `connected for ${length}` : `${done} in ${length} so far`,
        tone: 'good',
        tab: 'groups',
      };
    case 'stalled':
      return {
        question,
        answer: row.since_completed_micros === null ? 'It hangs: no task has ever finished' : `It hangs: no task finished for ${shortDuration(row.since_completed_micros / 1e6)}`,
        because: `${plural(row.tasks['processing'] ?? 0, 'task')} on workers, ${count(open)} of ${count(all)} to go`,
        tone: 'stalled',
        tab: 'groups',
      };
    case 'idle':
      return {
        question,
        answer:
          row.idle_since_micros === null
            ? 'Nothing to do, and nobody closed it'
            : `Nothing to do for ${shortDuration((now - row.idle_since_micros) / 1e6)}, and nobody closed it`,
        because: `${done}; it holds ${plural(row.workers, 'worker')} with ${plural(row.threads, 'thread')}`,
        tone: 'warn',
        tab: null,
      };
    case 'finished':
      return {
        question,
        answer: open === 0 ? `Yes, after ${length}` : `It ended after ${length} with ${plural(open, 'task')} undone`,
        because: `${done}; ${reasons.get(reason ?? '') ?? reason ?? 'no reason given'}`,
        tone: open === 0 ? 'good' : 'warn',
        tab: 'groups',
      };
    case 'lost':
      return {
        question,
        answer: `Not known: last heard ${shortClock(row.last_heard_micros)}, the scheduler may have died`,
        because: `${done} until ${dateTime(row.last_heard_micros)}; ${plural(open, 'task')} undone then`,
        tone: 'bad',
        tab: 'groups',
      };
  }
}

function failed(row: Cluster['row']): Said {
  const question = 'Did anything fail?';
  if (row.exceptions === 0 && row.tasks_erred === 0)
    return { question, answer: 'No exception', because: `${plural(row.tasks_completed, 'task')} finished`, tone: row.tasks_completed > 0 ? 'good' : 'calm', tab: null };
  return {
    question,
    answer: `${plural(row.exceptions, 'exception')} in ${plural(row.tasks_erred, 'failed task')}`,
    because: 'tasks that depend on them are not counted',
    tone: 'bad',
    tab: 'exceptions',
  };
}

function longest(groups: TaskGroupRow[] | null, compute: number): Said {
  const question = 'What took the most time?';
  const first = groups?.reduce<TaskGroupRow | null>(
    (a, b) => (activityTotal(b.seconds) > (a === null ? 0 : activityTotal(a.seconds)) ? b : a),
    null,
  );
  if (first == null || compute <= 0)
    return { question, answer: 'Not known', because: 'no task group has finished a task', tone: 'calm', tab: null };
  return {
    question,
    answer: `${first.prefix}: ${share(ratio(first.seconds.compute, compute))}`,
    because: `of compute time: ${coreTime(first.seconds.compute)} in ${plural(stateTotal(first.states), 'task')}`,
    tone: 'calm',
    tab: 'groups',
  };
}

function busy(row: Cluster['row'], seconds: Cluster['seconds']): Said {
  const question = 'Was it busy?';
  const part = ratio(row.compute_seconds, row.thread_seconds);
  if (part === null) return { question, answer: 'Not known yet', because: 'no cluster time so far', tone: 'calm', tab: null };
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
    tab: null,
  };
}
