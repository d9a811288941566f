// A link to what is looked at, for a chat or a document: `bobbin://cluster/Scheduler-7f3a?tab=workers`. It opens in whoever's
// window has those clusters, so it names them by the ids of their schedulers, which are the same in every store.

import { write, type Route } from './route';

/** Places that a link leads to: what can be looked at, and nothing that sends, runs or changes. */
const linked: readonly Route['view'][] = ['overview', 'clusters', 'cluster', 'profile', 'compare', 'exceptions', 'costs'];

const longest = 2_000;

/** An id that stands in a link as it is, and is no number of a cluster. */
const plain = /^(?!\d+$)[\w.~-]{1,80}$/;

/** Calls `rename` with each number of a cluster that a place's address says: its own, the sides of a comparison, those of merged profiles. */
function eachCluster(path: string, query: string, rename: (number: string) => string): string {
  const all = (numbers: string) => numbers.split(',').map(rename).join(',');
  const [view = '', id] = path.split('/');
  const q = new URLSearchParams(query);
  for (const name of view === 'compare' ? ['a', 'b'] : view === 'profile' ? ['ids'] : []) {
    const said = q.get(name);
    if (said !== null) q.set(name, all(said));
  }
  const against = new URLSearchParams(q.get('f-against') ?? '');
  const others = against.get('ids');
  if (others !== null) {
    against.set('ids', all(others));
    q.set('f-against', against.toString());
  }
  return `${id === undefined ? view : `${view}/${rename(id)}`}${q.size === 0 ? '' : `?${q}`}`;
}

function parts(route: Route): [string, string] {
  const [path = '', query = ''] = write(route).replace(/^#\/\d+\/(?:beside\/[^/]*\/)?/, '').split('?', 2);
  return [path, query];
}

/** The numbers of the clusters that a link to this place names. */
export function clustersIn(route: Route): number[] {
  if (!linked.includes(route.view)) return [];
  const found = new Set<number>();
  eachCluster(...parts(route), (number) => {
    if (/^\d+$/.test(number)) found.add(Number(number));
    return number;
  });
  return [...found];
}

/** Null where no link leads. `schedulers` are the ids that are known, by the clusters' numbers here. */
export function linkTo(route: Route, schedulers: ReadonlyMap<number, string>): string | null {
  if (!linked.includes(route.view)) return null;
  const named = eachCluster(...parts(route), (number) => {
    const id = schedulers.get(Number(number));
    return id !== undefined && plain.test(id) ? id : number;
  });
  const link = `bobbin://${named}`;
  return link.length > longest ? null : link;
}
