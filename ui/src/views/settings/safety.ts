// What is said of snapshots and of stores that were damaged.

import type { SafetyStatus } from '../../generated/api';
import { bytes } from '../../format/bytes';
import { plural } from '../../format/number';
import { dateTime } from '../../format/time';

export interface SafetyWords {
  title: string;
  more: string;
  tone: 'calm' | 'warn';
}

export function safetyWords(safety: SafetyStatus): SafetyWords {
  if (safety.damage !== null) {
    return {
      title: 'The store is damaged',
      more: `Close Bobbin and start it again: the store is moved aside, and recording goes on in a new one. \`bobbin salvage\` then reads what can still be read of it. Found: ${safety.damage}`,
      tone: 'warn',
    };
  }
  const damaged = safety.damaged.at(-1);
  if (damaged !== undefined) {
    return {
      title: 'A store was damaged, and is kept aside',
      more: `It is in ${damaged}, and recording went on in a new one. \`bobbin restore\` brings back a snapshot, \`bobbin salvage\` what can still be read of it.`,
      tone: 'warn',
    };
  }
  const last = safety.snapshots.at(-1);
  if (last === undefined) {
    return { title: 'No snapshot yet', more: 'One is taken each day while Bobbin runs; `bobbin snapshot` takes one now.', tone: 'calm' };
  }
  return {
    title: `Last snapshot ${dateTime(last.taken_micros)}`,
    more: `It was read whole and found undamaged. ${plural(safety.snapshots.length, 'snapshot')}, the last of ${bytes(last.bytes)}; \`bobbin restore\` puts one back.`,
    tone: 'calm',
  };
}
