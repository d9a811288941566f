// A filter to a request, and to words.

import type { ClustersRequest } from '../../generated/api';
import { dayBegins, dayPlus, dayRange, timeZone } from '../../format/time';
import { noFilter, type Filter, type Order } from '../../state/route';
import { stateWords } from '../../parts/stateWords';
import { visible } from '../../format/visible';

/** What is asked for; days become moments of the reader's zone. */
export function requestOf(filter: Filter, order: Order): Omit<ClustersRequest, 'limit' | 'offset'> {
  return {
    text: filter.text.trim() === '' ? null : filter.text.trim(),
    time_zone: timeZone(),
    states: filter.states,
    label: filter.label,
    user: filter.user,
    from_micros: filter.from === null ? null : dayBegins(filter.from),
    to_micros: filter.to === null ? null : dayBegins(dayPlus(filter.to, 1)),
    order: order.order,
    direction: order.direction,
  };
}

export interface FilterChip {
  key: string;
  label: string;
  /** The filter without this part. */
  without: Filter;
}

/** One chip for each part that is in force. Text and states have their own controls. */
export function chips(filter: Filter): FilterChip[] {
  const out: FilterChip[] = [];
  if (filter.label !== null) out.push({ key: 'label', label: visible(filter.label), without: { ...filter, label: null } });
  if (filter.user !== null) out.push({ key: 'user', label: `user ${visible(filter.user)}`, without: { ...filter, user: null } });
  if (filter.from !== null || filter.to !== null) {
    const label =
      filter.from !== null && filter.to !== null
        ? dayRange(filter.from, filter.to)
        : filter.from !== null
          ? `from ${dayRange(filter.from, filter.from)}`
          : `until ${dayRange(filter.to!, filter.to!)}`;
    out.push({ key: 'days', label, without: { ...filter, from: null, to: null } });
  }
  return out;
}

/** Everything that filters, as chips; for lists that have no controls of their own. */
export function allChips(filter: Filter): FilterChip[] {
  const out = chips(filter);
  if (filter.text.trim() !== '') out.push({ key: 'text', label: `“${visible(filter.text.trim())}”`, without: { ...filter, text: '' } });
  for (const state of filter.states)
    out.push({
      key: state,
      label: stateWords[state].word,
      without: { ...filter, states: filter.states.filter((s) => s !== state) },
    });
  return out;
}

export function filters(filter: Filter): boolean {
  return allChips(filter).length > 0;
}

/** A route's filter alone. */
export function filterOf(route: Filter): Filter {
  const { text, states, label, user, from, to } = route;
  return { ...noFilter, text, states, label, user, from, to };
}

/** The typed filter without its last term; quotes and parentheses stay whole. */
export function withoutLast(text: string): string {
  const words = text.match(/(?:[^\s"]|"(?:\\.|[^"\\])*"?)+/g) ?? [];
  const open = (word: string) => word.startsWith('(') || word.startsWith('-(');
  let depth = 0;
  while (words.length > 0) {
    const word = words.pop()!;
    if (word.endsWith(')')) depth += 1;
    if (open(word)) depth -= 1;
    if (depth <= 0 && words.at(-1)?.toLowerCase() !== 'or') break;
  }
  return words.join(' ');
}
