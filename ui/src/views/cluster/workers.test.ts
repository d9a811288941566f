import { expect, test } from 'vitest';
import type { WorkerEvent, WorkerRow } from '../../generated/api';
import { marksOf, sortedWorkers, stateOf, wantedWorkers } from './workers';

const happened = (event: WorkerEvent['event'], more: Partial<WorkerEvent> = {}): WorkerEvent => ({ at_micros: 5, event, cause: null, expected: null, ...more });

function worker(name: string, more: Partial<WorkerRow> = {}): WorkerRow {
  return {
    worker_id: `id-${name}`,
    address: null,
    name,
    host: null,
    state: 'running',
    first_seen_micros: 1,
    left_micros: null,
    threads: 4,
    memory_limit_bytes: null,
    resources: {},
    nanny: null,
    now: null,
    events: [],
    events_total: 0,
    ...more,
  };
}

test('who was not asked to go is lost, and who does not tell only left', () => {
  const gone = (event: WorkerEvent) => stateOf(worker('a', { state: 'gone', events: [event] })).word;
  expect(gone(happened('left', { expected: false }))).toBe('Lost');
  expect(gone(happened('left', { expected: true }))).toBe('Left');
  expect(gone(happened('left'))).toBe('Left');
  expect(gone(happened('killed', { cause: 'memory' }))).toBe('Killed');
  expect(stateOf(worker('a', { state: 'gone', events: [happened('killed'), happened('left', { expected: false })] })).word).toBe('Killed');
});

test('each step of a life is a mark on the time axis', () => {
  const marks = marksOf([worker('a', { events: [happened('joined'), happened('left', { expected: false })] })]);
  expect(marks.map(({ word, tone, name }) => [word, tone, name])).toEqual([
    ['joined', 'good', 'a'],
    ['lost', 'bad', 'a'],
  ]);
});

test('numbers in names are numbers, and what is not told comes last either way', () => {
  const cpu = (cpu_percent: number | null) => ({ now: { cpu_percent } as WorkerRow['now'] });
  const rows = [worker('w-10', cpu(3)), worker('w-9', cpu(null)), worker('w-1', cpu(9))];
  const names = (list: WorkerRow[]) => list.map((row) => row.name).join(' ');
  expect(names(sortedWorkers(rows, 'worker', 'ascending'))).toBe('w-1 w-9 w-10');
  expect(names(sortedWorkers(rows, 'cpu', 'descending'))).toBe('w-1 w-10 w-9');
  expect(names(sortedWorkers(rows, 'cpu', 'ascending'))).toBe('w-10 w-1 w-9');
  expect(names(wantedWorkers(rows, ' W-1'))).toBe('w-10 w-1');
  const lives = [worker('early', { first_seen_micros: 0, left_micros: 10 }), worker('late', { first_seen_micros: 20 })];
  expect(names(wantedWorkers(lives, '', 5, 15))).toBe('early');
  expect(names(wantedWorkers(lives, '', 11, 30))).toBe('late');
});

test('by state, what needs a look comes first', () => {
  const rows = [
    worker('well'),
    worker('left', { state: 'gone', events: [happened('left', { expected: true })] }),
    worker('paused', { state: 'paused' }),
    worker('lost', { state: 'gone', events: [happened('left', { expected: false })] }),
  ];
  expect(sortedWorkers(rows, 'state', 'ascending').map((row) => row.name)).toEqual(['lost', 'paused', 'well', 'left']);
});
