// A link to what is looked at, for a chat or a document: `bobbin://cluster/Scheduler-7f3a?tab=workers`. It opens in whoever's
// window has that cluster.

import { write, type Route } from './route';

/** Places that a link leads to: what can be looked at, and nothing that sends, runs or changes. */
const linked: readonly Route['view'][] = ['overview', 'clusters', 'cluster', 'profile', 'compare', 'exceptions', 'costs'];

const longest = 2_000;

/** Null where no link leads. `scheduler`: the id of the cluster, which is the same in every store. */
export function linkTo(route: Route, scheduler: string | null): string | null {
  if (!linked.includes(route.view)) return null;
  const [path = '', query] = write(route).replace(/^#\/\d+\/(?:beside\/[^/]*\/)?/, '').split('?', 2);
  const known = route.view === 'cluster' && scheduler !== null && /^[\w.~-]{1,80}$/.test(scheduler);
  const link = `bobbin://${known ? `cluster/${scheduler}` : path}${query === undefined ? '' : `?${query}`}`;
  return link.length > longest ? null : link;
}
