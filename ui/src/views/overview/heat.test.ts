import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { HeatMap, Measure } from '../../generated/api';
import { axis } from './grid';
import { cellWords, columnOf, heat, inOrder, look, roomy, say } from './heat';

beforeAll(() => void vi.stubEnv('TZ', 'UTC'));
afterAll(() => void vi.unstubAllEnvs());

/** One letter a column: `.` nothing reported, `?` not told, a digit so many. */
function story(text: string, measure: Measure = 'compute'): HeatMap {
  const rows = text.split('\n').map((line) => {
    const [key = '', letters = ''] = line.trim().split(/\s+/);
    const values = [...letters].map((c) => (c === '.' || c === '?' ? null : Number(c)));
    return { key: key === '-' ? null : key, others: key.startsWith('+') ? Number(key) : 0, values, clusters: [...letters].map((c) => (c === '.' ? 0 : 1)), total: values.reduce<number>((a, b) => a + (b ?? 0), 0) };
  });
  return { by: 'project', measure, currency: 'EUR', columns: rows[0]!.values.length, rows };
}

const four = () => axis('map', 'day', '2026-11-09', '2026-11-12', 0);

test('zero, nothing and not told are three things', () => {
  const map = heat(story('etl 1.05\n - ?.92\n +7 1111'), four(), 'map', 'day', 0);
  expect(map.lines.map((line) => line.cells.map((cell) => look(cell!, map.breaks)))).toEqual([
    [2, 'blank', 'zero', 4],
    ['untold', 'blank', 5, 3],
    [2, 2, 2, 2],
  ]);
  expect(map.lines.map(({ label, row }) => [label, row])).toEqual([
    ['etl', { is: 'row', name: 'etl' }],
    ['no project', { is: 'nameless' }],
    ['7 others', null],
  ]);
});

test('a lone value is as strong as any, and one far beyond the others is marked', () => {
  const map = heat(story('etl ..4.'), four(), 'map', 'day', 0);
  expect(map.lines[0]!.cells.map((cell) => look(cell!, map.breaks))).toEqual(['blank', 'blank', 5, 'blank']);
  expect(map.outlier).toBe(null);
  const answer = story(`etl ${'12345'.repeat(4)}`);
  answer.rows[0]!.values[3] = 900;
  expect(heat(answer, axis('map', 'day', '2026-11-01', '2026-11-20', 0), 'map', 'day', 0).outlier).toBe(20);
});

test('a year is weeks of days, and days before it begins are no cells', () => {
  const map = heat(story('all 123456789'), axis('calendar', 'day', '2026-11-11', '2026-11-19', 0), 'calendar', 'day', 0);
  expect(map.lines.map((line) => [line.label, ...line.cells.map((cell) => cell?.value ?? null)])).toEqual([
    ['Mon', null, 6],
    ['Tue', null, 7],
    ['Wed', 1, 8],
    ['Thu', 2, 9],
    ['Fri', 3, null],
    ['Sat', 4, null],
    ['Sun', 5, null],
  ]);
  expect(heat(story('all 123456789'), axis('calendar', 'day', '2026-11-11', '2026-11-19', 6), 'calendar', 'day', 6).lines[0]!.label).toBe('Sun');
});

test('hours of the week have a row a weekday', () => {
  const columns = axis('week', 'day', '2026-11-09', '2026-11-15', 0);
  const map = heat(story(`all ${'.'.repeat(24)}${'.'.repeat(13)}5${'.'.repeat(130)}`), columns, 'week', 'day', 0);
  expect(map.lines.map((line) => line.cells.findIndex((cell) => cell!.value === 5))).toEqual([-1, 13, -1, -1, -1, -1, -1]);
  expect(map.lines[1]!.cells[13]!.column).toBe(37);
});

test('months come before days where there is little room', () => {
  const map = heat(story(`etl ${'1'.repeat(40)}`), axis('map', 'day', '2026-08-23', '2026-10-01', 0), 'map', 'day', 0);
  expect(roomy(map.labels, 10).map((label) => label.text)).toEqual(['23 Aug', '1 Sep', '7', '14', '21', '28', '1 Oct']);
  expect(roomy(map.labels, 40).slice(0, 4).map((label) => label.text)).toEqual(['23 Aug', '25', '26', '27']);
});

test('a narrow calendar names the months that have room, from the first one on', () => {
  const map = heat(story(`all ${'1'.repeat(362)}`), axis('calendar', 'day', '2025-11-30', '2026-11-26', 6), 'calendar', 'day', 6);
  expect(roomy(map.labels, 6.6).map((label) => label.text)).toEqual(['Dec', 'Feb', 'Apr', 'Jun', 'Aug', 'Sep', 'Nov']);
  expect(roomy(map.labels, 12).map((label) => label.text)).toEqual(['Dec', 'Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov']);
});

test('a value has the unit of its measure', () => {
  expect(say('compute', 7200, 'EUR')).toBe('2.00 core-h');
  expect(say('cost', 0.4212, 'EUR')).toBe('≈ 0.42 €');
  expect(say('failures', 1200, 'EUR')).toBe('1,200');
  expect(say('memory_peak', 1024 ** 3, 'EUR')).toBe('1.00 GiB');
  expect(say('idle', null, 'EUR')).toBe('–');
  expect(say('stalled', 7200, 'EUR')).toBe('2.00 core-h');
});

test('a table of the map has one unit, which its largest cell chooses', () => {
  const inTable = (measure: Measure, most: number, ...values: (number | null)[]) => {
    const { unit, say } = columnOf({ measure, most }, 'EUR');
    return [unit, ...values.map(say)];
  };
  expect(inTable('compute', 44_640, 44_640, 72, 1, 0, null)).toEqual(['core-h', '12.40', '0.02', '< 0.01', '0', '–']);
  expect(inTable('idle', 90, 90, 0.5)).toEqual(['core-s', '90.00', '0.50']);
  expect(inTable('stalled', 90, 90, 0.5)).toEqual(['core-s', '90.00', '0.50']);
  expect(inTable('cost', 3.2, 3.2, 0.4212, 0.001)).toEqual(['≈ €', '3.20', '0.42', '< 0.01']);
  expect(inTable('failures', 1200, 1200, 0)).toEqual(['tasks', '1,200', '0']);
  expect(inTable('memory_peak', 3 * 1024 ** 3, 3 * 1024 ** 3, 512 * 1024 ** 2)).toEqual(['GiB', '3.00', '0.50']);
});

test('a cell says whose it is, when, how much, and of how many clusters', () => {
  const words = (form: 'map' | 'week', text: string, column: number) => {
    const across = form === 'map' ? four() : axis('week', 'hour', '2026-11-09', '2026-11-22', 0);
    const map = heat(story(text), across, form, 'day', 0);
    const [line] = map.lines;
    return Object.values(cellWords(map.measure, line!, line!.cells[column]!, across, 'EUR')).join(' | ');
  };
  expect(words('map', 'etl 1.?5', 0)).toMatch(/^etl \| Mon 9 Nov 2026, UTC \| .+ compute time \| 1 cluster$/);
  expect(words('map', 'etl 1.?5', 1)).toBe('etl | Tue 10 Nov 2026, UTC | nothing reported | ');
  expect(words('map', 'etl 1.?5', 2)).toBe('etl | Wed 11 Nov 2026, UTC | reported, but not this measure | 1 cluster');
  expect(words('week', `all ${'3'.repeat(168)}`, 9)).toMatch(/^Mon.* 09:00, all clusters \| 2 hours, the first 9 Nov 2026, 09:00:00 – .+ UTC, the last 16 Nov 2026, 09:00:00 – .+ UTC \| /);
});

test('rows that are being read stay where they are, whoever overtakes them', () => {
  const now = heat(story('new 9999\n ml 5555\n etl 1111\n +7 1111'), four(), 'map', 'day', 0);
  const then = heat(story('etl 1111\n ml 1111\n +7 1111'), four(), 'map', 'day', 0);
  const held = inOrder(now, then.lines.map((line) => line.id));
  expect(held.lines.map((line) => line.label)).toEqual(['etl', 'ml', 'new', '7 others']);
  expect(held.lines[1]!.cells[0]!.value).toBe(5);
});
