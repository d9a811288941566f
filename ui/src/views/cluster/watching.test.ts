import { expect, test } from 'vitest';
import type { Cluster } from '../../generated/api';
import { costFigures, loopShare, millis } from './watching';

test('small shares and short times keep their digits', () => {
  expect([0, 0.000002, 0.00021, 0.0049, 0.31, null].map(loopShare)).toEqual(['0 %', '< 0.001 %', '0.021 %', '0.49 %', '31.00 %', '–']);
  expect([0, 1840, 23_400, 1_200_000, null].map(millis)).toEqual(['0.00 ms', '1.84 ms', '23.4 ms', '1.20 s', '–']);
});

test('what was not told is a dash, and what went wrong has a tone', () => {
  const none = { beat_micros: null, hook_micros: null, loop_share: null, sent_bytes: null, hook_errors: null, waiting_records: null, shed_records: null, spooled_bytes: null, all_beat_micros: 0, all_hook_micros: 0, all_sent_bytes: 0, loop_share_peak: null };
  const cluster = (plugin_cost: object, dropped_records = {}) => ({ facts: { interval_micros: 10_000_000, plugin_cost }, losses: { dropped_records } }) as unknown as Cluster;
  const of = (c: Cluster, label: string) => costFigures(c).find((figure) => figure.label === label)!;
  expect(of(cluster(none), 'Dropped')).toMatchObject({ value: '–' });
  expect(of(cluster(none), 'Dropped').tone).toBe(undefined);
  expect(of(cluster({ ...none, shed_records: 7 }, { profile: 6, sample: 1 }), 'Dropped')).toMatchObject({ value: '7 records', tone: 'warn', means: 'By kind: profile 6, sample 1.' });
  expect(of(cluster({ ...none, hook_errors: 1 }), 'Errors in hooks').tone).toBe('bad');
  expect(of(cluster(none), 'Interval').value).toBe('every 10 s');
});
