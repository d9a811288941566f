import { expect, test } from 'vitest';
import { allKeys, going, keysFor } from './keys';

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
