// The table of costs: by what its rows are.

import type { CostBy, CostTable, Money } from '../../generated/api';
import { dayBegins, dayPlus, localDay } from '../../format/time';

const fixedBys = ['user', 'project', 'host', 'name', 'span'] as const;

/** `user`, or `tag:env`, as an address has it. */
export function byOf(text: string): CostBy {
  if (text.startsWith('tag:')) return { is: 'tag', name: text.slice(4) };
  return { is: fixedBys.find((by) => by === text) ?? 'user' };
}

export function byWords(by: CostBy): string {
  return { user: 'User', project: 'Project', host: 'Host', name: 'Cluster name', span: 'Span', tag: '' }[by.is] || `Tag ${(by as { name: string }).name}`;
}

/** What there is to choose from, as an address has it, with the tags that clusters have. */
export function byChoices(tags: readonly string[]): { value: string; label: string }[] {
  const labels = { user: 'Users', project: 'Projects', host: 'Hosts', name: 'Cluster names', span: 'Spans' };
  return [...fixedBys.map((by) => ({ value: by as string, label: labels[by] })), ...tags.map((tag) => ({ value: `tag:${tag}`, label: `Tag ${tag}` }))];
}

/** Clusters that have none. */
export function withoutWords(by: CostBy): string {
  return { user: 'no user', project: 'no project', host: 'no host', name: 'no name', span: 'no span', tag: 'not tagged' }[by.is];
}

export interface Parted {
  /** How many columns stand as one behind those that are told. */
  others: number;
  /** Undefined: no cluster of the row is in the column. */
  at: (row: string | null, column: string | null) => Money | null | undefined;
  othersAt: (row: string | null) => Money | null | undefined;
}

/** The cells of a table by their rows and columns. */
export function parted({ cells, columns, columns_total }: CostTable): Parted {
  const key = (row: string | null, column: string | null) => JSON.stringify([row, column]);
  const known = new Map<string, Money | null>();
  const rest = new Map<string | null, Money | null>();
  for (const cell of cells) {
    if (cell.others) rest.set(cell.row, cell.cost);
    else known.set(key(cell.row, cell.column), cell.cost);
  }
  return {
    others: columns_total - columns.length,
    at: (row, column) => known.get(key(row, column)),
    othersAt: (row) => rest.get(row),
  };
}

/** So many whole local days, the last of them today. */
export function lastDays(now: number, days: number): { from_micros: number; to_micros: number } {
  const today = localDay(now);
  return { from_micros: dayBegins(dayPlus(today, 1 - days)), to_micros: dayBegins(dayPlus(today, 1)) };
}
