import { expect, test } from 'vitest';
import type { ExceptionKind } from '../../generated/api';
import { found, matches } from './matches';

const kind = {
  newest: { exception_type: 'KeyError', message: { is: 'text', text: 'no column Price' }, group: 'read-csv-1f', worker: 'tcp://node-1:40000', cluster_name: 'nightly' },
  places: [{ group: 'merge-9c', worker: null, cluster_name: 'weekly' }],
} as unknown as ExceptionKind;

test('words are looked for in type, message, groups, workers and clusters', () => {
  for (const text of ['', ' keyerr', 'PRICE', 'read-csv', 'Node-1', 'nightly', 'merge', 'weekly']) expect(matches(kind, text)).toBe(true);
  expect(matches(kind, 'value')).toBe(false);
  expect(matches({ ...kind, newest: { ...kind.newest, message: { is: 'locked' } } }, 'price')).toBe(false);
});

test('on the page of a cluster its own name tells nothing apart', () => {
  expect([matches(kind, 'nightly', true), matches(kind, 'node-1', true), matches(kind, 'merge', true)]).toEqual([false, true, true]);
  const one = { ...kind, fingerprint: 'a' };
  expect([found([one], [], 'nightly', true), found([one], [], 'node-1', true)]).toEqual([[], [one]]);
});

test('a kind is found by a place that is not told of it, too', () => {
  const [a, b, c] = ['a', 'b', 'c'].map((fingerprint) => ({ ...kind, fingerprint }));
  expect(found([a!, b!], [b!, c!], 'group-60')).toEqual([b, c]);
  expect(found([a!, b!], [], 'price')).toEqual([a, b]);
  expect(found([a!, b!], [], '')).toEqual([a, b]);
});
