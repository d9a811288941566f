import { expect, test } from 'vitest';
import type { Cluster } from '../../generated/api';
import { missing, sent } from './missing';

function cluster(more: object, losses: object = {}): Cluster {
  return {
    facts: { off_since: {}, unavailable: [], versions: { distributed: '2022.6.1' }, ...more },
    losses: { missing_records: 0, dropped_records: {}, refused_records: 0, kept_unknown: 0, conflicts: 0, unchecked: 0, ...losses },
  } as unknown as Cluster;
}

test('a full record misses nothing', () => {
  expect(missing(cluster({}))).toEqual([]);
});

test('what is off, not told and lost stands in one list, each with its reason and the way out', () => {
  const rows = missing(cluster({ off_since: { code: 1_790_000_000_000_000 }, unavailable: ['spans', 'brand_new'] }, { dropped_records: { event: 3 } }));
  expect(rows.map(({ what, why }) => [what, why])).toEqual([
    ['Code', 'off at source'],
    ['Spans', 'not reported by Dask 2022.6.1'],
    ['brand_new', 'not reported by Dask 2022.6.1'],
    ['Part of the record', 'The plugin dropped 3 event records to stay within its limits.'],
  ]);
  expect(rows[0]!.since).toBe(1_790_000_000_000_000);
  expect(rows[0]!.setting).toBe('bobbin.code.transmit: true');
  expect(rows[1]!.todo).toBe('Dask reports it from 2023.6 on.');
});

test('what is not off is sent, but nothing of a file of another program', () => {
  expect(sent(cluster({ off_since: { code: 1, events: 2 } }).facts)).toEqual(['Profiles', 'Exception text', 'Task names', 'User', 'Hosts and addresses', 'Folders']);
  expect(sent(cluster({ from_bundle: { source: 'cluster_dump' } }).facts)).toEqual([]);
});
