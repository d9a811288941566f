import { expect, test } from 'vitest';
import type { Cluster } from '../../generated/api';
import { facts, factsText } from './facts';

const cluster = {
  row: { scheduler_id: 'Scheduler-1', state: 'running', user: null, host: null, project: null, tags: {}, started_micros: 0, stopped_micros: null, last_heard_micros: 0 },
  facts: {
    scheduler_address: null,
    versions: { distributed: '2022.6.1', numpy: '1.23.0' },
    host_versions: { byteorder: 'little', LANG: null },
    mismatches: [
      { package: 'numpy', where: 'worker', version: null, count: 2 },
      { package: 'constructor', where: 'client', version: '1.0', count: 1 },
    ],
    unavailable: ['spans'],
    off_since: { user: 1, events: 2 },
    events_allow: [],
    interval_micros: 10_000_000,
    idle_timeout_micros: 60_000_000,
    plugin_version: '0.1.0',
    plugin_cost: { all_beat_micros: 0, all_hook_micros: 0, all_sent_bytes: 0 },
  },
  losses: { missing_records: 0, dropped_records: {}, refused_records: 0, kept_unknown: 0, conflicts: 0, unchecked: 0 },
} as unknown as Cluster;

test('what is off at source is no dash, and what is not known is', () => {
  const said = Object.fromEntries(facts(cluster).flatMap((group) => group.facts.map(({ name, value }) => [name, value])));
  expect(said).toMatchObject({ Class: 'not known', User: 'off at source', Host: '–', LANG: '–', byteorder: 'little', 'Closes when idle': 'after 1 min' });
});

test('the text to copy has it all', () => {
  const text = factsText(cluster);
  expect(text).toMatch(/^ {2}User: off at source since 1 Jan 1970/m);
  expect(text).toContain('  Spans: not reported by Dask 2022.6.1');
  expect(text).toContain('  numpy: not installed on 2 workers; scheduler: 1.23.0');
  expect(text).toContain('  constructor: 1.0 on 1 client; scheduler: not installed');
});
