import { expect, test } from 'vitest';
import { choiceWords, fateWords } from './words';

test('a choice and what became of values are said in words', () => {
  expect(choiceWords({ level: 'names', identities: 'aliases' })).toBe('Metrics and names, identities as aliases');
  expect(choiceWords({ level: 'metrics', identities: 'real' })).toBe('Metrics only');
  expect(fateWords({ told: 1, masked: 0, withheld: 1200 })).toBe('1 value, 1,200 values left out');
  expect(fateWords({ told: 0, masked: 0, withheld: 0 })).toBe('none');
});
