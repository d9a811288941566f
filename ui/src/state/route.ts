// The address of a view: `#/1/cluster/7?tab=groups&sort=compute`. What the screen shows is here and nowhere else, so
// an address can be sent to a colleague. It carries a version; older ones are upgraded in `read`.

import type { ClusterOrder, ClusterState, Direction } from '../generated/api';
import { isDay } from '../format/time';

export const version = 1;

export const periods = [7, 28, 91, 364] as const;
export type Period = (typeof periods)[number];

export const orders: readonly ClusterOrder[] = [
  'started',
  'name',
  'user',
  'duration',
  'workers_peak',
  'memory_peak',
  'tasks_completed',
  'compute_seconds',
  'thread_seconds',
  'exceptions',
];
export const states: readonly ClusterState[] = ['running', 'idle', 'finished', 'lost'];
export const tabs = ['groups', 'computations', 'exceptions', 'events', 'facts'] as const;
export type Tab = (typeof tabs)[number];
export const groupSorts = ['name', 'tasks', 'erred', 'compute', 'transfer', 'disk', 'bytes', 'start', 'span'] as const;
export type GroupSort = (typeof groupSorts)[number];

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

export type Route =
  | ({ view: 'overview'; days: Period } & Filter & Order)
  | ({ view: 'clusters' } & Filter & Order)
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
      /** One computation or group that others link to. */
      item: string | null;
    }
  | { view: 'exceptions'; text: string }
  | { view: 'connect' }
  | { view: 'not_found'; hash: string };

export const noFilter: Filter = { text: '', states: [], label: null, user: null, from: null, to: null };
export const firstOrder: Order = { order: 'started', direction: 'descending' };

export const overview: Route = { view: 'overview', days: 28, ...noFilter, ...firstOrder };
export const exceptions: Route = { view: 'exceptions', text: '' };
export const clusters: Route = { view: 'clusters', ...noFilter, ...firstOrder };

export function cluster(id: number, tab: Tab = 'groups', item: string | null = null): Route & { view: 'cluster' } {
  return { view: 'cluster', id, tab, from: null, to: null, text: '', sort: 'compute', direction: 'descending', item };
}

function oneOf<T extends string>(value: string | null, of: readonly T[], otherwise: T): T {
  return of.includes(value as T) ? (value as T) : otherwise;
}

function readFilter(q: URLSearchParams): Filter {
  const day = (name: string) => {
    const value = q.get(name);
    return value !== null && isDay(value) ? value : null;
  };
  return {
    text: q.get('text') ?? '',
    states: states.filter((state) => (q.get('states') ?? '').split(',').includes(state)),
    label: q.get('label'),
    user: q.get('user'),
    from: day('from'),
    to: day('to'),
  };
}

function readOrder(q: URLSearchParams): Order {
  return {
    order: oneOf(q.get('order'), orders, 'started'),
    direction: oneOf(q.get('direction'), ['ascending', 'descending'], 'descending'),
  };
}

/** Reads an address. Never fails: what is not understood has its default, and an unknown place says so. */
export function read(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#?\/?/, '').split('?', 2);
  const parts = path.split('/').filter((part) => part !== '');
  const q = new URLSearchParams(query);
  if (parts.length === 0) return overview;
  const numbered = /^\d+$/.test(parts[0]!) ? Number(parts.shift()) : version;
  if (numbered > version) return { view: 'not_found', hash };
  const [view, rest] = parts;
  if (view === 'overview') {
    const days = periods.find((p) => String(p) === q.get('days')) ?? 28;
    return { view, days, ...readFilter(q), ...readOrder(q) };
  }
  if (view === 'clusters') return { view, ...readFilter(q), ...readOrder(q) };
  if (view === 'cluster' && rest !== undefined && /^\d{1,15}$/.test(rest)) {
    const moment = (name: string) => (/^\d{1,16}$/.test(q.get(name) ?? '') ? Number(q.get(name)) : null);
    return {
      view,
      id: Number(rest),
      tab: oneOf(q.get('tab'), tabs, 'groups'),
      from: moment('from'),
      to: moment('to'),
      text: q.get('text') ?? '',
      sort: oneOf(q.get('sort'), groupSorts, 'compute'),
      direction: oneOf(q.get('direction'), ['ascending', 'descending'], 'descending'),
      item: q.get('item'),
    };
  }
  if (view === 'exceptions') return { view, text: q.get('text') ?? '' };
  if (view === 'connect') return { view };
  return { view: 'not_found', hash };
}

/** Writes an address; what has its default is left out. */
export function write(route: Route): string {
  if (route.view === 'not_found') return route.hash;
  const q = new URLSearchParams();
  const put = (name: string, value: string | number | null, otherwise: string | number | null = null) => {
    if (value !== null && value !== '' && value !== otherwise) q.set(name, String(value));
  };
  let path: string = route.view;
  if (route.view === 'overview') put('days', route.days, 28);
  if (route.view === 'overview' || route.view === 'clusters') {
    put('text', route.text);
    put('states', route.states.join(','));
    put('label', route.label);
    put('user', route.user);
    put('from', route.from);
    put('to', route.to);
    put('order', route.order, 'started');
    put('direction', route.direction, 'descending');
  }
  if (route.view === 'exceptions') put('text', route.text);
  if (route.view === 'cluster') {
    path = `cluster/${route.id}`;
    put('tab', route.tab, 'groups');
    put('from', route.from);
    put('to', route.to);
    put('text', route.text);
    put('sort', route.sort, 'compute');
    put('direction', route.direction, 'descending');
    put('item', route.item);
  }
  const query = q.toString();
  return `#/${version}/${path}${query === '' ? '' : `?${query}`}`;
}
