import { expect, test } from 'vitest';
import type { ClusterFacts } from '../../generated/api';
import { leftOut, notInFile } from './notInBundle';

const from = (from_bundle: ClusterFacts['from_bundle']) => ({ from_bundle }) as ClusterFacts;

test('what was left out is said where it is missed', () => {
  const facts = from({ imported_micros: 2, as_of_micros: 1, level: 'names', identities: 'aliases', left_out: { code: 3, exceptions: 1 }, masked: ['host', 'user'], source: null });
  expect(leftOut(facts, 'computations')).toEqual([{ category: 'code', title: 'Code is not in the bundle', values: 3, masked: false }]);
  expect(leftOut(facts, 'workers').map((one) => one.title)).toEqual(['Hosts and addresses are aliases']);
  expect(leftOut(facts, null).map((one) => one.category)).toEqual(['code', 'exceptions']);
  expect(leftOut(facts, 'events')).toEqual([]);
  expect(leftOut(from(null), null)).toEqual([]);
});

test('what a file of another program does not hold is said where it is missed, and nowhere else', () => {
  const read = { imported_micros: 2, as_of_micros: 1, level: 'everything', identities: 'real', left_out: {}, masked: [], source: 'performance_report' as const };
  const facts = { ...from(read), unavailable: ['exceptions', 'result_bytes', 'retries', 'constructor'], versions: {} } as ClusterFacts;
  expect(notInFile(facts, 'exceptions')).toEqual(['Exceptions']);
  expect(notInFile(facts, 'groups')).toEqual(['Result sizes']);
  expect(notInFile(facts, 'facts')).toEqual([]);
  expect(notInFile({ ...facts, from_bundle: null }, 'exceptions')).toEqual([]);
});
