import { expect, test } from 'vitest';
import { chainChoices, pictureChoices, profileChoices, savedWords, tableChoices } from './save';

const saved = { name: 'workers.csv', bytes: 9, sha256: '', rows: 3, total: 3, truncated: false, path: null };

test('what is left out of a table is said', () => {
  expect(savedWords(saved)).toBe('Saved workers.csv, 3 rows');
  expect(savedWords({ ...saved, rows: 1, total: 1 })).toBe('Saved workers.csv, 1 row');
  expect(savedWords({ ...saved, rows: 2000, total: 3412, truncated: true })).toBe('Saved workers.csv: 2,000 of 3,412 rows');
  expect(savedWords({ ...saved, rows: 2000, total: null, truncated: true })).toBe('Saved workers.csv: the first 2,000 rows, there are more');
  expect(savedWords({ ...saved, rows: null, total: null })).toBe('Saved workers.csv');
});

test('a choice asks what is shown when it is chosen, not when the menu was made', () => {
  let id = 1;
  const choices = tableChoices('workers', () => ({ id }));
  id = 2;
  expect(choices.map(({ request }) => request())).toMatchObject([
    { is: 'table', format: 'csv', table: { command: 'workers', request: { id: 2 }, list: '' } },
    { format: 'json' },
    { format: 'parquet' },
  ]);
  expect(pictureChoices(() => ({ is: 'timeline', id, from_micros: null, to_micros: null })).map(({ request }) => request())).toMatchObject([
    { picture: { format: 'svg', dark: false, of: { id: 2 } } },
    { picture: { format: 'svg', dark: true } },
    { picture: { format: 'png', dark: false } },
    { picture: { format: 'png', dark: true } },
  ]);
  const flame = { selection: {}, tree: null, transforms: [], part: { kind: 'whole' }, view: {} } as never;
  expect(profileChoices(() => flame).map(({ request }) => request())).toMatchObject([{ profile: { format: 'speedscope' } }, { profile: { format: 'folded' } }, { profile: { format: 'pprof' } }]);
  expect(chainChoices.map(({ request }) => request())).toEqual([{ is: 'chain' }]);
});
