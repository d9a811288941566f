import { expect, test } from 'vitest';
import { stateParts, stateSums, stateTotal, stateWords } from './series';

test('errors come first, what waits last, and unknown states are not lost', () => {
  const states = { waiting: 5, processing: 2, memory: 3, erred: 1, released: 0, constructor: 4, 'dream\u200bing': 1 };
  expect(stateParts(states).map((part) => `${part.label} ${part.value}`)).toEqual([
    'Erred 1',
    'Processing 2',
    'In memory 3',
    'Waiting 5',
    'constructor 4',
    'dream‹U+200B›ing 1',
  ]);
  expect(stateTotal(states)).toBe(16);
});

test('the states of several groups are summed, whatever their names are', () => {
  const states = JSON.parse('{ "erred": 1, "constructor": 4, "__proto__": 2 }');
  expect(stateWords(stateSums([states, { memory: 3 }, states]))).toBe('Erred 2, In memory 3, constructor 8, __proto__ 4');
});
