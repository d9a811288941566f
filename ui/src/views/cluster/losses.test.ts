import { expect, test } from 'vitest';
import type { Losses } from '../../generated/api';
import { lossWords } from './losses';

const full: Losses = { missing_records: 0, dropped_records: {}, refused_records: 0, kept_unknown: 0, conflicts: 0, unchecked: 0 };

test('a full record has nothing to say', () => {
  expect(lossWords({ ...full, dropped_records: { sample: 0 } })).toEqual([]);
});

test('each loss is said in words', () => {
  expect(lossWords({ missing_records: 3, dropped_records: { task_group: 1 }, refused_records: 1, kept_unknown: 2, conflicts: 1, unchecked: 2 })).toEqual([
    '3 records between batches that arrived are missing; charts show the gap hatched.',
    'The plugin dropped 1 task_group record to stay within its limits.',
    '1 record could not be read.',
    '1 batch arrived again with different bytes; Bobbin kept the first.',
    '2 batches arrived again after more than a week. Bobbin kept the first and could not compare their bytes.',
    '2 records with kinds or fields that this version does not know are kept.',
  ]);
});

test('of an exception that came without its text nothing else is missing', () => {
  expect(lossWords({ ...full, dropped_records: { exception_text: 2 } })).toEqual([
    '2 records of exceptions arrived without message and traceback: the cluster ended before those could be sent or encrypted.',
  ]);
});
