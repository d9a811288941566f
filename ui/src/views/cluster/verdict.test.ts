import { expect, test } from 'vitest';
import { exactWords, muteKey } from './verdict';

test('a rounded figure tells the exact one', () => {
  expect(exactWords({ value: 0.6251, unit: 'share' })).toBe('Exactly 62.51 %. ');
  expect(exactWords({ value: 7.5432, unit: 'times' })).toBe('Exactly 7.54 times. ');
  expect(exactWords({ value: 3, unit: 'count' })).toBe('');
});

test('what is muted speaks up again for another reason', () => {
  const line = { words: '', value: 1, unit: 'share', rule: '', tab: null, item: null } as const;
  const idle = { kind: 'wasteful', evidence: [{ ...line, about: 'idle_share' }] } as const;
  const more = { kind: 'wasteful', evidence: [...idle.evidence, { ...line, about: 'skew' }] } as const;
  expect(muteKey('a', { ...idle, evidence: [...idle.evidence] })).not.toBe(muteKey('a', { ...more, evidence: [...more.evidence] }));
  expect(muteKey('a', { ...idle, evidence: [...idle.evidence] })).not.toBe(muteKey('b', { ...idle, evidence: [...idle.evidence] }));
});
