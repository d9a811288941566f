import { expect, test } from 'vitest';
import { allKeys, going, keyParts, keysFor } from './keys';

test('the keys of the part that has the focus stand first, and none is left out', () => {
  expect(keysFor('charts')[0]!.title).toBe('Charts');
  expect(keysFor('charts')).toHaveLength(allKeys.length);
  expect(keysFor(null)).toEqual(allKeys);
  expect(keysFor('nothing')).toEqual(allKeys);
});

test('g waits a second for a place, from the last time that it was pressed', () => {
  going.begin({ timeStamp: 0 });
  going.begin({ timeStamp: 900 });
  expect(going.at({ timeStamp: 1800 })).toBe(true);
  expect(going.at({ timeStamp: 1900 })).toBe(false);
  going.begin({ timeStamp: 2000 });
  going.end();
  expect(going.at({ timeStamp: 2001 })).toBe(false);
});

test('keys are told apart that are held together, come one after the other, or do something each', () => {
  const said = (name: string) => keyParts(name).map(({ key, text }) => (key ? `[${text}]` : text)).join('');
  expect(['Ctrl F', 'g then o', 'u d', 'Shift ← →', 'Alt ←'].map(said)).toEqual(['[Ctrl]+[F]', '[g]then[o]', '[u][d]', '[Shift]+[←][→]', '[Alt]+[←]']);
});
