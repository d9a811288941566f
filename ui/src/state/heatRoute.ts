// What the heat-map of the overview shows, and what of it is chosen, as part of the address.

import type { HeatOrder, HeatRows, Measure } from '../generated/api';

export const heatRows: readonly HeatRows[] = ['user', 'project', 'host', 'name', 'span'];
export const measures: readonly Measure[] = ['compute', 'cluster', 'cost', 'idle', 'stalled', 'failures', 'memory_peak'];
export const forms = ['map', 'calendar', 'week'] as const;
/** Rows over time, a year of days, or the hours of a week. */
export type Form = (typeof forms)[number];
export const bins = ['hour', 'day', 'week'] as const;
export type Bin = (typeof bins)[number];

/** A row by its name, every row, or the row of those without a name. */
export type RowKey = { is: 'row'; name: string } | { is: 'every' } | { is: 'nameless' };

/** Columns `from` to `to` of a row, both inclusive, by their names. */
export interface Pick {
  row: RowKey;
  from: string;
  to: string;
}

export interface HeatRoute {
  /** Null: as core finds best. */
  by: HeatRows | null;
  measure: Measure;
  form: Form;
  /** Null: as suits the period. */
  bin: Bin | null;
  order: HeatOrder;
  picks: Pick[];
}

export const firstHeat: HeatRoute = { by: null, measure: 'compute', form: 'map', bin: null, order: 'total', picks: [] };

/** Names of columns: days, hours since 1970, and hours of the week. */
const column = /^(?:\d{4}-\d\d-\d\d|h\d{1,9}|[0-6]T\d{1,2})$/;

function readPick(text: string): Pick | null {
  const [row = '', columns = ''] = text.split('@', 2);
  const [from = '', to = from] = columns.split('..', 2);
  if (!column.test(from) || !column.test(to)) return null;
  if (row === '*') return { row: { is: 'every' }, from, to };
  if (row === '-') return { row: { is: 'nameless' }, from, to };
  if (!row.startsWith('=')) return null;
  try {
    return { row: { is: 'row', name: decodeURIComponent(row.slice(1)) }, from, to };
  } catch {
    return null;
  }
}

function writePick({ row, from, to }: Pick): string {
  const name = row.is === 'every' ? '*' : row.is === 'nameless' ? '-' : `=${encodeURIComponent(row.name)}`;
  return `${name}@${from}${to === from ? '' : `..${to}`}`;
}

function oneOf<T extends string>(value: string | null, of: readonly T[]): T | null {
  return of.includes(value as T) ? (value as T) : null;
}

export function readHeat(q: URLSearchParams): HeatRoute {
  return {
    by: oneOf(q.get('by'), heatRows),
    measure: oneOf(q.get('measure'), measures) ?? 'compute',
    form: oneOf(q.get('form'), forms) ?? 'map',
    bin: oneOf(q.get('bin'), bins),
    order: q.get('rows') === 'name' ? 'name' : 'total',
    picks: (q.get('pick') ?? '').split(';').flatMap((text) => readPick(text) ?? []),
  };
}

export function writeHeat(heat: HeatRoute, put: (name: string, value: string | null, otherwise?: string | null) => void): void {
  put('by', heat.by);
  put('measure', heat.measure, 'compute');
  put('form', heat.form, 'map');
  put('bin', heat.bin);
  put('rows', heat.order, 'total');
  put('pick', heat.picks.map(writePick).join(';'));
}
