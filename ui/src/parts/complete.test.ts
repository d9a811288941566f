import { expect, test } from 'vitest';
import { completed } from './complete';

test('a completion takes the place of the word, counted in letters', () => {
  expect(completed('💡 us x', { from: 2, to: 4 }, 'user:')).toEqual({ text: '💡 user:x', caret: 8, open: true });
  expect(completed('user:an since:7d', { from: 0, to: 7 }, 'user:ana')).toEqual({ text: 'user:ana since:7d', caret: 9, open: false });
});
