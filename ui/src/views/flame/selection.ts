// Which profiles are looked at, as an address has it and as it is asked for.

import type { FlameTransform, ProfileSelection } from '../../generated/api';
import { plural } from '../../format/number';
import { visible } from '../../format/visible';
import { firstOrder, noFilter, readFilter, writeFilter, type Filter, type Route } from '../../state/route';
import { allChips, requestOf } from '../clusters/filter';

export interface Chosen {
  ids: number[];
  /** Used where no cluster is named. */
  filter: Filter;
  prefix: string | null;
  group: string | null;
  computation: string | null;
  /** Of one cluster, in microseconds. */
  from: number | null;
  to: number | null;
}

export const nothingChosen: Chosen = { ids: [], filter: noFilter, prefix: null, group: null, computation: null, from: null, to: null };

/** What the page of a cluster shows a profile of. */
export function chosenOf({ id, item, from, to, flame: { group, computation } }: Route & { view: 'cluster' }): Chosen {
  return { ids: [id], filter: noFilter, prefix: item, group, computation, from, to };
}

export function selectionOf(chosen: Chosen): ProfileSelection {
  return {
    ids: chosen.ids,
    clusters: chosen.ids.length > 0 ? null : { ...requestOf(chosen.filter, firstOrder), limit: 0, offset: 0 },
    prefixes: chosen.prefix === null ? [] : [chosen.prefix],
    computation: chosen.computation,
    group: chosen.group,
    from_micros: chosen.from,
    to_micros: chosen.to,
  };
}

/** The other side of a difference, as its address has it; null if it names nothing. Of named clusters `from` and `to` are moments, of all that a filter lists they are days. */
export function readAgainst(text: string): Chosen | null {
  const q = new URLSearchParams(text);
  const prefix = q.get('prefix');
  if (q.get('of') === 'clusters') return { ...nothingChosen, filter: readFilter(q), prefix };
  const ids = (q.get('ids') ?? '').split(',').filter((id) => /^\d{1,15}$/.test(id));
  const moment = (name: string) => (/^\d{1,16}$/.test(q.get(name) ?? '') ? Number(q.get(name)) : null);
  if (ids.length === 0) return null;
  return { ...nothingChosen, ids: ids.map(Number), prefix, from: moment('from'), to: moment('to') };
}

/** Without a cluster that is named, all that the filter lists. */
export function writeAgainst({ ids, filter, prefix, from, to }: Pick<Chosen, 'ids' | 'filter' | 'prefix' | 'from' | 'to'>): string {
  const q = new URLSearchParams();
  const put = (name: string, value: string | number | null) => {
    if (value !== null && value !== '') q.set(name, String(value));
  };
  if (ids.length === 0) {
    put('of', 'clusters');
    writeFilter(filter, put);
  } else {
    put('ids', ids.join(','));
    put('from', from);
    put('to', to);
  }
  put('prefix', prefix);
  return q.toString();
}

/** What the other side is, in words; `name` of the one cluster, where it is known. */
export function againstWords({ ids, filter }: Pick<Chosen, 'ids' | 'filter'>, name: string | null): string {
  if (ids.length === 1) return name === null ? `cluster ${ids[0]}` : visible(name);
  if (ids.length > 1) return plural(ids.length, 'cluster');
  const parts = allChips(filter).map(({ label }) => label);
  return parts.length === 0 ? 'all clusters' : `clusters: ${parts.join(', ')}`;
}

const verbs: Record<FlameTransform['kind'], string> = {
  focus: 'only in',
  focus_subtree: 'only in this place of',
  merge: 'without',
  merge_node: 'without this place of',
  collapse: 'collapsed',
  collapse_library: 'one block per library:',
  collapse_recursion: 'recursion of',
  drop: 'samples dropped with',
};

/** A pill: `only in merge`. Without a name, no function here is called so; undefined is not told yet. */
export function stepWords(step: FlameTransform, name: string | null | undefined): string {
  return `${verbs[step.kind]} ${name === undefined ? '…' : (name ?? 'a function that is not here')}`;
}
