// What looks like a secret in the code and the exceptions of a cluster, in words.

import type { ClusterSecrets, SecretWithin } from '../../generated/api';
import { plural } from '../../format/number';

const places: { within: SecretWithin; label: string }[] = [
  { within: 'code', label: 'Code' },
  { within: 'exception', label: 'Exceptions' },
];

/** `Code and exceptions hold what looks like a secret`; null where nothing does, and all was looked at. */
export function secretsTitle({ kinds, unlooked }: ClusterSecrets): string | null {
  const where = places.filter(({ within }) => kinds.some((kind) => kind.within === within)).map(({ label }) => label);
  if (where.length === 0) return unlooked === 0 ? null : 'Not all of its text was scanned for secrets';
  const all = where.map((label, i) => (i === 0 ? label : label.toLowerCase())).join(' and ');
  return `${all} ${all === 'Code' ? 'holds' : 'hold'} what looks like a secret`;
}

/** A line for each place: `Code: GitHub token, private key (2)`. */
export function secretsLines({ kinds, unlooked }: ClusterSecrets): string[] {
  const lines = places.flatMap(({ within, label }) => {
    const words = kinds.filter((kind) => kind.within === within).map(({ what, values }) => (values === 1 ? what : `${what} (${values})`));
    return words.length === 0 ? [] : [`${label}: ${words.join(', ')}`];
  });
  return unlooked === 0 ? lines : [...lines, `${plural(unlooked, 'place')} with too much text to scan all of it`];
}
