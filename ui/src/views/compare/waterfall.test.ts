import { expect, test } from 'vitest';
import type { Waterfall, WaterfallPart } from '../../generated/api';
import { axis, bars, place, signed } from './waterfall';

const part = (kind: WaterfallPart['kind'], micros: number, prefix: string | null = null, small = false): WaterfallPart => ({ kind, prefix, micros, words: '', small });

const told: Waterfall = {
  a_micros: 10_000_000,
  b_micros: 16_000_000,
  per_tasks: null,
  parts: [part('startup', 0), part('speed', 5_000_000, 'sum'), part('tasks', 2_000_000, 'inc', true), part('speed', -500_000, 'inc', true), part('threads', -500_000)],
};

test('bars go on where the one before ended, and end at B', () => {
  const rows = bars(told, false);
  expect(rows.map((bar) => [bar.label, bar.from / 1e6, bar.to / 1e6])).toEqual([
    ['A', 0, 10],
    ['One task: sum', 10, 15],
    ['2 smaller parts', 15, 16.5],
    ['Threads', 16.5, 16],
    ['B', 0, 16],
  ]);
});

test('small parts open in their place', () => {
  const rows = bars(told, true);
  expect(rows.slice(2, 6).map((bar) => [bar.label, bar.from / 1e6, bar.to / 1e6])).toEqual([
    ['2 smaller parts', 15, 16.5],
    ['Number of tasks: inc', 15, 17],
    ['One task: inc', 17, 16.5],
    ['Threads', 16.5, 16],
  ]);
});

test('small differences of long runs are drawn large', () => {
  const rows = bars({ ...told, a_micros: 1_000_000_000, b_micros: 1_006_000_000 }, false);
  const { from, to } = axis(rows);
  expect([Math.round(from / 1e6), to / 1e6]).toEqual([998, 1006.5]);
  expect(axis(bars(told, false))).toEqual({ from: 0, to: 16_500_000 });
  expect(place(rows[1]!, { from, to }).width).toBeGreaterThan(50);
  expect(place(rows[0]!, { from, to }).x).toBe(0);
});

test('a run beside itself has two bars', () => {
  expect(bars({ a_micros: 5, b_micros: 5, per_tasks: null, parts: [part('idle', 0)] }, false).map((bar) => bar.key)).toEqual(['a', 'b']);
  expect(axis(bars({ a_micros: 0, b_micros: 0, per_tasks: null, parts: [] }, false))).toEqual({ from: 0, to: 1 });
});

test('differences have a sign', () => {
  expect([signed(1_200_000), signed(-340_000), signed(0)]).toEqual(['+1.20 s', '−340 ms', '0 s']);
});
