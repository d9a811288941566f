import { expect, test } from 'vitest';
import { byChoices, byOf, byWords, cellsOf, lastDays } from './costs';

test('an address names what rows are', () => {
  expect(['user', 'tag:env', 'nonsense', 'tag:'].map(byOf)).toEqual([{ is: 'user' }, { is: 'tag', name: 'env' }, { is: 'user' }, { is: 'tag', name: '' }]);
  expect(byWords(byOf('tag:env'))).toBe('Tag env');
});

test('what rows and columns can be is chosen by the words of an address', () => {
  expect(byChoices(['env']).map(({ value }) => byOf(value).is)).toEqual(['user', 'project', 'host', 'name', 'span', 'tag']);
});

test('a cell is found by its row and column, and one without a name is none of the others', () => {
  const cost = { low_nanos: 1, high_nanos: 2 };
  const at = cellsOf([
    { row: 'ada', column: null, others: false, cost },
    { row: 'ada', column: null, others: true, cost: null },
  ]);
  expect([at('ada', null), at('ada', null, true), at('bob', null)]).toEqual([cost, null, undefined]);
});

test('days are whole, and today is the last', () => {
  const now = new Date(2026, 10, 14, 15).getTime() * 1000;
  expect(lastDays(now, 7)).toEqual({ from_micros: new Date(2026, 10, 8).getTime() * 1000, to_micros: new Date(2026, 10, 15).getTime() * 1000 });
});
