import { expect, test } from 'vitest';
import { firstFlame } from './flameRoute';
import { clustersIn, linkTo } from './link';
import { compare } from './compareRoute';
import { cluster, clusters, overview, profile } from './route';

const none = new Map<number, string>();
const known = new Map([
  [7, 'Scheduler-7f3a'],
  [9, 'Scheduler-9c'],
]);

test('a link names the cluster as every store does, and says what is shown of it', () => {
  const route = { ...cluster(7, 'profile'), from: 5, to: 9 };
  expect(linkTo(route, known)).toBe('bobbin://cluster/Scheduler-7f3a?tab=profile&from=5&to=9');
  expect(linkTo(route, none)).toBe('bobbin://cluster/7?tab=profile&from=5&to=9');
  for (const odd of ['odd/../id', '9']) expect(linkTo(route, new Map([[7, odd]]))).toBe('bobbin://cluster/7?tab=profile&from=5&to=9');
  expect(linkTo(overview, none)).toBe('bobbin://overview');
  expect(linkTo({ ...clusters, view: 'clusters', text: 'a b' } as never, none)).toBe('bobbin://clusters?text=a+b');
});

test('so do links to a comparison and to merged profiles', () => {
  expect(linkTo(compare(7, 9), known)).toBe('bobbin://compare?a=Scheduler-7f3a&b=Scheduler-9c');
  expect(linkTo(compare('baseline', 9, { perTask: true }), known)).toBe('bobbin://compare?a=baseline&b=Scheduler-9c&per=task');
  expect(linkTo(profile([7, 9, 11]), known)).toBe('bobbin://profile?ids=Scheduler-7f3a%2CScheduler-9c%2C11');
  const against = { ...profile([7]), flame: { ...firstFlame, against: 'ids=9&prefix=inc' } };
  expect(linkTo(against, known)).toBe('bobbin://profile?ids=Scheduler-7f3a&f-against=ids%3DScheduler-9c%26prefix%3Dinc');
  expect(clustersIn(against)).toEqual([7, 9]);
  expect(clustersIn(compare('baseline', 9))).toEqual([9]);
  expect(clustersIn(cluster(7))).toEqual([7]);
  expect(clustersIn(overview)).toEqual([]);
});

test('no link leads to where something is changed or run, nor beside the store that it is about', () => {
  expect(linkTo({ view: 'sql', sql: 'select 1' }, none)).toBeNull();
  expect(linkTo({ view: 'connect' }, none)).toBeNull();
  expect(linkTo({ ...cluster(7), text: 'x'.repeat(3_000) }, none)).toBeNull();
});
