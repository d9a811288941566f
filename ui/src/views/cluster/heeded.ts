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
  const of = [...(inTime ? ['the whole run'] : []), ...(prefix === null ? [] : [`all groups of ${prefix}`])];
  const why = [...(prefix === null ? [] : ['by prefix']), ...(inTime ? ['without times'] : [])];
  return `${inTime ? 'Spans are those of the selected time. ' : ''}Where the workers’ time went covers ${of.join(', ')}: Dask sums it up ${why.join(', ')}.`;
}

function ofTime(tab: ClusterRoute['tab']): string[] {
  switch (tab) {
    case 'cost':
      return ['The whole run, not only the selected time: the cost of operations comes from their totals.'];
    case 'graph':
      return ['Groups active in the selected time stand out. Their figures are for the whole run.'];
    case 'workers':
      return ['Workers present in the selected time, with the figures of the last sample.'];
    default:
      return [];
  }
}

function ofGroup(tab: ClusterRoute['tab']): string[] {
  switch (tab) {
    case 'cost':
      return ['The selected group is marked among all operations. Lines of code cover all groups.'];
    case 'workers':
      return ['All groups: it is not recorded which worker ran the tasks of which group.'];
    case 'events':
      return ['All groups: events do not say which group they belong to.'];
    default:
      return [];
  }
}
