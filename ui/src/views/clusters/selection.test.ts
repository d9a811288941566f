import { expect, test } from 'vitest';
import { extend, most, tagOf, tagText, toggle } from './selection';

test('a row is chosen once, and let go again', () => {
  expect(toggle([1], 2)).toEqual([1, 2]);
  expect(toggle([1, 2], 1)).toEqual([2]);
  const full = Array.from({ length: most }, (_, i) => i);
  expect(toggle(full, most + 1)).toEqual(full);
});

test('a range takes the rows that are here, and says how many are not', () => {
  expect(extend([9], [{ id: 1 }, undefined, { id: 3 }, { id: 4 }], 3, 0)).toEqual({ chosen: [9, 1, 3], missing: 1 });
  const sparse: { id: number }[] = [];
  sparse[0] = { id: 1 };
  sparse[4] = { id: 5 };
  expect(extend([], sparse, 1, 4)).toEqual({ chosen: [1, 5], missing: 3 });
});

test('a range begins at the row that was chosen, wherever it is by now', () => {
  const sorted = [{ id: 3 }, { id: 1 }, { id: 2 }];
  expect(extend([1], sorted, 1, 2).chosen).toEqual([1, 2]);
  // It is filtered away: the row alone is meant.
  expect(extend([7], sorted, 7, 0)).toEqual({ chosen: [7, 3], missing: 0 });
  expect(extend([], sorted, null, 0)).toEqual({ chosen: [3], missing: 0 });
});

test('a tag is a word, or a word and its value', () => {
  expect(tagOf(' env = prod=1 ')).toEqual(['env', 'prod=1']);
  expect(tagOf('ci')).toEqual(['ci', '']);
  expect(tagOf(' =x')).toBe(null);
  expect(tagText('ci', '')).toBe('ci');
  expect(tagText('env', 'prod')).toBe('env=prod');
});
