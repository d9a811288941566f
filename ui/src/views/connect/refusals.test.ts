import { expect, test } from 'vitest';
import { refusalWords } from './refusals';

test('each reason says what to do, and an unknown one is told as it is', () => {
  for (const reason of ['wrong_token', 'wrong_host', 'tls', 'tls_left', 'busy']) expect(refusalWords(reason).next).not.toBe('');
  expect(refusalWords('tls_left').means).toContain('pins another');
  expect(refusalWords('new\u202ereason').what).not.toContain('\u202e');
});
