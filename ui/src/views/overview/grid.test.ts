import { dayBegins, dayPlus, localDay } from '../../format/time';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { axis, binOf, bounds, stretchWords, brief, days, daysBefore, firstDay, weekStart } from './grid';

beforeAll(() => void vi.stubEnv('TZ', 'Europe/Berlin'));
afterAll(() => void vi.unstubAllEnvs());

const hours = (from: number, to: number) => (to - from) / 3_600_000_000;

test('days are whole local days, with 23 or 25 hours where the clocks change', () => {
  for (const [first, last, long] of [
    ['2026-03-28', '2026-03-30', [24, 23, 24]],
    ['2026-10-24', '2026-10-26', [24, 25, 24]],
  ] as const) {
    const map = axis('map', 'day', first, last, 0);
    expect(map.ranges.map(([range]) => hours(...range!))).toEqual(long);
    expect(map.keys).toEqual(days(first, last));
    expect(map.edges.map(localDay).slice(0, 3)).toEqual(map.keys);
  }
});

test('the hours of a day of 25 are 25 columns, and two of them are the same hour of the week', () => {
  expect(axis('map', 'hour', '2026-10-25', '2026-10-25', 0).keys.length).toBe(25);
  const week = axis('week', 'day', '2026-10-19', '2026-10-25', 0);
  expect(week.columns.length).toBe(169);
  expect(week.ranges[6 * 24 + 2]!.length).toBe(2);
  expect(week.ranges[6 * 24 + 3]!.length).toBe(1);
  const spring = axis('week', 'day', '2026-03-23', '2026-03-29', 0);
  expect(spring.ranges[6 * 24 + 2]).toEqual([]);
});

test('long periods are whole weeks from the day on which weeks begin', () => {
  expect(firstDay('2026-11-21', 28, 0)).toBe('2026-10-25');
  expect(firstDay('2026-11-21', 91, 0)).toBe('2026-08-24');
  expect(firstDay('2026-11-21', 91, 6)).toBe('2026-08-23');
  const map = axis('map', 'week', '2026-08-24', '2026-11-21', 0);
  expect(map.keys.length).toBe(13);
  expect(map.keys.slice(-1)).toEqual(['2026-11-16']);
  expect(map.edges.at(-1)).toBe(dayBegins('2026-11-22'));
  expect([weekStart('de-DE'), weekStart('en-US')]).toEqual([0, 6]);
});

test('bins suit the period', () => {
  expect([binOf(7, null), binOf(28, 'week'), binOf(28, 'hour'), binOf(91, null), binOf(364, null), binOf(364, 'day')]).toEqual(['day', 'day', 'hour', 'day', 'week', 'day']);
});

test('days follow each other over the ends of months and years, and bounds name their zones', () => {
  expect([dayPlus('2026-12-31', 1), dayPlus('2026-03-01', -1), dayPlus('2026-03-29', 1)]).toEqual(['2027-01-01', '2026-02-28', '2026-03-30']);
  expect(bounds(dayBegins('2026-10-25'), dayBegins('2026-10-26'))).toBe('25 Oct 2026, 00:00:00 UTC+02:00 – 26 Oct 2026, 00:00:00 UTC+01:00');
});

test('columns have short names', () => {
  expect([brief(dayBegins('2026-11-09'), dayBegins('2026-11-10')), brief(dayBegins('2026-11-09'), dayBegins('2026-11-16')), brief(dayBegins('2026-11-09'), dayBegins('2026-11-09') + 3_600_000_000)]).toEqual([
    'Mon 9 Nov',
    '9–15 Nov',
    'Mon 9 Nov 00:00',
  ]);
});

test('the time before a period of whole days has days, though the clocks changed since', () => {
  const before = (first: string, end: string) => daysBefore(2 * dayBegins(first) - dayBegins(end), dayBegins(first));
  expect(before('2026-11-20', '2026-11-27')).toEqual(['2026-11-13', '2026-11-19']);
  expect(before('2026-10-30', '2026-11-27')).toEqual(['2026-10-02', '2026-10-29']);
  expect(before('2026-10-19', '2026-10-26')).toEqual(['2026-10-12', '2026-10-18']);
});

test('whole days are named as such, unless the clock changes in them', () => {
  expect(stretchWords(dayBegins('2026-11-11'), dayBegins('2026-11-12'))).toBe('Wed 11 Nov 2026, UTC+01:00');
  expect(stretchWords(dayBegins('2026-11-09'), dayBegins('2026-11-16'))).toBe('9–15 Nov 2026, UTC+01:00');
  expect(stretchWords(dayBegins('2026-10-25'), dayBegins('2026-10-26'))).toContain('00:00:00 UTC+02:00');
  expect(stretchWords(dayBegins('2026-11-11'), dayBegins('2026-11-11') + 3_600_000_000)).toContain('01:00:00');
});
