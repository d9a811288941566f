import { expect, test } from 'vitest';
import { linkTo } from './link';
import { cluster, clusters, overview } from './route';

test('a link names the cluster as every store does, and says what is shown of it', () => {
  const route = { ...cluster(7, 'profile'), from: 5, to: 9 };
  expect(linkTo(route, 'Scheduler-7f3a')).toBe('bobbin://cluster/Scheduler-7f3a?tab=profile&from=5&to=9');
  expect(linkTo(route, null)).toBe('bobbin://cluster/7?tab=profile&from=5&to=9');
  expect(linkTo(route, 'odd/../id')).toBe('bobbin://cluster/7?tab=profile&from=5&to=9');
  expect(linkTo(overview, null)).toBe('bobbin://overview');
  expect(linkTo({ ...clusters, view: 'clusters', text: 'a b' } as never, null)).toBe('bobbin://clusters?text=a+b');
});

test('no link leads to where something is changed or run, nor beside the store that it is about', () => {
  expect(linkTo({ view: 'sql', sql: 'select 1' }, null)).toBeNull();
  expect(linkTo({ view: 'connect' }, null)).toBeNull();
  expect(linkTo({ ...cluster(7), text: 'x'.repeat(3_000) }, null)).toBeNull();
});
