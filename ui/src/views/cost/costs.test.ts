import { expect, test } from 'vitest';
import type { CostCell, CostTable, Money } from '../../generated/api';
import { byChoices, byOf, byWords, lastDays, parted } from './costs';

test('an address names what rows are', () => {
  expect(['user', 'tag:env', 'nonsense', 'tag:'].map(byOf)).toEqual([{ is: 'user' }, { is: 'tag', name: 'env' }, { is: 'user' }, { is: 'tag', name: '' }]);
  expect(byWords(byOf('tag:env'))).toBe('Tag env');
});

test('what rows and columns can be is chosen by the words of an address', () => {
  expect(byChoices(['env']).map(({ value }) => byOf(value).is)).toEqual(['user', 'project', 'host', 'name', 'span', 'tag']);
});

const money = (nanos: number): Money => ({ low_nanos: nanos, high_nanos: 2 * nanos });
const cell = (row: string, column: string | null, cost: Money | null, others = false): CostCell => ({ row, column, others, cost });

test('a cell is found by its row and column, and one without a name is none of the others', () => {
  const table = { columns: [{ label: null }], columns_total: 3, cells: [cell('ada', null, money(1)), cell('ada', null, null, true)] } as unknown as CostTable;
  const { others, at, othersAt } = parted(table);
  expect([others, at('ada', null), othersAt('ada'), at('bob', null), othersAt('bob')]).toEqual([2, money(1), null, undefined, undefined]);
});

test('days are whole, and today is the last', () => {
  const now = new Date(2026, 10, 14, 15).getTime() * 1000;
  expect(lastDays(now, 7)).toEqual({ from_micros: new Date(2026, 10, 8).getTime() * 1000, to_micros: new Date(2026, 10, 15).getTime() * 1000 });
});
