import { expect, test } from 'vitest';
import { unbroken } from './unbroken';

/** Where a line may end. */
const parts = (text: string) => unbroken(text).split(' ');

test('a figure stays with its unit', () => {
  expect(parts('everything took 38 % of compute time')).toEqual(['everything', 'took', '38\u00a0%', 'of', 'compute', 'time']);
  expect(parts('0.12–0.96 €; My own machine')).toEqual(['0.12–0.96\u00a0€;', 'My', 'own', 'machine']);
  expect(parts('5.00 core-min; at most 4.00 GiB of 16.0 GiB memory')).toEqual(['5.00\u00a0core-min;', 'at', 'most', '4.00\u00a0GiB', 'of', '16.0\u00a0GiB', 'memory']);
  expect(parts('for 4 min 12 s and')).toEqual(['for', '4\u00a0min', '12\u00a0s', 'and']);
});

test('other words are left alone', () => {
  for (const text of ['226 clusters finished; 1 was lost', 'run 3 hours', '12 still running', 'a s', '5 mins']) expect(unbroken(text)).toBe(text);
});
