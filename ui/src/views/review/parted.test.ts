import { expect, test } from 'vitest';
import { parted } from './parted';

test('each place is marked, whatever its case, and the text stays whole', () => {
  expect(parted('a Canary canary', 'CANARY').filter((part) => part.found).map((part) => part.text)).toEqual(['Canary', 'canary']);
  for (const [text, looked] of [['xx', 'x'], ['', 'x'], ['abc', ''], ['İx', 'x']] as const) expect(parted(text, looked).map((part) => part.text).join('')).toBe(text);
});
