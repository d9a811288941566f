import { expect, test } from 'vitest';
import { cluster, clusters, overview, read, write, type Route } from './route';

test('every view survives being written and read', () => {
  const routes: Route[] = [
    overview,
    { ...(overview as Route & { view: 'overview' }), days: 91, label: 'etl & co', from: '2026-11-01', to: '2026-11-03' },
    clusters,
    {
      ...(clusters as Route & { view: 'clusters' }),
      text: '<b>50 %?#/',
      states: ['running', 'lost'],
      user: 'ana',
      order: 'duration',
      direction: 'ascending',
    },
    cluster(7),
    { ...cluster(7, 'exceptions', 'ab/12'), from: 1_790_000_000_000_000, to: 1_790_000_001_000_000, sort: 'bytes' },
    { view: 'exceptions', text: 'KeyError' },
    { view: 'connect' },
  ];
  for (const route of routes) expect(read(write(route))).toEqual(route);
});

test('an empty address is the overview, and defaults stay out of addresses', () => {
  expect(read('')).toEqual(overview);
  expect(read('#/')).toEqual(overview);
  expect(write(overview)).toBe('#/1/overview');
  expect(write(cluster(3))).toBe('#/1/cluster/3');
});

test('an address without a version is read as the first one', () => {
  expect(read('#/cluster/3?tab=facts')).toEqual(cluster(3, 'facts'));
});

test('unknown places, later versions and odd numbers are not found', () => {
  for (const hash of ['#/1/nowhere', '#/99/overview', '#/1/cluster/x', '#/1/cluster/-1', '#/1/cluster'])
    expect(read(hash)).toEqual({ view: 'not_found', hash });
});

test('odd values have their defaults', () => {
  expect(read('#/1/overview?days=3&from=2026-02-30&order=hostile&states=on,idle')).toEqual({
    ...overview,
    states: ['idle'],
  });
});
