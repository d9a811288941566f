// The address of a view: `#/1/cluster/7?tab=groups&sort=compute`. What the screen shows is here and nowhere else, so
// an address can be sent to a colleague. It carries a version; older ones are upgraded in `read`.

import type { ClusterColumn, ClusterOrder, ClusterState, Direction } from '../generated/api';
import { beside } from '../api/beside';
import { isDay } from '../format/time';
import { readCompare, writeCompare, type CompareRoute } from './compareRoute';
import { firstFlame, readFlame, writeFlame, type FlameRoute } from './flameRoute';
import { firstHeat, readHeat, writeHeat, type HeatRoute } from './heatRoute';
import { readReview, writeReview, type ReviewRoute } from './reviewRoute';
import { firstGraph, readGraph, writeGraph, type GraphRoute } from './graphRoute';

export const version = 1;

export const periods = [7, 28, 91, 364] as const;
export type Period = (typeof periods)[number];

export const orders: readonly ClusterOrder[] = [
  'started',
  'name',
  'user',
  'host',
  'project',
  'seen',
  'last_work',
  'duration',
  'workers_peak',
  'threads_peak',
  'memory_peak',
  'tasks_completed',
  'compute_seconds',
  'thread_seconds',
  'stalled_seconds',
  'efficiency',
  'exceptions',
  'cost',
];
export const clusterColumns: readonly ClusterColumn[] = [
  'state', 'verdict', 'project', 'user', 'host', 'started', 'stopped', 'last_work', 'duration', 'workers', 'threads', 'memory', 'tasks', 'erred', 'compute',
  'cluster_time', 'stalled', 'efficiency', 'cost', 'exceptions', 'tags', 'note',
];
export const states: readonly ClusterState[] = ['running', 'stalled', 'idle', 'finished', 'lost'];
export const tabs = ['groups', 'graph', 'computations', 'exceptions', 'workers', 'activity', 'profile', 'cost', 'events', 'facts'] as const;
export type Tab = (typeof tabs)[number];
export const groupSorts = ['name', 'tasks', 'erred', 'compute', 'transfer', 'disk', 'bytes', 'cost', 'p50', 'p95', 'start', 'span'] as const;
export type GroupSort = (typeof groupSorts)[number];
export const workerSorts = ['worker', 'state', 'host', 'threads', 'cpu', 'memory', 'spilled', 'tasks', 'lag', 'joined', 'left'] as const;
export type WorkerSort = (typeof workerSorts)[number];
export const functionSorts = ['self', 'total', 'function', 'file'] as const;
export type FunctionSort = (typeof functionSorts)[number];
export const charts = ['work', 'hardware', 'workers', 'prefixes'] as const;
/** Which charts of a cluster are shown over time. */
export type Charts = (typeof charts)[number];
export const heatRows = ['prefix', 'cpu_percent', 'memory_used_bytes', 'memory_spilled_bytes', 'processing'] as const;
/** What the rows of a cluster's heat-map are: prefixes, or workers by one measure. */
export type HeatRows = (typeof heatRows)[number];
export const settingsSections = ['receiver', 'storage', 'prices', 'people', 'privacy', 'inbox', 'team', 'desktop', 'appearance', 'doctor', 'updates', 'keys'] as const;
export type SettingsSection = (typeof settingsSections)[number];
/** By what the time of workers is summed. */
export const sums = ['prefix', 'span', 'context'] as const;
export type Sum = (typeof sums)[number];

/** Which clusters: a row of the heat-map, local days, states, and words. */
export interface Filter {
  text: string;
  states: ClusterState[];
  label: string | null;
  user: string | null;
  /** Local days, both inclusive. */
  from: string | null;
  to: string | null;
}

export interface Order {
  order: ClusterOrder;
  direction: Direction;
}

export interface EventWord {
  /** Its path in the payload: `metrics.phase`. */
  field: string;
  value: string;
}

export type Route =
  | { view: 'overview'; days: Period; heat: HeatRoute }
  | ({
      view: 'clusters';
      /** From left to right, behind the name; null is as the reader has them. */
      columns: readonly ClusterColumn[] | null;
    } & Filter &
      Order)
  | {
      view: 'cluster';
      id: number;
      tab: Tab;
      /** Part of the cluster's time, in microseconds. */
      from: number | null;
      to: number | null;
      text: string;
      sort: GroupSort;
      direction: Direction;
      workers: WorkerSort;
      functions: FunctionSort;
      charts: Charts;
      heat: HeatRows;
      sum: Sum;
      graph: GraphRoute;
      flame: FlameRoute;
      /** The word in events that was chosen: only events with it are listed. */
      event: EventWord | null;
      /** One computation, group, worker, prefix or span that others link to. */
      item: string | null;
    }
  | ({
      /** The profiles of many clusters, merged: of these, or else of those that the filter lists. */
      view: 'profile';
      ids: number[];
      prefix: string | null;
      search: string;
      functions: FunctionSort;
      direction: Direction;
      flame: FlameRoute;
    } & Filter)
  | CompareRoute
  | {
      view: 'exceptions';
      text: string;
      /** Local days, both inclusive. */
      from: string | null;
      to: string | null;
    }
  | { view: 'prices' }
  | {
      view: 'costs';
      days: Period;
      /** `user`, `project`, `host`, `name` or `tag:env`. */
      by: string;
      /** What the rows are parted by, in the same words; nothing where columns are figures. */
      across: string;
    }
  | { view: 'sql'; sql: string }
  | ReviewRoute
  | { view: 'ledger' }
  | {
      view: 'settings';
      section: SettingsSection;
      /** The setting that is meant. */
      item: string | null;
    }
  | {
      view: 'connect';
      /** The part that is meant. */
      at?: 'remote';
    }
  | { view: 'not_found'; hash: string };

export const noFilter: Filter = { text: '', states: [], label: null, user: null, from: null, to: null };
export const firstOrder: Order = { order: 'started', direction: 'descending' };

export const overview: Route & { view: 'overview' } = { view: 'overview', days: 28, heat: firstHeat };
export const costs: Route & { view: 'costs' } = { view: 'costs', days: 28, by: 'user', across: '' };
export const exceptions: Route & { view: 'exceptions' } = { view: 'exceptions', text: '', from: null, to: null };
export const clusters: Route & { view: 'clusters' } = { view: 'clusters', columns: null, ...noFilter, ...firstOrder };

export function cluster(id: number, tab: Tab = 'groups', item: string | null = null): Route & { view: 'cluster' } {
  const order = { sort: 'compute', workers: 'state', functions: 'self', direction: tabDirection(tab) } as const;
  return { view: 'cluster', id, tab, from: null, to: null, text: '', ...order, charts: 'work', heat: 'prefix', sum: 'prefix', graph: firstGraph, flame: firstFlame, event: null, item };
}

/** A section of the settings, and in it one thing that is set. */
export function settingsAt(section: SettingsSection = 'receiver', item: string | null = null): Route & { view: 'settings' } {
  return { view: 'settings', section, item };
}

/** The merged profiles of some clusters, or of those that a filter lists. */
export function profile(ids: number[], filter: Filter = noFilter): Route & { view: 'profile' } {
  return { view: 'profile', ids, ...filter, prefix: null, search: '', functions: 'self', direction: 'descending', flame: firstFlame };
}

/** Most lists of a cluster begin with the largest; its workers with those that are here. */
export function tabDirection(tab: Tab): Direction {
  return tab === 'workers' ? 'ascending' : 'descending';
}

function oneOf<T extends string>(value: string | null, of: readonly T[], otherwise: T): T {
  return of.includes(value as T) ? (value as T) : otherwise;
}

function readDay(q: URLSearchParams, name: string): string | null {
  const value = q.get(name);
  return value !== null && isDay(value) ? value : null;
}

export function readFilter(q: URLSearchParams): Filter {
  return {
    text: q.get('text') ?? '',
    states: states.filter((state) => (q.get('states') ?? '').split(',').includes(state)),
    label: q.get('label'),
    user: q.get('user'),
    from: readDay(q, 'from'),
    to: readDay(q, 'to'),
  };
}

export function writeFilter(filter: Filter, put: (name: string, value: string | null) => void): void {
  put('text', filter.text);
  put('states', filter.states.join(','));
  put('label', filter.label);
  put('user', filter.user);
  put('from', filter.from);
  put('to', filter.to);
}

function readOrder(q: URLSearchParams): Order {
  return {
    order: oneOf(q.get('order'), orders, 'started'),
    direction: oneOf(q.get('direction'), ['ascending', 'descending'], 'descending'),
  };
}

/** The columns that are known, each once; null where none is named. */
function readColumns(text: string | null): ClusterColumn[] | null {
  if (text === null) return null;
  const named = new Set(text.split(','));
  return [...named].filter((name) => clusterColumns.includes(name as ClusterColumn)) as ClusterColumn[];
}

/** Reads an address. Never fails: what is not understood has its default, and an unknown place says so. */
export function read(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#?\/?/, '').split('?', 2);
  const parts = path.split('/').filter((part) => part !== '');
  const q = new URLSearchParams(query);
  if (parts.length === 0) return overview;
  const numbered = /^\d+$/.test(parts[0]!) ? Number(parts.shift()) : version;
  if (numbered > version) return { view: 'not_found', hash };
  // Which store it is about: see `beside`.
  if (parts[0] === 'beside') parts.splice(0, 2);
  if (parts.length === 0) return overview;
  const [view, rest] = parts;
  if (view === 'overview') {
    const days = periods.find((p) => String(p) === q.get('days')) ?? 28;
    return { view, days, heat: readHeat(q) };
  }
  if (view === 'clusters') return { view, columns: readColumns(q.get('columns')), ...readFilter(q), ...readOrder(q) };
  if (view === 'cluster' && rest !== undefined && /^\d{1,15}$/.test(rest)) {
    const tab = oneOf(q.get('tab'), tabs, 'groups');
    const moment = (name: string) => (/^\d{1,16}$/.test(q.get(name) ?? '') ? Number(q.get(name)) : null);
    return {
      view,
      id: Number(rest),
      tab,
      from: moment('from'),
      to: moment('to'),
      text: q.get('text') ?? '',
      sort: oneOf(q.get('sort'), groupSorts, 'compute'),
      workers: oneOf(q.get('workers'), workerSorts, 'state'),
      functions: oneOf(q.get('functions'), functionSorts, 'self'),
      direction: oneOf(q.get('direction'), ['ascending', 'descending'], tabDirection(tab)),
      charts: oneOf(q.get('charts'), charts, 'work'),
      heat: oneOf(q.get('heat'), heatRows, 'prefix'),
      sum: oneOf(q.get('sum'), sums, 'prefix'),
      graph: readGraph(q),
      flame: readFlame(q),
      event: readEvent(q),
      item: q.get('item'),
    };
  }
  if (view === 'profile') {
    const ids = (q.get('ids') ?? '').split(',').filter((id) => /^\d{1,15}$/.test(id));
    return {
      view,
      ids: ids.map(Number),
      ...readFilter(q),
      prefix: q.get('prefix'),
      search: q.get('search') ?? '',
      functions: oneOf(q.get('functions'), functionSorts, 'self'),
      direction: oneOf(q.get('direction'), ['ascending', 'descending'], 'descending'),
      flame: readFlame(q),
    };
  }
  if (view === 'compare') return readCompare(q);
  if (view === 'review') return readReview(q);
  if (view === 'ledger') return { view };
  if (view === 'exceptions') return { view, text: q.get('text') ?? '', from: readDay(q, 'from'), to: readDay(q, 'to') };
  if (view === 'prices') return { view };
  if (view === 'costs') return { view, days: periods.find((p) => String(p) === q.get('days')) ?? 28, by: q.get('by') ?? 'user', across: q.get('across') ?? '' };
  if (view === 'sql') return { view, sql: q.get('sql') ?? '' };
  if (view === 'settings') return settingsAt(oneOf(rest ?? null, settingsSections, 'receiver'), q.get('item'));
  if (view === 'connect') return q.get('at') === 'remote' ? { view, at: 'remote' } : { view };
  return { view: 'not_found', hash };
}

/** A word may be empty, a field may not. */
function readEvent(q: URLSearchParams): EventWord | null {
  const field = q.get('e-field') ?? '';
  return field === '' ? null : { field, value: q.get('e-value') ?? '' };
}

/** Writes an address; what has its default is left out. */
export function write(route: Route): string {
  if (route.view === 'not_found') return route.hash;
  const q = new URLSearchParams();
  const put = (name: string, value: string | number | null, otherwise: string | number | null = null) => {
    if (value !== null && value !== '' && value !== otherwise) q.set(name, String(value));
  };
  let path: string = route.view;
  if (route.view === 'overview') {
    put('days', route.days, 28);
    writeHeat(route.heat, put);
  }
  if (route.view === 'clusters' || route.view === 'profile') writeFilter(route, put);
  if (route.view === 'profile') {
    put('ids', route.ids.join(','));
    put('prefix', route.prefix);
    put('search', route.search);
    put('functions', route.functions, 'self');
    put('direction', route.direction, 'descending');
    writeFlame(route.flame, put);
  }
  if (route.view === 'clusters') {
    put('order', route.order, 'started');
    put('direction', route.direction, 'descending');
    // No column at all is a choice, too.
    if (route.columns !== null) q.set('columns', route.columns.join(','));
  }
  if (route.view === 'compare') writeCompare(route, put);
  if (route.view === 'review') writeReview(route, put);
  if (route.view === 'exceptions') {
    put('text', route.text);
    put('from', route.from);
    put('to', route.to);
  }
  if (route.view === 'costs') {
    put('days', route.days, 28);
    put('by', route.by, 'user');
    put('across', route.across);
  }
  if (route.view === 'sql') put('sql', route.sql);
  if (route.view === 'connect') put('at', route.at ?? null);
  if (route.view === 'settings') {
    path = `settings/${route.section}`;
    put('item', route.item);
  }
  if (route.view === 'cluster') {
    path = `cluster/${route.id}`;
    put('tab', route.tab, 'groups');
    put('from', route.from);
    put('to', route.to);
    put('text', route.text);
    put('sort', route.sort, 'compute');
    put('workers', route.workers, 'state');
    put('functions', route.functions, 'self');
    put('direction', route.direction, tabDirection(route.tab));
    put('charts', route.charts, 'work');
    put('heat', route.heat, 'prefix');
    put('sum', route.sum, 'prefix');
    writeGraph(route.graph, put);
    writeFlame(route.flame, put);
    if (route.event !== null) {
      put('e-field', route.event.field);
      put('e-value', route.event.value);
    }
    put('item', route.item);
  }
  const query = q.toString();
  return `#/${version}/${beside === null ? '' : `beside/${beside}/`}${path}${query === '' ? '' : `?${query}`}`;
}
