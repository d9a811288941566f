import { expect, test } from 'vitest';
// The links that the Rust tests of `follow_link` read: every place that one leads to, and all that can be said of it.
import written from '../../../tests/fixtures/links.txt?raw';
import { compare, type CompareRoute } from './compareRoute';
import { firstFlame, type FlameRoute } from './flameRoute';
import { clustersIn, linkTo } from './link';
import { cluster, clusters, costs, exceptions, overview, profile, read, type Filter, type Route } from './route';

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

const filter: Filter = { text: 'etl & co', states: ['stalled', 'lost'], label: 'team', user: 'ana', from: '2026-11-01', to: '2026-11-28' };
const flame: FlameRoute = {
  shape: 'difference',
  zoom: 5,
  below: 2,
  order: 'left_heavy',
  runs: true,
  steps: [{ kind: 'focus', function: 12 }, { kind: 'merge_node', node: 14 }, { kind: 'collapse_library', library: 'pandas' }],
  of: 3,
  callers: 6,
  callees: 8,
  levels: 24,
  group: 'g 1',
  computation: 'c 1',
  against: 'ids=1&prefix=inc',
  measure: 'seconds',
  threshold: 20,
  list: 'vanished',
};
/** Each view with everything said of it, and as it is where nothing is. */
const full: [Route, Route][] = [
  [
    {
      view: 'overview',
      days: 91,
      heat: {
        by: 'span',
        measure: 'cost',
        form: 'calendar',
        bin: 'week',
        order: 'name',
        picks: [
          { row: { is: 'row', name: 'etl & co' }, from: '2026-11-01', to: '2026-11-03' },
          { row: { is: 'every' }, from: '0T3', to: '0T3' },
          { row: { is: 'nameless' }, from: 'h9', to: 'h9' },
        ],
      },
    },
    overview,
  ],
  [{ view: 'clusters', ...filter, order: 'cost', direction: 'ascending', columns: ['verdict', 'host'] }, clusters],
  [
    {
      view: 'cluster',
      id: 1,
      tab: 'events',
      from: 5,
      to: 9,
      text: 'read-parquet',
      sort: 'bytes',
      workers: 'memory',
      functions: 'total',
      direction: 'ascending',
      charts: 'prefixes',
      heat: 'processing',
      sum: 'span',
      graph: { measure: 'bytes', open: ['0123456789', 'abcdef0123'], whole: true, topDown: true, critical: true, computation: 'c 1', side: 'up', end: 'g&2' },
      flame,
      event: { field: 'metrics.phase', value: 'a=b & c' },
      item: 'g,1.2',
    },
    cluster(2),
  ],
  [{ view: 'profile', ids: [1, 7], prefix: 'inc', search: 'fn:read -/^_/', functions: 'total', direction: 'ascending', flame, ...filter }, profile([])],
  [{ view: 'compare', a: 'baseline', b: 1, perTask: true, differencesOnly: false, hideConstant: true } satisfies CompareRoute, compare(null, null)],
  [{ view: 'exceptions', text: 'KeyError', from: '2026-11-01', to: '2026-11-28' }, exceptions],
  [{ view: 'costs', days: 91, by: 'tag:env', across: 'project' }, costs],
];

/** What of a route is as it is where nothing is said. */
function unsaid(one: object, first: object, path = ''): string[] {
  return Object.entries(one).flatMap(([name, value]: [string, unknown]) => {
    const other = (first as Record<string, unknown>)[name];
    if (name === 'view') return [];
    if (['heat', 'graph', 'flame'].includes(name) && typeof value === 'object') return unsaid(value!, other!, `${path}${name}.`);
    return JSON.stringify(value) === JSON.stringify(other) ? [`${path}${name}`] : [];
  });
}

test('a link to each place, with all that can be said of it, is one that is followed', () => {
  for (const [one, first] of full) expect(unsaid(one, first)).toEqual([]);
  expect(full.map(([one]) => linkTo(one, new Map([[1, 'Scheduler-1']])))).toEqual(written.trimEnd().split('\n'));
  for (const [one] of full) expect(read(linkTo(one, none)!.replace('bobbin://', '#/1/'))).toEqual(one);
});

test('no link leads to where something is changed or run, nor beside the store that it is about', () => {
  expect(linkTo({ view: 'sql', sql: 'select 1' }, none)).toBeNull();
  expect(linkTo({ view: 'connect' }, none)).toBeNull();
  expect(linkTo({ ...cluster(7), text: 'x'.repeat(3_000) }, none)).toBeNull();
});
