// Which failures a reader's words mean.

import type { ExceptionKind } from '../../generated/api';

/** `within`: a cluster, whose own name tells nothing apart. */
export function matches({ newest, places }: Pick<ExceptionKind, 'newest' | 'places'>, text: string, within = false): boolean {
  const word = text.trim().toLowerCase();
  if (word === '') return true;
  const message = newest.message.is === 'text' ? newest.message.text : '';
  const said = [newest, ...places].flatMap(({ group, worker, cluster_name }) => [group, worker, within ? null : cluster_name]);
  return [newest.exception_type, message, ...said].some((part) => part?.toLowerCase().includes(word));
}

/** Of all kinds those that core found by what is not sealed, and those that match by what only the page can read. */
export function found<T extends Pick<ExceptionKind, 'newest' | 'places' | 'fingerprint'>>(kinds: readonly T[], named: readonly T[], text: string, within = false): T[] {
  const names = new Set(named.map(({ fingerprint }) => fingerprint));
  const here = new Set(kinds.map(({ fingerprint }) => fingerprint));
  return [...kinds.filter((kind) => names.has(kind.fingerprint) || matches(kind, text, within)), ...named.filter(({ fingerprint }) => !here.has(fingerprint))];
}
