// Finding functions in what a report holds, and putting them in order.

import type { FlameFunction, FlameTable, FlameTableRequest } from '../generated/api';

interface Named {
  name: string;
  file: string;
}

/** Whether each word stands in the name or the file of a function, whatever its case; words behind a minus must not. */
export function finds(text: string): (named: Named) => boolean {
  const words = text.toLowerCase().split(/\s+/).filter((word) => word !== '' && word !== '-');
  return ({ name, file }) => {
    const whole = `${name}\n${file}`.toLowerCase();
    return words.every((word) => (word.startsWith('-') ? !whole.includes(word.slice(1)) : whole.includes(word)));
  };
}

const values: Record<FlameTableRequest['order'], (row: FlameFunction) => string | number> = {
  own: (row) => row.own,
  total: (row) => row.total,
  function: (row) => row.name,
  file: (row) => row.file,
};

/** The rows that are asked for, of those that are there: what is not among them is not found. */
export function tableOf(table: FlameTable, { search, order, direction }: Pick<FlameTableRequest, 'search' | 'order' | 'direction'>): FlameTable {
  const value = values[order];
  const sign = direction === 'ascending' ? 1 : -1;
  const rows = table.rows.filter(finds(search)).sort((a, b) => {
    const [x, y] = [value(a), value(b)];
    return x < y ? -sign : x > y ? sign : 0;
  });
  if (search.trim() === '') return { ...table, rows };
  return { ...table, rows, total: rows.length, functions: table.rows.length, truncated: false };
}
