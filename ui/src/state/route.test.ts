import { expect, test } from 'vitest';
import { firstFlame } from './flameRoute';
import { firstHeat } from './heatRoute';
import { cluster, clusters, noFilter, overview, profile, read, write, type Route } from './route';

test('every view survives being written and read', () => {
  const routes: Route[] = [
    overview,
    { ...overview, days: 91, heat: { ...firstHeat, measure: 'cost', picks: [{ row: { is: 'row', name: 'etl & co' }, from: '2026-11-01', to: '2026-11-03' }] } },
    { view: 'prices' },
    { view: 'sql', sql: '' },
    { view: 'sql', sql: "select 1 -- a?b&c=d\nfrom cluster where name = '100%'" },
    clusters,
    {
      ...clusters,
      text: '<b>50 %?#/',
      states: ['running', 'lost'],
      user: 'ana',
      order: 'duration',
      direction: 'ascending',
    },
    cluster(7),
    { ...cluster(7, 'exceptions', 'ab/12'), from: 1_790_000_000_000_000, to: 1_790_000_001_000_000, sort: 'bytes' },
    cluster(7, 'workers', 'w1'),
    { ...cluster(7, 'workers'), workers: 'memory', direction: 'descending', charts: 'hardware' },
    { ...cluster(7), charts: 'prefixes', heat: 'processing' },
    { ...cluster(7, 'activity'), sum: 'span' },
    { ...cluster(7, 'events'), event: { field: 'a.b & c', value: '=1' } },
    { ...cluster(7, 'events'), event: { field: 'a', value: '' } },
    { ...cluster(7, 'profile'), functions: 'total' },
    {
      ...cluster(7, 'graph', 'g,1.2'),
      graph: { measure: 'bytes', open: ['0123456789', 'abcdef0123'], whole: true, topDown: true, critical: true, computation: 'c 1', side: 'up', end: 'g&2' },
    },
    { view: 'exceptions', text: 'KeyError', from: '2026-11-01', to: '2026-11-28' },
    profile([3, 9]),
    { ...profile([], { ...noFilter, text: 'etl & co', states: ['lost'], user: 'ana', from: '2026-11-01' }), prefix: 'read-parquet', search: 'fn:read -/^_/', functions: 'total' },
    { ...cluster(7, 'profile'), flame: { ...firstFlame, shape: 'sandwich', of: 9_007_199_254_740_991, callers: 7, callees: 9_007_199_254_740_990, levels: 36, steps: [{ kind: 'focus', function: 12 }, { kind: 'focus_subtree', node: 13 }, { kind: 'merge_node', node: 14 }, { kind: 'collapse_library', library: 'a.b ~c' }] } },
    { ...cluster(7, 'profile'), flame: { ...firstFlame, shape: 'difference', against: 'ids=3&prefix=a%26b', measure: 'seconds', threshold: 20, list: 'vanished', zoom: 5, below: 2, runs: true, order: 'left_heavy', group: 'g 1' } },
    { view: 'connect' },
    { view: 'connect', at: 'remote' },
    { view: 'settings', section: 'inbox', item: 'folders' },
  ];
  for (const route of routes) expect(read(write(route))).toEqual(route);
});

test('an empty address is the overview, and defaults stay out of addresses', () => {
  expect(read('')).toEqual(overview);
  expect(read('#/')).toEqual(overview);
  expect(write(overview)).toBe('#/1/overview');
  expect(write(cluster(3))).toBe('#/1/cluster/3');
  expect(write(cluster(3, 'workers'))).toBe('#/1/cluster/3?tab=workers');
});

test('an address without a version is read as the first one', () => {
  expect(read('#/cluster/3?tab=facts')).toEqual(cluster(3, 'facts'));
});

test('unknown places, later versions and odd numbers are not found', () => {
  for (const hash of ['#/1/nowhere', '#/99/overview', '#/1/cluster/x', '#/1/cluster/-1', '#/1/cluster'])
    expect(read(hash)).toEqual({ view: 'not_found', hash });
});

test('odd values have their defaults', () => {
  expect(read('#/1/overview?days=3&by=planet')).toEqual(overview);
  expect(read('#/1/clusters?from=2026-02-30&order=hostile&states=on,idle')).toEqual({
    ...clusters,
    states: ['idle'],
  });
});

test('odd parts of a flame graph’s address are left out', () => {
  const flame = (query: string) => (read(`#/1/cluster/3?tab=profile&${query}`) as Route & { view: 'cluster' }).flame;
  expect(flame('f-zoom=-1&f-steps=x1.f.m99999999999999999999.C%25E0.r5&f-as=hostile&f-threshold=7&f-list=all&f-callers=x&f-callees=-1&f-levels=3')).toEqual({ ...firstFlame, steps: [{ kind: 'collapse_recursion', function: 5 }] });
});

test('views write no address by hand', () => {
  const sources = import.meta.glob<string>(['../views/**/*.svelte', '../parts/**/*.svelte'], { query: '?raw', import: 'default', eager: true });
  expect(Object.keys(sources)).toContain('../parts/Unlock.svelte');
  for (const [file, source] of Object.entries(sources)) expect(source.includes('href="#/1/'), file).toBe(false);
});
