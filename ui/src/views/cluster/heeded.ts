// What a chosen time or task group does not narrow in a list, and why: said where it would be taken for narrowed.

import type { Route } from '../../state/route';

type ClusterRoute = Route & { view: 'cluster' };

/** A sentence for the list that is shown; null where everything in it is of what is chosen. `prefix`: of the chosen group. */
export function unheeded({ tab, from, to }: Pick<ClusterRoute, 'tab' | 'from' | 'to'>, prefix: string | null): string | null {
  const said = [...(from === null && to === null ? [] : ofTime(tab)), ...(prefix === null ? [] : ofGroup(tab, prefix))];
  return said.length === 0 ? null : said.join(' ');
}

function ofTime(tab: ClusterRoute['tab']): string[] {
  switch (tab) {
    case 'activity':
      return ['Spans are those of the chosen time. Where the workers’ time went is of the whole run: Dask sums it up, and keeps no times of it.'];
    case 'cost':
      return ['All of the run, not only the chosen time: what operations cost is worked out from their sums.'];
    case 'graph':
      return ['Groups at work in the chosen time stand out; their figures are of the whole run.'];
    case 'workers':
      return ['Workers that were here in the chosen time, with the figures of the last sample.'];
    default:
      return [];
  }
}

function ofGroup(tab: ClusterRoute['tab'], prefix: string): string[] {
  switch (tab) {
    case 'activity':
      return [`Where the workers’ time went is of all groups of ${prefix}: Dask tells it by prefix.`];
    case 'cost':
      return ['The chosen group is marked among all operations; lines of code are of all groups.'];
    case 'workers':
      return ['All groups: which worker ran the tasks of which group is not told.'];
    case 'events':
      return ['All groups: an event does not tell of which it is.'];
    default:
      return [];
  }
}
