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
const tableOf = (columns: number, told: number, cells: CostCell[], rows_total: number) =>
  ({ columns: Array.from({ length: told }, (_, i) => ({ label: `c${i}` })), columns_total: columns, cells, rows_total }) as unknown as CostTable;
const cell = (row: string, column: string | null, cost: Money | null, others = false): CostCell => ({ row, column, others, cost });

test('a cell is found by its row and column, and one without a name is none of the others', () => {
  const table = { ...tableOf(1, 0, [cell('ada', null, money(1)), cell('ada', null, null, true)], 1), columns: [{ label: null }] } as unknown as CostTable;
  const { at, othersAt } = parted(table);
  expect([at('ada', null), othersAt('ada'), at('bob', null)]).toEqual([money(1), null, undefined]);
});

test('beyond the dearest columns others stand as one, with their sums', () => {
  const cells = [cell('a', 'c0', money(5)), cell('a', 'c9', money(3)), cell('a', null, money(1), true), cell('b', 'c8', null)];
  const { columns, others, othersAt, othersSum } = parted(tableOf(14, 12, cells, 2));
  expect([columns.length, others, othersAt('a'), othersAt('b'), othersSum]).toEqual([8, 6, money(4), null, money(4)]);
  expect(parted(tableOf(14, 12, cells, 3)).othersSum).toBe(null);
  expect(parted(tableOf(9, 9, [], 0))).toMatchObject({ others: 0, columns: { length: 9 } });
});

test('days are whole, and today is the last', () => {
  const now = new Date(2026, 10, 14, 15).getTime() * 1000;
  expect(lastDays(now, 7)).toEqual({ from_micros: new Date(2026, 10, 8).getTime() * 1000, to_micros: new Date(2026, 10, 15).getTime() * 1000 });
});
