import { expect, test } from 'vitest';
import type { Cluster, Losses } from '../../generated/api';
import { facts, factsText, lossWords, sent } from './facts';

const full: Losses = { missing_records: 0, dropped_records: {}, refused_records: 0, kept_unknown: 0, conflicts: 0 };

test('a full record has nothing to say', () => {
  expect(lossWords({ ...full, dropped_records: { sample: 0 } })).toEqual([]);
});

test('each loss is said in words', () => {
  expect(lossWords({ missing_records: 3, dropped_records: { task_group: 1 }, refused_records: 1, kept_unknown: 2, conflicts: 1 })).toEqual([
    '3 records between batches that arrived are missing; charts show the gap hatched.',
    'The plugin shed 1 task_group record to stay within its bounds.',
    '1 record could not be read.',
    '1 batch came again with other bytes; the first stands.',
    '2 records with kinds or fields that this version does not know are kept.',
  ]);
});

test('of an exception that came without its text nothing else is missing', () => {
  expect(lossWords({ ...full, dropped_records: { exception_text: 2 } })).toEqual([
    '2 records of exceptions came without message and traceback: the cluster ended before those could be sent or sealed.',
  ]);
});

const cluster = {
  row: { scheduler_id: 'Scheduler-1', state: 'running', user: null, host: null, project: null, tags: {}, started_micros: 0, stopped_micros: null, last_heard_micros: 0 },
  facts: {
    scheduler_address: null,
    versions: { distributed: '2022.6.1', numpy: '1.23.0' },
    host_versions: { byteorder: 'little', LANG: null },
    mismatches: [{ package: 'numpy', where: 'worker', version: null, count: 2 }],
    unavailable: ['spans'],
    off_since: { user: 1, events: 2 },
    events_allow: [],
    interval_micros: 10_000_000,
    idle_timeout_micros: 60_000_000,
    plugin_version: '0.1.0',
    plugin_cost: { all_beat_micros: 0, all_hook_micros: 0, all_sent_bytes: 0 },
  },
  losses: full,
} as unknown as Cluster;

test('what is off at source is no dash, and what is not known is', () => {
  const said = Object.fromEntries(facts(cluster).flatMap((group) => group.facts.map(({ name, value }) => [name, value])));
  expect(said).toMatchObject({ User: 'off at source', Host: '–', LANG: '–', byteorder: 'little', 'Closes when idle': 'after 1 min 00 s', 'Not in Dask 2022.6.1': 'Spans' });
  expect(sent(cluster).filter(({ since }) => since !== null).map(({ category }) => category)).toEqual(['user', 'events']);
});

test('the text to copy has it all', () => {
  const text = factsText(cluster);
  expect(text).toMatch(/^ {2}User: off at source since 1 Jan 1970/m);
  expect(text).toContain('  numpy: not installed on 2 workers, not 1.23.0');
});
