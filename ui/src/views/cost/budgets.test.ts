import { expect, test } from 'vitest';
import type { BudgetRow } from '../../generated/api';
import { coversOf, draftOf, nameOf, nanosOf, spentWords, tone } from './budgets';

const row = (low: number, high: number, reached_percent = 0): BudgetRow => ({ id: 1, covers: { is: 'tag', name: 'env', value: 'prod' }, amount_nanos: 2_500_000_000, spent: null, share: { low, high }, reached_percent, expected: null });

test('an amount is whole billionths, or none', () => {
  expect([nanosOf('2.5'), nanosOf(' 2,5 '), nanosOf('0'), nanosOf('-1'), nanosOf('much'), nanosOf('1e9')]).toEqual([2_500_000_000, 2_500_000_000, null, null, null, null]);
});

test('a budget that is corrected keeps what it covers', () => {
  const draft = draftOf(row(0, 1));
  expect(draft.amount).toBe('2.5');
  expect(coversOf(draft)).toEqual(row(0, 1).covers);
  expect(nameOf(coversOf(draft))).toBe('env = prod');
});

test('what is spent is said as a range, and told apart at 80 and at 100 percent', () => {
  expect(spentWords(row(0.42, 0.61))).toMatch(/^42–61.% spent$/);
  expect(spentWords({ ...row(0, 0), share: null })).toBe('no price');
  expect(spentWords(row(12_503, 100_026))).toBe('more than 10 times spent');
  expect([tone(row(0, 1, 50)), tone(row(0, 1, 80)), tone(row(1, 2, 100))]).toEqual(['', 'warn', 'bad']);
});
