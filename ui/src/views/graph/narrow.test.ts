import { expect, test } from 'vitest';
import { cluster } from '../../state/route';
import { groupOf, narrowed } from './narrow';

const isGroup = (id: string) => id.startsWith('g');

test('a chosen group goes along from list to list, through those that it does not narrow, too', () => {
  const graph = cluster(7, 'graph', 'g1');
  expect(groupOf(graph, isGroup)).toBe('g1');
  const exceptions = narrowed(graph, 'exceptions', groupOf(graph, isGroup));
  expect(exceptions.item).toBe('g1');
  const profile = narrowed(exceptions, 'profile', groupOf(exceptions, isGroup));
  expect([profile.item, profile.flame.group]).toEqual([null, 'g1']);
  const facts = narrowed(profile, 'facts', groupOf(profile, isGroup));
  expect(narrowed(facts, 'groups', groupOf(facts, isGroup)).item).toBe('g1');
});

test('what is no group stays where it is, and what was let go of does not come back', () => {
  expect(groupOf(cluster(7, 'computations', 'c1'), isGroup)).toBe(null);
  expect(narrowed(cluster(7, 'workers', 'w1'), 'groups', groupOf(cluster(7, 'workers', 'w1'), isGroup)).item).toBe(null);
  const left = { ...narrowed(cluster(7, 'graph', 'g1'), 'graph', 'g1'), item: null };
  expect(groupOf(left, isGroup)).toBe(null);
});
