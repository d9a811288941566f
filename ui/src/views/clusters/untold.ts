// What a row cannot tell, and why: a dash and never a zero.

import type { ClusterColumn, ClusterRow } from '../../generated/api';
import { dateTime } from '../../format/time';
import { sourceWords } from '../cluster/told';

/** The word of a cluster's facts that each column needs. */
const needs: Partial<Record<ClusterColumn, string>> = {
  started: 'times',
  stopped: 'times',
  last_work: 'times',
  duration: 'times',
  workers: 'workers',
  threads: 'workers',
  cluster_time: 'workers',
  stalled: 'workers',
  efficiency: 'workers',
  memory: 'memory',
  tasks: 'groups',
  erred: 'groups',
  compute: 'groups',
  exceptions: 'exceptions',
};

/** Why a figure of a row is not known; null where it is. */
export function untold(row: Pick<ClusterRow, 'unavailable' | 'source' | 'started_micros'>, column: ClusterColumn): string | null {
  const word = needs[column];
  if (word === undefined || !row.unavailable.includes(word)) return null;
  const file = sourceWords(row.source);
  const why = file === null ? 'not collected: its version of Dask does not report it' : `not collected: it was read from ${file}`;
  return word === 'times' ? `${why}; shown at the time of import, ${dateTime(row.started_micros)}` : why;
}
