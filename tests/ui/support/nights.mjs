// The same computation night after night, and nights on which something was otherwise.

import { code, Story } from './story.mjs';

const second = 1_000_000;
const gib = 1024 ** 3;
const day = 86_400 * second;

const usual = {
  name: 'nightly-etl',
  user: 'ana',
  project: 'etl',
  workers: 4,
  /** Factors on the tasks, on a task of the shuffle, and on transfers. */
  tasks: 1,
  shuffle: 1,
  transfer: 1,
  startup: 6,
  idle: 12,
  lost: 0,
  erred: 0,
  pandas: '3.0.2',
  code,
  line: 9,
  prefixes: 4,
};

/** One night: `[batch]`. A worker has four threads, which wait a tenth of their time. */
export function night(key, at, about = {}) {
  const run = { ...usual, ...about };
  const groups = [
    ['read-parquet', 240 * run.tasks, 0.9],
    ['assign', 240 * run.tasks, 0.15],
    ['merge-shuffle', 300 * run.tasks, 0.6 * run.shuffle],
    ['groupby-sum', 60 * run.tasks, 0.4],
    ...Array.from({ length: run.prefixes - 4 }, (_, i) => [`feature-${String.fromCharCode(97 + (i % 26))}${Math.floor(i / 26)}`, 20 * run.tasks, 0.1 + (run.shuffle * (i % 7)) / 20]),
  ];
  const computing = groups.reduce((sum, [, tasks, each]) => sum + tasks * each, 0);
  const transfer = 30 * run.transfer;
  const threads = run.workers * 4;
  const length = (computing + transfer) / threads / 0.9;
  const start = at + run.startup * second;
  const stop = Math.round(start + length * second);
  const end = stop + run.idle * second;
  const versions = { dask: '2026.8.0', distributed: '2026.8.0', numpy: '2.4.1', pandas: run.pandas, lz4: null };
  const story = new Story(key, { name: run.name, user: run.user, project: run.project, started: at, more: { versions }, code: run.code !== null });
  const tasks = groups.reduce((sum, [, n]) => sum + n, 0);
  const totals = { compute: computing, transfer, thread_seconds: threads * (length + run.startup + run.idle), tasks_completed: tasks, tasks_erred: run.erred, result_bytes: 9 * gib * run.tasks };
  const records = [
    story.cluster(),
    ...Array.from({ length: run.workers }, (_, i) => story.worker(at + second, i, 'joined')),
    ...Array.from({ length: run.lost }, (_, i) => story.worker(Math.round((start + stop) / 2) + i, i, 'killed', { cause: 'memory', expected: false })),
    story.sample(at + second, { workers: run.workers, tasks: { waiting: tasks } }),
    story.sample(end, { workers: run.workers, tasks: { released: tasks - run.erred, erred: run.erred }, totals }),
    ...groups.map(([prefix, n, each], i) =>
      story.group(stop, `${key}-${prefix}`, {
        prefix,
        states: i === 2 && run.erred > 0 ? { released: n - run.erred, erred: run.erred } : { released: n },
        seconds: { compute: n * each, transfer: i === 2 ? transfer : 0 },
        bytes: Math.round((9 * gib * run.tasks) / groups.length),
        start,
        stop,
        needs: i === 0 ? [] : [`${key}-${groups[i - 1][0]}`],
        final: true,
      }),
    ),
    story.computation(stop, `${key}-c`, {
      start,
      stop,
      groups: groups.map(([prefix]) => `${key}-${prefix}`),
      states: { released: tasks - run.erred, ...(run.erred > 0 ? { erred: run.erred } : {}) },
      code: run.code === null ? undefined : [{ code: run.code, filename: '/home/ana/etl/nightly.py', line_relative: run.line - 1, line: 40 + run.line }],
    }),
  ];
  if (run.erred > 0) records.push(story.exception(stop, `${key}-e`, { group_id: `${key}-merge-shuffle`, group: `merge-shuffle-${key}`, count: run.erred }));
  records.push(story.stop(end));
  return story.batch(records);
}

/** So many nights before `now`, the last of them as `last` says. */
export function nights(count, now, last = {}) {
  const roll = [0, 0.02, -0.01, 0.03, 0.01, -0.02, 0];
  return Array.from({ length: count + 1 }, (_, i) => {
    const tonight = i === count;
    return night(`night-${i}`, Math.round(now - (count - i + 0.2) * day), tonight ? last : { shuffle: 1 + roll[i % roll.length] });
  });
}

/** The function of every night with a step more, and another day. */
export const edited = code.replace('events = dd', 'events  =  dd').replace('    daily = ', '    joined = joined.repartition(npartitions=900)\n    daily = ');
