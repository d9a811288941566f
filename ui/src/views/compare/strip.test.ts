import { expect, test } from 'vitest';
import type { History, PastRun } from '../../generated/api';
import { spanWords, strip } from './strip';

const run = (micros: number): PastRun => ({ cluster_id: 1, cluster_name: 'n', computation_id: null, start_micros: 0, micros, tasks: 1, result_bytes: 1, workers: 1, alike: true });
const history = (micros: number | null, runs: number[], median: number | null = null): History => ({
  basis: 'shape',
  verdict: 'same',
  words: '',
  micros,
  median_micros: median,
  band_micros: median === null ? null : 10,
  needed: 5,
  unlike: [],
  runs: runs.map(run),
  truncated: false,
});

test('runs go from left to right, and longer ones stand higher', () => {
  const { dots, now, band } = strip(history(300, [100, 200], 100));
  expect([dots[0]!.x < dots[1]!.x, dots[0]!.y > dots[1]!.y, now!.y < dots[1]!.y]).toEqual([true, true, true]);
  expect(band!.y < dots[0]!.y && band!.y + band!.height >= dots[0]!.y).toBe(true);
});

test('equal runs and no run at all have a place', () => {
  expect(strip(history(5, [5, 5])).dots.every((dot) => dot.y === 50)).toBe(true);
  expect(strip(history(null, []))).toEqual({ dots: [], now: null, band: null });
});

test('how long runs took is said once where both ends read alike', () => {
  expect(spanWords(history(null, [130e6, 65e6, 70e6]))).toBe('1 min 05 s to 2 min 10 s');
  expect(spanWords(history(null, [65.1e6, 65.2e6, 64.9e6]))).toBe('1 min 05 s each');
});
