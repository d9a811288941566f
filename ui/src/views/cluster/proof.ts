// Where on the page of a cluster the proof of an answer is.

import type { Proof } from '../../generated/api';
import type { Route } from '../../state/route';
import { proof as inList } from './verdict';

/** As with a reason of the verdict, text that a list was narrowed to does not hide it. */
export function proofWithin(route: Route & { view: 'cluster' }, proof: Proof): Route | null {
  switch (proof.is) {
    case 'list':
      return inList(route, { tab: proof.tab, item: null });
    case 'prefix':
      return { ...route, tab: 'groups', item: null, text: proof.prefix };
    case 'nothing':
    case 'lost':
    case 'finished':
    case 'exception':
    case 'failed':
    case 'costs':
    case 'prices':
    case 'cluster':
      return null;
  }
}
