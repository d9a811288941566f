import { expect, test } from 'vitest';
import { activityParts, partWords, stateParts, stateSums, stateTotal, stateWords } from './series';

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

test('times are told with the share of each, where there are several', () => {
  const none = { compute: 0, transfer: 0, disk_read: 0, disk_write: 0, deserialize: 0, other: 0 };
  expect(partWords(activityParts({ ...none, compute: 30, transfer: 9.9, disk_read: 0.1 }))).toBe('Compute 30.0 core-s (75 %), Transfer 9.90 core-s (25 %), Disk read 0.10 core-s (< 1 %)');
  expect(partWords(activityParts({ ...none, compute: 30 }))).toBe('Compute 30.0 core-s');
  expect(partWords(activityParts(none))).toBe('');
});

test('the states of several groups are summed, whatever their names are', () => {
  const states = JSON.parse('{ "erred": 1, "constructor": 4, "__proto__": 2 }');
  expect(stateWords(stateSums([states, { memory: 3 }, states]))).toBe('Erred 2, In memory 3, constructor 8, __proto__ 4');
});
