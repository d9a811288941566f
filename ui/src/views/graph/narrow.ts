// The group that is chosen in one list of a cluster narrows the others.

import type { Route, Tab } from '../../state/route';

type ClusterRoute = Route & { view: 'cluster' };

/** Lists whose `item` may be a group. What a worker did of which group Dask does not tell. */
const ofGroups: readonly Tab[] = ['groups', 'graph', 'computations', 'exceptions'];

/** The group that a cluster's page is narrowed to. */
export function groupOf(route: ClusterRoute, isGroup: (id: string) => boolean): string | null {
  if (!ofGroups.includes(route.tab)) return route.flame.group;
  return route.item !== null && isGroup(route.item) ? route.item : null;
}

/** What another list takes over of the present one. */
export function narrowed(route: ClusterRoute, tab: Tab, group: string | null): ClusterRoute {
  return { ...route, tab, item: ofGroups.includes(tab) ? group : null, flame: { ...route.flame, group } };
}
