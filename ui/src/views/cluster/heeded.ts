// What a chosen time or task group does not narrow in a list, and why: said where it would be taken for narrowed.

import type { Route } from '../../state/route';

type ClusterRoute = Route & { view: 'cluster' };

/** A sentence for the list that is shown; null where everything in it is of what is chosen. `prefix`: of the chosen group. */
export function unheeded({ tab, from, to }: Pick<ClusterRoute, 'tab' | 'from' | 'to'>, prefix: string | null): string | null {
  const inTime = from !== null || to !== null;
  if (tab === 'activity') return ofActivity(inTime, prefix);
  const said = [...(inTime ? ofTime(tab) : []), ...(prefix === null ? [] : ofGroup(tab))];
  return said.length === 0 ? null : said.join(' ');
}

/** Its spans obey both. */
function ofActivity(inTime: boolean, prefix: string | null): string | null {
  if (!inTime && prefix === null) return null;
  const of = [...(inTime ? ['of the whole run'] : []), ...(prefix === null ? [] : [`of all groups of ${prefix}`])];
  const why = [...(prefix === null ? [] : ['by prefix']), ...(inTime ? ['without times'] : [])];
  return `${inTime ? 'Spans are those of the chosen time. ' : ''}Where the workers’ time went is ${of.join(', ')}: Dask sums it up ${why.join(', ')}.`;
}

function ofTime(tab: ClusterRoute['tab']): string[] {
  switch (tab) {
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

function ofGroup(tab: ClusterRoute['tab']): string[] {
  switch (tab) {
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
