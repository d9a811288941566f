import { expect, test } from 'vitest';
import { choiceWords, fateWords, lensWords } from './words';

test('a choice and what became of values are said in words', () => {
  expect(choiceWords({ level: 'names', identities: 'aliases' })).toBe('Metrics and names, identities as aliases');
  expect(choiceWords({ level: 'metrics', identities: 'real' })).toBe('Metrics only');
  expect(fateWords({ told: 1, masked: 0, withheld: 1200 })).toBe('1 value, 1,200 values left out');
  expect(fateWords({ told: 0, masked: 0, withheld: 0 })).toBe('none');
});

test('a lens says which of the clusters it draws', () => {
  expect(lensWords({ offset: 0, total: 1 }, 1)).toBe('your 1 cluster as a recipient would see it');
  expect(lensWords({ offset: 200, total: 1234 }, 200)).toBe('your clusters 201 to 400 of 1,234, newest first, as a recipient would see them');
});
