import { expect, test } from 'vitest';
import { figures } from './figures';

/** The figures alone. */
const of = (sentence: string) => figures(sentence).filter((_, i) => i % 2 === 1);

test('a figure is one with its unit', () => {
  expect(of('computed 1.40 core-h of 2.67 core-h; transfer 7.20 core-min; at most 4.00 GiB of 16.0 GiB memory')).toEqual([
    '1.40 core-h',
    '2.67 core-h',
    '7.20 core-min',
    '4.00 GiB',
    '16.0 GiB',
  ]);
  expect(of('52 % of it for idle threads; it is costing 0.02–0.15 € an hour')).toEqual(['52 %', '0.02–0.15 €']);
  expect(of('no report for 1 d 23 h, expected every 2 min')).toEqual(['1 d 23 h', '2 min']);
  expect(of('≈ 0.002–0.013 €')).toEqual(['≈ 0.002–0.013 €']);
});

test('counts and names are words', () => {
  expect(of('2 kinds of exception in 3 failed tasks')).toEqual([]);
  expect(of('3 tasks erred, the first with KeyError in load-2 s-1')).toEqual([]);
  expect(of('4 d-shapes and 5 hours')).toEqual([]);
});

test('nothing of the sentence is lost', () => {
  for (const sentence of ['', '55 %', 'nothing to do for 21 min 30 s, and still up', '1'.repeat(100_000)]) expect(figures(sentence).join('')).toBe(sentence);
});
