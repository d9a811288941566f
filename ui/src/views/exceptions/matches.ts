// Which failures a reader's words mean.

import type { ExceptionKind } from '../../generated/api';

export function matches({ newest, places }: Pick<ExceptionKind, 'newest' | 'places'>, text: string): boolean {
  const word = text.trim().toLowerCase();
  if (word === '') return true;
  const message = newest.message.is === 'text' ? newest.message.text : '';
  const said = [newest.exception_type, message, newest.group ?? '', newest.cluster_name, ...places.flatMap(({ group, cluster_name }) => [group ?? '', cluster_name])];
  return said.some((part) => part.toLowerCase().includes(word));
}
