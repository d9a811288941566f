import { expect, test } from 'vitest';
import { dayPlus } from '../../format/time';
import { covered, heat, labels, look, selection } from './heat';

/** One letter a day: `.` nothing reported, a digit so many seconds. */
function story(first: string, text: string) {
  const rows = text.split('\n').map((line) => line.trim().split(/\s+/) as [string, string]);
  const days = [...rows[0]![1]].map((_, i) => dayPlus(first, i));
  return {
    days,
    rows: rows.map(([label, cells]) => {
      const compute_seconds = [...cells].map((c) => (c === '.' ? null : Number(c)));
      return {
        label,
        compute_seconds,
        total_compute_seconds: compute_seconds.reduce<number>((a, b) => a + (b ?? 0), 0),
        clusters: compute_seconds.map((c) => (c === null ? 0 : 1)),
      };
    }),
  };
}

test('days stay days, empty is not zero', () => {
  const map = heat(
    story(
      '2026-11-09',
      `etl  1.05
       ml   ..92`,
    ),
  );
  expect(map.bin).toBe('day');
  expect(map.rows.map((row) => row.cells.map((cell) => look(cell, map.breaks)))).toEqual([
    [2, 'blank', 'zero', 4],
    ['blank', 'blank', 5, 3],
  ]);
});

test('a lone value is as strong as any', () => {
  const map = heat(story('2026-11-09', 'etl ..4.'));
  expect(map.rows[0]!.cells.map((cell) => look(cell, map.breaks))).toEqual(['blank', 'blank', 5, 'blank']);
});

test('a long period is read by weeks from Monday', () => {
  const map = heat(story('2026-11-07', `etl ${'1'.repeat(9)}${'.'.repeat(100)}`));
  expect(map.bin).toBe('week');
  expect(map.columns.slice(0, 3)).toEqual([
    { from: '2026-11-07', to: '2026-11-08' },
    { from: '2026-11-09', to: '2026-11-15' },
    { from: '2026-11-16', to: '2026-11-22' },
  ]);
  expect(map.rows[0]!.cells.slice(0, 3)).toEqual([2, 7, null]);
});

test('months come before days where there is little room', () => {
  const map = heat(story('2026-08-23', `etl ${'1'.repeat(40)}`));
  expect(labels(map, 10).map((label) => label.text)).toEqual(['23 Aug', '1 Sep', '7', '14', '21', '28', '1 Oct']);
  expect(labels(map, 40).slice(0, 4).map((label) => label.text)).toEqual(['23 Aug', '25', '26', '27']);
});

test('a selection is a filter, and finds its cells again', () => {
  const map = heat(story('2026-11-09', 'etl 1111'));
  const chosen = selection(map, 'etl', 2, 1);
  expect(chosen).toEqual({ label: 'etl', from: '2026-11-10', to: '2026-11-11' });
  expect(covered(map, chosen)).toEqual([1, 2]);
  expect(covered(map, { label: null, from: null, to: null })).toEqual([0, 3]);
  expect(covered(map, { label: null, from: '2027-01-01', to: null })).toBe(null);
});
