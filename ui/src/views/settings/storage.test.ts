import { expect, test } from 'vitest';
import type { RetentionRules } from '../../generated/api';
import { draftOf, partsWords, removalWords, rulesOf, same } from './storage';

const rules: RetentionRules = { cap_bytes: 5 * 1024 ** 3, profiles_days: 30, code_days: 90, exceptions_days: 90, events_days: null, samples_days: 365 };

test('rules are typed as they are shown, and nothing is without limit', () => {
  const draft = draftOf(rules);
  expect([draft.cap, draft.days.profiles, draft.days.events]).toEqual(['5', '30', '']);
  expect(rulesOf(draft)).toEqual({ rules });
  expect(same(rules, { ...rules, cap_bytes: null })).toBe(false);
});

test('what is no number of days or size is named', () => {
  const draft = draftOf(rules);
  for (const days of ['0', '-1', '1.5', 'ten', '9999999']) expect(rulesOf({ ...draft, days: { ...draft.days, code: days } })).toEqual({ wrong: 'Code' });
  for (const cap of ['0', '-3', 'x', '1e9']) expect(rulesOf({ ...draft, cap })).toEqual({ wrong: 'Size' });
});

test('what would go is said with its size, as an estimate', () => {
  const row = { id: 1, name: 'a', started_micros: 0, reports: false, pinned: false, whole: false, categories: ['events', 'profiles'] as const, bytes: 10 };
  const preview = { bytes: 1288490189, clusters: 41, whole: 0, rows: [], truncated: false, beyond_bytes: 0 };
  expect(removalWords(preview)).toBe('≈ 1.20 GiB: 41 clusters');
  expect(removalWords({ ...preview, whole: 3 })).toBe('≈ 1.20 GiB: 41 clusters, 3 of them with all their totals');
  expect(removalWords({ ...preview, clusters: 1, whole: 1 })).toBe('≈ 1.20 GiB: 1 cluster, with all its totals');
  expect(removalWords({ ...preview, clusters: 0 })).toBe('nothing');
  expect(partsWords({ ...row, categories: [...row.categories] })).toBe('Profiles, events');
});
