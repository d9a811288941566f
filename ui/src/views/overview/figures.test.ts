import { expect, test } from 'vitest';
import type { UsageTotals } from '../../generated/api';
import { figures } from './figures';

const totals: UsageTotals = {
  clusters: 3,
  thread_seconds: 7200,
  compute_seconds: 3600,
  efficiency: 0.5,
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
  expect(figures({ ...totals, cost: null }).find(({ key }) => key === 'cost')).toMatchObject({ value: '–', unit: '' });
});
