import { expect, test } from 'vitest';
import { extend, most, tagOf, tagText, toggle } from './selection';

test('a row is chosen once, and let go again', () => {
  expect(toggle([1], 2)).toEqual([1, 2]);
  expect(toggle([1, 2], 1)).toEqual([2]);
  const full = Array.from({ length: most }, (_, i) => i);
  expect(toggle(full, most + 1)).toEqual(full);
});

test('a range takes the rows that are here', () => {
  expect(extend([9], [{ id: 1 }, undefined, { id: 3 }, { id: 4 }], 2, 0)).toEqual([9, 1, 3]);
});

test('a tag is a word, or a word and its value', () => {
  expect(tagOf(' env = prod=1 ')).toEqual(['env', 'prod=1']);
  expect(tagOf('ci')).toEqual(['ci', '']);
  expect(tagOf(' =x')).toBe(null);
  expect(tagText('ci', '')).toBe('ci');
  expect(tagText('env', 'prod')).toBe('env=prod');
});
