import { expect, test } from 'vitest';
import { choiceWords, fateWords, leftOutWords, lensWords, waitingWords } from './words';

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

test('of many files that wait the first are named, and those without room are counted', () => {
  expect(waitingWords(['a.bobbin'])).toBe('Still waiting: a.bobbin. Open beside leaves it out: open it again afterwards.');
  const names = Array.from({ length: 100 }, (_, number) => `${number}`);
  expect(waitingWords(names)).toBe('Still waiting: 0, 1, 2, 3, 4, and 95 more. Open beside leaves them out: open them again afterwards.');
  expect(waitingWords(['a\u202eb'])).toContain('a‹U+202E›b');
  expect(leftOutWords(1, 100)).toContain('1 file left out: at most 100 wait here.');
});
