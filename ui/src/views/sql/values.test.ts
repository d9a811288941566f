import { expect, test } from 'vitest';
import type { SqlResult } from '../../generated/api';
import { cell, insert, numeric, widths } from './values';

test('each kind of value has its words', () => {
  expect(cell(null)).toEqual({ text: 'null', kind: 'null' });
  expect(cell(-1.5)).toEqual({ text: '-1.5', kind: 'number' });
  expect(cell({ number: '9007199254740993' })).toEqual({ text: '9007199254740993', kind: 'number' });
  expect(cell({ sealed_bytes: 90 })).toEqual({ text: 'sealed, 90 bytes', kind: 'sealed' });
  expect(cell({ blob_bytes: 2, hex: '0aff' }).text).toBe("x'0aff' 2 bytes");
  expect(cell({ blob_bytes: 40, hex: '0aff' }).text).toBe("x'0aff…' 40 bytes");
  expect(cell('a\u202eb').text).toBe('a‹U+202E›b');
});

const result: SqlResult = {
  columns: ['name', 'n', 'nothing'],
  rows: [
    ['a long name that goes on and on and on and on and on and on', 1, null],
    ['b', null, null],
  ],
  truncated: false,
};

test('numbers stand to the right where there is nothing else', () => {
  expect(numeric(result)).toEqual([false, true, false]);
});

test('columns are as wide as they need to be, within bounds', () => {
  expect(widths(result)).toEqual([26, 5, 5]);
});

test('a word of the help goes where the caret is', () => {
  expect(insert('select from cluster', 6, 6, 'name')).toEqual({ text: 'select name from cluster', caret: 11 });
  expect(insert('select x from cluster', 7, 8, 'name').text).toBe('select name from cluster');
  expect(insert('', 0, 0, 'cluster').text).toBe('cluster');
});
