import { expect, test } from 'vitest';
import type { ThreadUse, Timeline, WorkerSeries } from '../../generated/api';
import { hardwareCharts, measures, threadChart, workerChart } from './charts';

const columns = ['memory_spilled_bytes', 'cpu_percent', 'network_read_bytes_per_s', 'network_write_bytes_per_s', 'disk_read_bytes_per_s', 'disk_write_bytes_per_s', 'gpu_percent', 'gpu_memory_bytes', 'loop_lag_micros', 'worker_lag_micros'];

function timeline(more: Partial<Timeline> = {}): Timeline {
  const none = Object.fromEntries(columns.map((name) => [name, [null, null]]));
  return { at_micros: [1, 2], workers: [2, 2], threads: [8, 8], ...none, ...more } as unknown as Timeline;
}

const absent = (t: Timeline) => Object.fromEntries(hardwareCharts(t, 'not available in Dask 2022.6.1').map((chart) => [chart.title, chart.absent ?? null]));

test('a chart without a value says why, and zeros are values', () => {
  expect(absent(timeline({ cpu_percent: [0, null] }))).toEqual({
    CPU: null,
    Network: 'Not available in Dask 2022.6.1',
    Disk: 'Not available in Dask 2022.6.1',
    Spilled: 'Not available in Dask 2022.6.1',
    'Event loops': 'Not available in Dask 2022.6.1',
  });
  expect(absent(timeline({ workers: [0, 0] })).Network).toBe('No workers');
});

test('graphics processors are shown where there are any', () => {
  expect(Object.keys(absent(timeline({ gpu_percent: [0, 3] })))).toContain('GPUs');
  expect(Object.keys(absent(timeline()))).toHaveLength(5);
});

test('few workers are lines, many are bands, and none is said', () => {
  const bands: WorkerSeries['bands'] = [[1, 2, 3, 4, 5], null];
  const draw = (series: Omit<WorkerSeries, 'at_micros'>, chosen: string | null = null) => workerChart(measures[0], { at_micros: [1, 2], ...series }, chosen);
  const many = draw({ bands, workers: [] });
  expect(many.series.map(({ draw, low, values }) => [draw, low ?? null, values])).toEqual([
    ['band', [1, null], [5, null]],
    ['band', [2, null], [4, null]],
    ['line', null, [3, null]],
  ]);
  // One may be called as another line is.
  const workers = ['median', 'b'].map((worker_id) => ({ worker_id, name: null, values: [1, 5] }));
  expect(draw({ bands, workers }, 'b').series.map(({ key, draw }) => `${key} ${draw}`)).toEqual([':median thread', ':b thread', 'median line', 'chosen line']);
  expect(draw({ bands, workers }).note).toBe('2 workers');
  expect(draw({ bands: [null, null], workers: [] }).absent).toBe('Individual workers were not reported');
});

test('what threads did is a stack that fills the axis, with what did not occur left out', () => {
  const none = [0, 0];
  const use = {
    from_micros: 10,
    at_micros: [20, 30],
    computing: [
      { prefix: 'load', share: [0.5, null], seconds: 5 },
      { prefix: null, share: [0.25, null], seconds: 2 },
    ],
    transfer: none,
    disk_read: none,
    disk_write: none,
    deserialize: none,
    other: none,
    idle: [0.25, null],
    stalled: none,
    totals: { thread_seconds: 10, idle_seconds: 2.5, stalled_seconds: 0, seconds: {} },
  } as unknown as ThreadUse;
  const chart = threadChart(use);
  expect(chart.at).toEqual([10, 20, 30]);
  expect(chart.series.map(({ label, values, figure }) => [label, values, figure])).toEqual([
    ['load', [null, 50, null], '50 %'],
    ['other prefixes', [null, 25, null], '20 %'],
    ['Idle', [null, 25, null], '25 %'],
  ]);
  const stuck = threadChart({ ...use, idle: [0.125, null], stalled: [0.125, null], totals: { ...use.totals, idle_seconds: 1.5, stalled_seconds: 1 } });
  expect(stuck.series.slice(2).map(({ label, values, figure }) => [label, values, figure])).toEqual([
    ['Stalled', [null, 12.5, null], '10 %'],
    ['Idle', [null, 12.5, null], '15 %'],
  ]);
  expect(threadChart({ ...use, computing: [], idle: [null, null] }).absent).toBe('No threads');
});
