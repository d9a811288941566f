import { expect, test } from 'vitest';
import { concerns, prunedWords } from './pruned';

const row = { category: 'profiles', at_micros: 1, rule_days: 30, records: 5 } as const;

test('what was removed names its rule and what stayed', () => {
  expect(prunedWords(row)).toBe('Profile removed by the 30-day rule; totals kept');
  expect(prunedWords({ ...row, category: 'events', rule_days: null })).toBe('Events removed to keep the store under its size; topics kept');
});

test('it is said where it is missed', () => {
  expect(concerns(row, 'profile')).toBe(true);
  expect(concerns(row, 'events')).toBe(false);
  expect(concerns({ ...row, category: 'samples' }, 'groups')).toBe(true);
});
