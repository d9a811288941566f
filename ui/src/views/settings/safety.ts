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
      more: `Bobbin writes nothing more to it, and within a minute moves it aside and records in a new one. If this message stays, restart Bobbin. Then run \`bobbin salvage\` to recover what is still readable. Found: ${safety.damage}`,
      tone: 'warn',
    };
  }
  const damaged = safety.damaged.at(-1);
  if (damaged !== undefined) {
    return {
      title: 'A damaged store was moved aside',
      more: `It is in ${damaged}, and recording continued in a new one. \`bobbin restore\` brings back a snapshot; \`bobbin salvage\` recovers what is still readable.`,
      tone: 'warn',
    };
  }
  const last = safety.snapshots.at(-1);
  if (last === undefined) {
    return { title: 'No snapshot yet', more: 'Bobbin takes one every day while it runs. Run `bobbin snapshot` to take one now.', tone: 'calm' };
  }
  const { drill } = safety;
  if (drill !== null && drill.wrong !== null) {
    return {
      title: `Snapshot ${drill.number} failed its trial restore`,
      more: `Check the disk. Bobbin took another snapshot and tries that one. Found: ${drill.wrong}`,
      tone: 'warn',
    };
  }
  const tried = drill === null ? 'Every month, Bobbin tries restoring the latest.' : `Snapshot ${drill.number} passed a trial restore on ${dateTime(drill.tried_micros)}.`;
  return {
    title: `Last snapshot ${dateTime(last.taken_micros)}`,
    more: `Bobbin read it completely and found no damage. ${plural(safety.snapshots.length, 'snapshot')}, the latest of ${bytes(last.bytes)}. ${tried} Run \`bobbin restore\` to restore one.`,
    tone: 'calm',
  };
}
