// What a cluster cost, as rows of a table.

import type { OperationCost } from '../../generated/api';
import { plural } from '../../format/number';

export interface Row {
  id: string;
  label: string;
  means: string;
  /** Of the time of threads, 0 to 1. */
  share: number;
  idle: boolean;
  /** The prefix of its task groups. */
  prefix: string | null;
}

/** An operation by its name. */
export function row({ operation, groups_total, thread_micros }: OperationCost, all: number): Row {
  const share = all > 0 ? thread_micros / all : 0;
  switch (operation.is) {
    case 'prefix':
      return { id: `prefix ${operation.prefix}`, label: operation.prefix, means: `${plural(groups_total, 'task group')}: computing, transfers, disk and the rest`, share, idle: false, prefix: operation.prefix };
    case 'unrecorded':
      return { id: 'unrecorded', label: 'work not on the record', means: 'Time that threads worked for task groups of which no record came', share, idle: false, prefix: null };
    case 'others':
      return { id: 'others', label: plural(operation.prefixes, 'other prefix', 'other prefixes'), means: 'Each took less than those above', share, idle: false, prefix: null };
    case 'idle':
      return { id: 'idle', label: 'Idle', means: 'Threads that were up and did nothing', share, idle: true, prefix: null };
  }
}
