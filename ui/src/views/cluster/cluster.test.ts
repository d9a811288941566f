import { expect, test } from 'vitest';
import type { Cluster, ClusterCost, TaskGroupRow } from '../../generated/api';
import { answers } from './answers';
import { overlaps, sorted, wanted } from './groups';
import { around, highlight, indentOf } from './highlight';

const noSeconds = { compute: 0, transfer: 0, disk_read: 0, disk_write: 0, deserialize: 0, other: 0 };

function group(id: string, compute: number, more: Partial<TaskGroupRow> = {}): TaskGroupRow {
  return {
    group_id: id,
    name: `${id}-9c2e`,
    prefix: id,
    states: { memory: 10 },
    seconds: { ...noSeconds, compute },
    result_bytes: 0,
    types: [],
    start_micros: null,
    stop_micros: null,
    durations: null,
    skew: null,
    retried: null,
    span_id: null,
    dependencies: [],
    is_final: false,
    ...more,
  };
}

test('groups are ordered, and what is not available comes last either way', () => {
  const rows = [group('a', 1), group('b', 3, { start_micros: 5 }), group('c', 2, { start_micros: 9 })];
  const ids = (list: TaskGroupRow[]) => list.map((row) => row.group_id).join('');
  expect(ids(sorted(rows, 'compute', 'descending'))).toBe('bca');
  expect(ids(sorted(rows, 'start', 'ascending'))).toBe('bca');
  expect(ids(sorted(rows, 'start', 'descending'))).toBe('cba');
  expect(ids(sorted(rows, 'tasks', 'descending'))).toBe('abc');
  // In the order that nobody chose, groups with errors stand first.
  const failed = [...rows, group('d', 0, { states: { erred: 1 } })];
  expect(ids(sorted(failed, 'compute', 'descending'))).toBe('dbca');
  expect(ids(sorted(failed, 'compute', 'ascending'))).toBe('dacb');
});

test('groups are filtered by name, time and computation', () => {
  const rows = [group('inc', 1, { start_micros: 10, stop_micros: 20 }), group('sum', 1, { start_micros: 30 })];
  const ids = (w: Partial<Parameters<typeof wanted>[1]>) =>
    wanted(rows, { text: '', from: null, to: null, ids: null, ...w }).map((row) => row.group_id);
  expect(ids({ text: ' INC' })).toEqual(['inc']);
  expect(ids({ from: 21, to: 40 })).toEqual(['sum']);
  expect(ids({ from: 15, to: 29 })).toEqual(['inc']);
  expect(ids({ ids: new Set(['sum']) })).toEqual(['sum']);
  expect(overlaps(null, null, 1, 2)).toBe(false);
});

test('code is coloured, and nothing of it is lost', () => {
  const code = 'def f(x):\n    # <b>no</b>\n    return inc("a\\n", 1)\n\nf(2).compute()';
  const lines = highlight(code);
  expect(lines.map((line) => line.map((piece) => piece.text).join('')).join('\n')).toBe(code);
  expect(lines[0]![0]).toEqual({ text: 'def', look: 'keyword' });
  expect(lines[1]!.find((piece) => piece.look === 'comment')!.text).toBe('# <b>no</b>');
  expect(lines[4]!.find((piece) => piece.text === 'compute')!.look).toBe('name');
  expect(highlight('')).toEqual([[]]);
  expect(highlight('"""open\nstring').map((line) => line.map((piece) => piece.text).join(''))).toEqual(['"""open', 'string']);
});

test('lines around the call', () => {
  expect(around(8, 3, 4)).toEqual({ first: 0, last: 8 });
  expect(around(100, 50, 4)).toEqual({ first: 46, last: 55 });
  expect(around(100, 99, 4)).toEqual({ first: 91, last: 100 });
  expect(around(100, null, 4)).toEqual({ first: 0, last: 9 });
  expect(indentOf('    a\n      b\n\n    c')).toBe(4);
});

const at = Date.parse('2026-11-14T14:02:10Z') * 1000;

function cluster(state: Cluster['row']['state'], more: Partial<Cluster['row']> = {}): Cluster {
  const row = {
    id: 1,
    scheduler_id: 'Scheduler-1',
    name: 'etl',
    state,
    finished_by_hand: false,
    state_evidence: '',
    user: null,
    host: null,
    project: null,
    tags: {},
    started_micros: at,
    stopped_micros: state === 'finished' || state === 'lost' ? at + 90e6 : null,
    last_heard_micros: at + 90e6,
    idle_since_micros: state === 'idle' ? at + 30e6 : null,
    last_completed_micros: null,
    since_completed_micros: null,
    workers: 2,
    threads: 8,
    workers_peak: 4,
    memory_used_bytes: null,
    memory_peak_bytes: null,
    memory_limit_bytes: null,
    tasks: { memory: 4, processing: 1 },
    tasks_completed: 4,
    tasks_erred: 0,
    compute_seconds: 30,
    thread_seconds: 120,
    result_bytes: 0,
    computations: 1,
    exceptions: 0,
    ...more,
  } as Cluster['row'];
  const facts = { stop_reason: state === 'finished' ? 'closed' : null, unavailable: [] as string[] } as Cluster['facts'];
  return { row, facts, seconds: { ...noSeconds, compute: 30, transfer: 6 }, largest: { prefix: 'inc', compute_seconds: 20, share: 2 / 3, tasks: 4 }, losses: {} as Cluster['losses'] };
}

test('each state is answered in words', () => {
  const say = (c: Cluster, lost = 0) => answers(c, { lost }, at + 90e6).map((said) => said.answer);
  expect(say(cluster('running'))[0]).toBe('1 task of 5 to go');
  expect(say(cluster('stalled', { since_completed_micros: 185e6 }))[0]).toBe('It is stalled: no task finished for 3 min');
  expect(say(cluster('stalled'))[0]).toBe('It is stalled: no task has ever finished');
  expect(say(cluster('idle'))[0]).toBe('Nothing to do for 1 min, and still up');
  expect(say(cluster('finished'))[0]).toBe('It ended after 1 min 30 s with 1 task unfinished');
  expect(say(cluster('finished', { tasks: { memory: 5 } }))[0]).toBe('Yes, after 1 min 30 s');
  expect(say(cluster('lost'))[0]).toBe('Unknown: last report 14:03, the scheduler may have died');
  expect(say(cluster('running')).slice(1)).toEqual([
    'No exceptions',
    'inc: 67 %',
    '25 % of cluster time',
  ]);
  expect(say({ ...cluster('running'), largest: null })[2]).toBe('Unknown');
  expect(say(cluster('running', { exceptions: 2, tasks_erred: 7 }))[1]).toBe('2 kinds of exception in 7 failed tasks');
  expect(say(cluster('running', { exceptions: 1 }))[1]).toBe('1 kind of exception');
  expect(say(cluster('running'), 3)[1]).toBe('3 workers lost, but no exceptions');
});

test('what it cost is a range, with what went to idle threads and what it goes on at', () => {
  const eur = (low: number, high: number) => ({ low_nanos: low * 1e9, high_nanos: high * 1e9 });
  const known = (more: Partial<ClusterCost>) =>
    ({ thread_micros: 120e6, cost: { currency: 'EUR', total: eur(0.4, 0.6), idle: eur(0.1, 0.15), unpriced_seconds: 0, words: '' }, an_hour: null, operations: [], ...more }) as ClusterCost;
  const say = (cost: ClusterCost | null) => answers(cluster('running'), { lost: 0, cost }, at)[2]!;
  expect(say(known({ an_hour: eur(1, 2) }))).toEqual({
    question: 'What did it cost?',
    answer: '≈ 0.40–0.60 €',
    because: '25 % of it for idle threads; it is costing 1.00–2.00 € an hour',
    tone: 'calm',
    tab: 'cost',
  });
  expect(say(known({ cost: { ...known({}).cost!, idle: eur(0.3, 0.5) } })).tone).toBe('warn');
  const hung = { operation: { is: 'stalled' } } as ClusterCost['operations'][number];
  expect(say(known({ operations: [hung] })).because).toBe('25 % of it for idle and stalled threads');
  expect(say(known({ cost: null })).answer).toBe('Unknown: no price applies');
  expect(say(known({ cost: null, thread_micros: 0 })).answer).toBe('Nothing to price yet');
  // Not here yet, and not told at all.
  expect(say(null).answer).toBe('–');
  expect(answers(cluster('running'), { lost: 0 }, at).map(({ question }) => question)).not.toContain('What did it cost?');
});

test('idleness leads to its proof', () => {
  const tabs = (c: Cluster) => answers(c, { lost: 0 }, at + 90e6).map(({ tab }) => tab);
  expect(tabs(cluster('idle'))[0]).toBe('workers');
  expect(tabs(cluster('running')).at(-1)).toBe('activity');
  const old = cluster('running');
  old.facts.unavailable = ['metrics'];
  expect(tabs(old).at(-1)).toBe('groups');
});

test('nothing that failed is good only where the end was heard and work goes on', () => {
  const tone = (c: Cluster, lost = 0) => answers(c, { lost }, at + 90e6)[1]!.tone;
  expect(tone(cluster('running'))).toBe('good');
  expect(tone(cluster('finished'))).toBe('good');
  expect(tone(cluster('lost'))).toBe('calm');
  expect(tone(cluster('stalled'))).toBe('calm');
  expect(tone(cluster('running', { tasks_completed: 0 }))).toBe('calm');
  expect(tone(cluster('running'), 1)).toBe('bad');
});
