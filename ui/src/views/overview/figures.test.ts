import { expect, test } from 'vitest';
import type { UsageTotals } from '../../generated/api';
import { figures, points, trend } from './figures';

const totals: UsageTotals = {
  clusters: 3,
  thread_seconds: 7200,
  compute_seconds: 3600,
  parts: { compute_micros: 0, transfer_micros: 0, disk_micros: 0, other_micros: 0, idle_micros: 0, stalled_micros: 0 },
  tasks_completed: 12,
  tasks_erred: 2,
  result_bytes: 1024 ** 3,
  workers_peak: 4,
  cost: { currency: 'EUR', total: { low_nanos: 420_000_000, high_nanos: 610_000_000 }, idle: { low_nanos: 210_000_000, high_nanos: 300_000_000 }, stalled: { low_nanos: 0, high_nanos: 0 }, unpriced_seconds: 0, words: 'My own machine' },
};

test('each figure has its unit, and money is a range', () => {
  const shown = Object.fromEntries(figures(totals).map(({ key, value, unit }) => [key, `${value} ${unit}`.trim()]));
  expect(shown).toMatchObject({ thread_seconds: '2.00 core-h', cost: '0.42–0.61 €', idle_cost: '0.21–0.30 €', efficiency: '50 %', result_bytes: '1.00 GiB' });
  const idle = (of: UsageTotals) => figures(of).find(({ key }) => key === 'idle_cost')!.means;
  expect(idle(totals)).toBe('The part of the cost spent on threads that had nothing to do.');
  expect(idle({ ...totals, cost: { ...totals.cost!, stalled: { low_nanos: 100_000_000, high_nanos: 150_000_000 } } })).toContain('Stalled threads cost another 0.10–0.15 €.');
  expect(figures({ ...totals, cost: null }).find(({ key }) => key === 'cost')).toMatchObject({ value: '–', size: null });
});

test('a change is said with its way, and nothing is made of nothing', () => {
  const said = (now: number | null, before: number | null) => trend(now, before)?.words ?? null;
  expect([said(112, 100), said(88, 100), said(100.2, 100), said(350, 100), said(1e6, 1), said(5, 0), said(0, 0), said(null, 4)]).toEqual([
    '+12 %', '−12 %', 'no change', '3.5 times', '> 100 times', 'none before', null, null,
  ]);
  expect([trend(112, 100)!.way, trend(0, 5)!.way]).toEqual(['up', 'down']);
});

test('efficiency changes by points', () => {
  const of = (compute_seconds: number) => ({ ...totals, compute_seconds });
  expect([points(of(3600), of(2880))?.words, points(of(2880), of(3600))?.words, points(of(3600), { ...totals, thread_seconds: 0 })]).toEqual(['+10 points', '−10 points', null]);
});
