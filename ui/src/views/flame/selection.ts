// Which profiles are looked at, as an address has it and as it is asked for.

import type { FlameTransform, ProfileSelection } from '../../generated/api';
import { requestOf } from '../clusters/filter';
import { firstOrder, noFilter, type Filter } from '../../state/route';

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

/** The other side of a difference, as its address has it; null if it names nothing. */
export function readAgainst(text: string): Chosen | null {
  const q = new URLSearchParams(text);
  const ids = (q.get('ids') ?? '').split(',').filter((id) => /^\d{1,15}$/.test(id));
  const moment = (name: string) => (/^\d{1,16}$/.test(q.get(name) ?? '') ? Number(q.get(name)) : null);
  if (ids.length === 0) return null;
  return { ...nothingChosen, ids: ids.map(Number), prefix: q.get('prefix'), from: moment('from'), to: moment('to') };
}

export function writeAgainst({ ids, prefix, from, to }: Pick<Chosen, 'ids' | 'prefix' | 'from' | 'to'>): string {
  const q = new URLSearchParams({ ids: ids.join(',') });
  if (prefix !== null) q.set('prefix', prefix);
  if (from !== null) q.set('from', String(from));
  if (to !== null) q.set('to', String(to));
  return q.toString();
}

const verbs: Record<FlameTransform['kind'], string> = {
  focus: 'only in',
  merge: 'without',
  collapse: 'collapsed',
  collapse_library: 'one block a library:',
  collapse_recursion: 'recursion of',
  drop: 'samples dropped with',
};

/** A pill: `only in merge`. */
export function stepWords(step: FlameTransform, name: string | null): string {
  return `${verbs[step.kind]} ${name ?? 'a function that is not here'}`;
}
