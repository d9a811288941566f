// The table of costs: by what its rows are.

import type { CostBy, CostCell, Money } from '../../generated/api';
import { dayBegins, dayLater, localDay } from '../overview/grid';

const fixedBys = ['user', 'project', 'host', 'name', 'span'] as const;

/** `user`, or `tag:env`, as an address has it. */
export function byOf(text: string): CostBy {
  if (text.startsWith('tag:')) return { is: 'tag', name: text.slice(4) };
  return { is: fixedBys.find((by) => by === text) ?? 'user' };
}

export function byWords(by: CostBy): string {
  return { user: 'User', project: 'Project', host: 'Host', name: 'Name of the cluster', span: 'Span', tag: '' }[by.is] || `Tag ${(by as { name: string }).name}`;
}

/** What there is to choose from, as an address has it, with the tags that clusters have. */
export function byChoices(tags: readonly string[]): { value: string; label: string }[] {
  const labels = { user: 'Users', project: 'Projects', host: 'Hosts', name: 'Names of clusters', span: 'Spans' };
  return [...fixedBys.map((by) => ({ value: by as string, label: labels[by] })), ...tags.map((tag) => ({ value: `tag:${tag}`, label: `Tag ${tag}` }))];
}

/** Clusters that have none. */
export function withoutWords(by: CostBy): string {
  return { user: 'no user', project: 'no project', host: 'no host', name: 'no name', span: 'no span', tag: 'not tagged' }[by.is];
}

/** Where the cost of a row in a column stands; columns that are not told together have none of their own. */
export function cellsOf(cells: readonly CostCell[]): (row: string | null, column: string | null, others?: boolean) => Money | null | undefined {
  const key = (row: string | null, column: string | null, others: boolean) => JSON.stringify([row, column, others]);
  const known = new Map(cells.map((cell) => [key(cell.row, cell.column, cell.others), cell.cost]));
  return (row, column, others = false) => known.get(key(row, column, others));
}

/** So many whole local days, the last of them today. */
export function lastDays(now: number, days: number): { from_micros: number; to_micros: number } {
  const today = localDay(now);
  return { from_micros: dayBegins(dayLater(today, 1 - days)), to_micros: dayBegins(dayLater(today, 1)) };
}
