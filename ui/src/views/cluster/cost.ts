// What a cluster cost, as rows of a table.

import type { OperationCost } from '../../generated/api';
import { plural } from '../../format/number';

export interface Row {
  id: string;
  label: string;
  means: string;
  /** Of the time of threads, 0 to 1. */
  share: number;
  /** Threads did nothing. */
  idle: boolean;
  colour: string;
  /** The prefix of its task groups. */
  prefix: string | null;
}

/** An operation by its name. */
export function row({ operation, groups_total, thread_micros }: OperationCost, all: number): Row {
  const share = all > 0 ? thread_micros / all : 0;
  const work = { share, idle: false, prefix: null, colour: 'var(--data-compute)' };
  switch (operation.is) {
    case 'prefix':
      return { id: `prefix ${operation.prefix}`, label: operation.prefix, means: `${plural(groups_total, 'task group')}: computing, transfers, disk and the rest`, ...work, prefix: operation.prefix };
    case 'unrecorded':
      return { id: 'unrecorded', label: 'unrecorded work', means: 'Time threads worked for task groups with no record', ...work };
    case 'others':
      return { id: 'others', label: plural(operation.prefixes, 'other prefix', 'other prefixes'), means: 'Each took less than those above', ...work };
    case 'idle':
      return { id: 'idle', label: 'Idle', means: 'Threads that were up and had nothing to do', ...work, idle: true, colour: 'var(--data-other)' };
    case 'stalled':
      return { id: 'stalled', label: 'Stalled', means: 'Threads that did nothing while work was assigned and none of it finished, counted from when this was known', ...work, idle: true, colour: 'var(--stalled)' };
  }
}
