import { expect, test } from 'vitest';
import { hold } from './hold';

const rows = (text: string) => text.split(' ').map((word) => ({ id: word[0]!, n: word.slice(1) }));
const id = (row: { id: string }) => row.id;

test('values change, places do not', () => {
  expect(hold(rows('a1 b2 c3'), rows('c9 a1 b5'), id)).toEqual({ rows: rows('a1 b5 c9'), waiting: 0, differs: true });
});

test('new rows wait and are counted, gone rows stay with what they had', () => {
  expect(hold(rows('a1 b2'), rows('x0 a3'), id)).toEqual({ rows: rows('a3 b2'), waiting: 1, differs: true });
});

test('nothing moved is nothing to tell', () => {
  expect(hold(rows('a1 b2'), rows('a5 b6'), id)).toEqual({ rows: rows('a5 b6'), waiting: 0, differs: false });
});
