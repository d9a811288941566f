import { expect, test } from 'vitest';
import { middle, someOf, twoLines } from './middle';

test('both ends of a name stay', () => {
  expect(middle('abc', 3)).toBe('abc');
  expect(middle('shuffle-transfer-barrier-0', 12)).toBe('shuffle…er-0');
  expect(middle('abcdef', 2)).toBe('a…');
  expect(middle('abcdef', 1)).toBe('a…');
  expect([...middle('𝒂𝒃𝒄𝒅𝒆𝒇𝒈', 5)]).toHaveLength(5);
});

test('a name is parted where a word of it ends', () => {
  expect(twoLines('read-csv', 17)).toEqual(['read-csv']);
  expect(twoLines('shuffle-transfer-barrier', 17)).toEqual(['shuffle-transfer-', 'barrier']);
  expect(twoLines('drop-duplicates', 12)).toEqual(['drop-', 'duplicates']);
  expect(twoLines('read-parquet', 10)).toEqual(['read-', 'parquet']);
  expect(twoLines('-18ecb5e218', 10)).toEqual(['-18ecb5e21', '8']);
  expect(twoLines('a'.repeat(40), 10)).toEqual(['a'.repeat(10), `${'a'.repeat(6)}…${'a'.repeat(3)}`]);
});

test('of several names those are shown that have room', () => {
  expect(someOf('merge, fillna', 17)).toBe('merge, fillna');
  expect(someOf('getitem, groupby-agg, fillna', 17)).toBe('getitem, …');
  expect(someOf('merge, fillna, rechunk, …', 17)).toBe('merge, fillna, …');
  expect(someOf('shuffle-transfer-barrier, merge', 17)).toBe('shuffle-tr…arrier');
});
