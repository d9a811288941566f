// Columns of samples to the charts of a cluster. A column without a value has a reason, which is said in its place.

import type { ThreadUse, Timeline, WorkerSeries } from '../../generated/api';
import { count, ratio, share } from '../../format/number';
import { largest } from '../../parts/chart';
import type { Mark } from '../../parts/marks';
import { activities } from '../../parts/series';
import type { Chart, Series } from '../../parts/TimeChart.svelte';
import type { Unit } from '../../parts/units';

type Values = (number | null)[];

const sentence = (words: string) => words.charAt(0).toUpperCase() + words.slice(1);

const line = (key: string, label: string, colour: string, values: Values, draw: Series['draw'] = 'line'): Series => ({ key, label, colour, draw, kind: 'between', values });

/** What of these charts is missing, in words. */
export interface Untold {
  queue: string | null;
  memory: string | null;
  waiting: string | null;
}

/** Threads, memory, workers and tasks: what every version of Dask tells, but for the queue. Files of other programs may tell less. */
export function workCharts(t: Timeline, use: ThreadUse | null, marks: Mark[], untold: Untold): Chart[] {
  const notes = [untold.queue === null ? '' : `queue ${untold.queue}`, untold.waiting === null ? '' : `waiting ${untold.waiting}`];
  return [
    ...(use === null || use.from_micros === null
      ? []
      : [
          {
            title: 'Threads',
            explains: 'Threads of all workers, and how many of them were in your functions on average (≈ if a long task is reported when it ends).',
            unit: 'mean',
            at: [use.from_micros, ...use.at_micros],
            series: [
              { key: 'computing', label: 'computing', colour: 'var(--data-compute)', draw: 'area', kind: 'before', values: [null, ...use.threads_computing] },
              { key: 'threads', label: 'threads', colour: 'var(--data-limit)', draw: 'dashes', kind: 'before', values: [null, ...use.threads] },
            ],
          } satisfies Chart,
        ]),
    {
      title: 'Memory',
      explains:
        'Memory of all worker processes: managed is Dask’s results, unmanaged is everything else in the process. Spilled is on disk and not part of the stack. The limit is the sum of the workers’ limits.',
      unit: 'bytes',
      absent: untold.memory === null ? null : sentence(untold.memory),
      series: [
        line('managed', 'managed', 'var(--data-managed)', t.memory_managed_bytes, 'stack'),
        line('unmanaged', 'unmanaged', 'var(--data-unmanaged)', t.memory_unmanaged_bytes, 'stack'),
        { ...line('spilled', 'spilled', 'var(--data-spilled)', t.memory_spilled_bytes), means: 'on disk, not part of the stack' },
        { ...line('limit', 'limit', 'var(--data-limit)', t.memory_limit_bytes, 'dashes'), kind: 'after' },
      ],
    },
    {
      title: 'Workers',
      explains: 'Workers the scheduler knew at each sample. Marks at the bottom show what happened to them: pointing up for joining, pointing down for leaving, two bars for a pause, a circle for a restart, a cross for a worker that was lost or killed. Point at a mark to see the worker.',
      unit: 'count',
      marks,
      series: [
        { key: 'workers', label: 'workers', colour: 'var(--data-compute)', draw: 'area', kind: 'after', values: t.workers },
        ...(largest([t.workers_paused]) > 0
          ? [{ key: 'paused', label: 'paused', colour: 'var(--data-spilled)', draw: 'area', kind: 'after', values: t.workers_paused } as const]
          : []),
      ],
    },
    {
      title: 'Tasks',
      note: notes.filter((note) => note !== '').join(', '),
      explains: 'Tasks on workers at each sample, and tasks waiting for others, for a worker, or in the scheduler’s queue.',
      unit: 'count',
      series: [
        ...(untold.waiting === null ? [{ key: 'waiting', label: 'waiting', colour: 'var(--data-other)', draw: 'area', kind: 'after', values: t.tasks_waiting } as const] : []),
        { key: 'processing', label: 'processing', colour: 'var(--state-processing)', draw: 'area', kind: 'after', values: t.tasks_processing },
      ],
    },
  ];
}

/** What Dask measures of whole hosts: in and out. */
const hostsChart = (title: string, did: string, series: Series[]): Chart => ({
  title,
  explains: `What the hosts of all workers ${did}, as Dask measures it. Other programs on them are included.`,
  unit: 'bytes_per_s',
  series,
});

/** Blues for computing, the darkest for the most: neighbours differ in lightness. */
const blues = ['var(--heat-5)', 'var(--heat-4)', 'var(--heat-3)', 'var(--heat-2)'];

/**
 * What the threads did, in proportions: the task stream where there are too many tasks to draw each. White is unused, orange is moving data,
 * purple is stalled.
 * A bin's value stands for the time before its moment, so the beginning is put in front.
 */
export function threadChart(use: ThreadUse): Chart {
  const percent = (values: Values): Values => [null, ...values.map((v) => (v === null ? null : v * 100))];
  const part = (key: string, label: string, colour: string, values: Values, seconds: number, means: string): Series => ({
    key,
    label,
    colour,
    draw: 'stack',
    kind: 'before',
    values: percent(values),
    figure: share(ratio(seconds, all)),
    means,
  });
  const there = (values: Values) => largest([values]) > 0;
  const all = use.totals.thread_seconds;
  const done = use.totals.seconds;
  const computing = use.computing.filter(({ share }) => there(share));
  const named = computing.filter(({ prefix }) => prefix !== null).length;
  const series = [
    ...computing.map(({ prefix, share: values, seconds }, i) =>
      prefix === null
        ? part('others', named === 0 ? 'Compute' : 'other prefixes', 'var(--heat-1)', values, seconds, '≈ computing, for prefixes not shown separately')
        : part(`:${prefix}`, prefix, blues[i % blues.length]!, values, seconds, `≈ computing in ${prefix}: the seconds of its groups, spread evenly from their start to their stop`),
    ),
    ...activities.flatMap(({ key, label, colour, means }) => (key === 'compute' ? [] : [{ ...part(key, label, colour, use[key], done[key], means), hatched: key === 'transfer' }])),
    { ...part('stalled', 'Stalled', 'var(--stalled)', use.stalled, use.totals.stalled_seconds, 'threads that did nothing while work was assigned and none of it finished, counted from when this was known'), hatched: true },
  ].filter(({ values }) => there(values));
  const idle: Series = { ...part('idle', 'Idle', 'transparent', use.idle, use.totals.idle_seconds, 'threads that had nothing to do'), outlined: true };
  return {
    title: 'What threads did',
    explains:
      'All time of all threads, in proportion: white is unused, orange is moving data, purple is stalled, blue is computing, by the functions with the most of it. Activity totals are what workers reported between two samples. A worker reports a task when it ends; time beyond what the threads could have done between the samples counts for earlier times when they were free (≈). Which function computed is estimated from when its groups ran (≈). Unless you point at a time, the figures cover all the time shown.',
    unit: 'percent',
    ceiling: 100,
    at: use.from_micros === null ? [] : [use.from_micros, ...use.at_micros],
    series: [...series, idle],
    absent: use.idle.every((v) => v === null) ? 'No threads' : null,
  };
}

/** Sums over the workers. `reason`: what is said of a chart that has no value at all. */
export function hardwareCharts(t: Timeline, reason: string): Chart[] {
  const milli = (micros: Values): Values => micros.map((v) => (v === null ? null : v / 1000));
  const there = largest([t.workers]) > 0;
  const all: Chart[] = [
    {
      title: 'CPU',
      explains: 'Cores that all worker processes kept busy. The dashed line is the workers’ threads.',
      unit: 'mean',
      series: [
        line('cpu', 'cores used', 'var(--data-compute)', t.cpu_percent.map((v) => (v === null ? null : v / 100)), 'area'),
        { ...line('threads', 'threads', 'var(--data-limit)', t.threads, 'dashes'), kind: 'after' },
      ],
    },
    hostsChart('Network', 'received and sent', [
      line('received', 'received', 'var(--data-compute)', t.network_read_bytes_per_s),
      line('sent', 'sent', 'var(--data-transfer)', t.network_write_bytes_per_s),
    ]),
    hostsChart('Disk', 'read and wrote', [
      line('read', 'read', 'var(--data-disk-read)', t.disk_read_bytes_per_s),
      line('written', 'written', 'var(--data-disk-write)', t.disk_write_bytes_per_s),
    ]),
    {
      title: 'Spilled',
      explains: 'Results workers moved to disk for lack of memory.',
      unit: 'bytes',
      series: [line('spilled', 'on disk', 'var(--data-spilled)', t.memory_spilled_bytes, 'area')],
    },
    {
      title: 'Event loops',
      explains: 'How late the event loops are: the scheduler’s, and the worst of the workers’. Above 100 ms they are too busy to answer in time.',
      unit: 'ms',
      series: [
        line('scheduler', 'scheduler', 'var(--data-compute)', milli(t.loop_lag_micros)),
        line('worker', 'worst worker', 'var(--data-transfer)', milli(t.worker_lag_micros)),
      ],
    },
  ];
  if (t.gpu_percent.some((v) => v !== null))
    all.push({
      title: 'GPUs',
      explains: 'Use of the GPUs of all workers: 100 % is one GPU.',
      unit: 'percent',
      series: [line('gpu', 'used', 'var(--data-compute)', t.gpu_percent, 'area')],
    });
  if (t.gpu_memory_bytes.some((v) => v !== null))
    all.push({
      title: 'GPU memory',
      explains: 'Memory in use on the GPUs of all workers.',
      unit: 'bytes',
      series: [line('gpu-memory', 'used', 'var(--data-managed)', t.gpu_memory_bytes, 'area')],
    });
  return all.map((chart) => {
    // The line of the threads is for comparison alone.
    const own = chart.series.filter(({ key }) => key !== 'threads');
    const empty = own.every(({ values }) => values.every((v) => v === null));
    if (empty) return { ...chart, absent: there ? sentence(reason) : 'No workers' };
    return { ...chart, series: chart.series.map((s) => (s.values.every((v) => v === null) ? { ...s, means: reason } : s)) };
  });
}

export const measures = [
  { measure: 'cpu_percent', title: 'CPU by worker', explains: 'CPU use of each worker process: 100 % is one core.', unit: 'percent' },
  { measure: 'memory_used_bytes', title: 'Memory by worker', explains: 'Memory of each worker process.', unit: 'bytes' },
  { measure: 'memory_spilled_bytes', title: 'Spilled by worker', explains: 'Results each worker has on disk for lack of memory.', unit: 'bytes' },
  { measure: 'processing', title: 'Tasks by worker', explains: 'Tasks assigned to each worker.', unit: 'count' },
] as const satisfies { measure: string; title: string; explains: string; unit: Unit }[];

/** Each worker by itself where there are few, else how they spread. `chosen` is drawn plainly among the others. */
export function workerChart(about: (typeof measures)[number], series: WorkerSeries, chosen: string | null): Chart {
  const { title, unit } = about;
  const band = (i: 0 | 1 | 2 | 3 | 4): Values => series.bands.map((five) => five?.[i] ?? null);
  const none = series.bands.every((five) => five === null) && series.workers.every(({ values }) => values.every((v) => v === null));
  if (none) return { title, unit, explains: about.explains, series: [], absent: 'Individual workers were not reported' };
  const median = line('median', 'median', 'var(--data-compute)', band(2));
  if (series.workers.length === 0)
    return {
      title,
      unit,
      explains: `${about.explains} Above 64 workers, the chart shows their spread: minimum to maximum, the middle half, and the median.`,
      series: [
        { ...line('all', 'min to max', 'var(--data-unmanaged)', band(4), 'band'), low: band(0) },
        { ...line('half', 'middle half', 'var(--data-compute)', band(3), 'band'), low: band(1) },
        median,
      ],
    };
  const one = series.workers.find(({ worker_id }) => worker_id === chosen);
  return {
    title,
    unit,
    explains: `${about.explains} Each thin line is a worker. Select one in the list of workers to highlight it.`,
    note: count(series.workers.length) + (series.workers.length === 1 ? ' worker' : ' workers'),
    series: [
      ...series.workers.map(({ worker_id, name, values }) => line(`:${worker_id}`, name ?? worker_id, 'var(--data-other)', values, 'thread')),
      median,
      ...(one === undefined ? [] : [line('chosen', one.name ?? one.worker_id, 'var(--data-transfer)', one.values)]),
    ],
  };
}
