import { expect, test } from 'vitest';
import { sidesOf } from './sideways';

test('there is more on the sides to which it can be scrolled', () => {
  expect(sidesOf(0, 0)).toBe('');
  expect(sidesOf(0, 200)).toBe('right');
  expect(sidesOf(80, 200)).toBe('left right');
  expect(sidesOf(200, 200)).toBe('left');
  expect(sidesOf(0.4, 0.8)).toBe('');
  expect(sidesOf(199.5, 200)).toBe('left');
});
