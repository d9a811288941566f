import { expect, test } from 'vitest';
import { bytes, bytesParts } from './bytes';
import { coreTime, coreTimeAround, duration, lasted, shortDuration } from './duration';
import { mask, maskWords } from './mask';
import { count, countParts, plain, plural, ratio, real, round, share, shareRange, three } from './number';
import { classOf, placeOf, quantileBreaks, valueTicks } from './scale';
import { ago, clock, dateTime, dayPlus, dayRange, isDay, timeTicks, timeZone, when, zone } from './time';

const at = Date.parse('2026-11-14T14:02:10Z') * 1000;

test('counts have thousands apart, and what is not available is a dash', () => {
  expect([0, 7, 1234, 1234567].map(count)).toEqual(['0', '7', '1,234', '1,234,567']);
  expect(count(null)).toBe('–');
  expect([9_999_999, 10_057_450, 2_500_000_000].map(countParts)).toEqual([
    { value: '9,999,999', unit: '' },
    { value: '10.1', unit: 'million' },
    { value: '2,500', unit: 'million' },
  ]);
  expect(plural(1, 'task')).toBe('1 task');
  expect(plural(1200, 'task')).toBe('1,200 tasks');
});

test('a cluster whose clock is a day ahead has run for no time yet', () => {
  const cluster = { started_micros: at, stopped_micros: null };
  expect([at + 90_000_000, at - 86_400_000_000].map((now) => lasted(cluster, now))).toEqual([90, 0]);
  expect(lasted({ ...cluster, stopped_micros: at + 3_000_000 }, at - 1)).toBe(3);
});

test('three digits are enough to read a column', () => {
  expect([0, 0.42, 9.411, 12.44, 1234.4].map(three)).toEqual(['0', '0.42', '9.41', '12.4', '1,234']);
  expect([0, 3, 1234, 2.5, 3 - 1e-9, -2].map(plain)).toEqual(['0', '3', '1,234', '2.50', '3', '-2']);
  expect([0, 0.0003, -0.0012345, 1e-9, 0.42, 3].map(real)).toEqual(['0', '0.0003', '-0.00123', '1e-9', '0.42', '3']);
  expect([0, 3 * 0.005, 3 * 0.1, 2.5, 1500].map(round)).toEqual(['0', '0.015', '0.3', '2.5', '1,500']);
  expect([-1e300, 1.2345e21, 1e15].map(real)).toEqual(['-1e+300', '1.23e+21', '1,000,000,000,000,000']);
  expect([2e300, -1500].map(round)).toEqual(['2e+300', '-1,500']);
  expect([Number.MAX_VALUE, -1.797e308].map(real)).toEqual(['1.8e+308', '-1.8e+308']);
});

test('a share never says none or all where it is not', () => {
  expect([0, 0.004, 0.38, 0.996, 1].map(share)).toEqual(['0 %', '< 1 %', '38 %', '> 99 %', '100 %']);
  expect(share(ratio(1, 0))).toBe('–');
});

test('a range of shares has one sign, and one figure where its ends read alike', () => {
  const ranges = [[0.42, 0.61], [0.38, 0.382], [0.001, 0.004], [0.005, 0.034], [0.884, 0.996], [0, 0.2], [0.996, 1], [0.996, 1.2]] as const;
  expect(ranges.map(([low, high]) => shareRange({ low, high }))).toEqual(['42–61 %', '38 %', '< 1 %', '< 1–3 %', '88–100 %', '0–20 %', '> 99–100 %', '> 99–120 %']);
});

test('bytes are binary and never 1024 of anything', () => {
  expect([0, 512, 1024, 1536, 10 * 1024 ** 2, 1024 ** 3 - 1, 1.5 * 1024 ** 3].map(bytes)).toEqual([
    '0 B',
    '512 B',
    '1.00 KiB',
    '1.50 KiB',
    '10.0 MiB',
    '1.00 GiB',
    '1.50 GiB',
  ]);
  expect(bytes(null)).toBe('–');
  expect(bytesParts(3 * 1024 ** 4)).toEqual({ value: '3.00', unit: 'TiB' });
});

test('durations have two parts at most and roll over', () => {
  expect([0, 0.0004, 0.34, 0.9999, 1, 12.44, 59.97, 192, 7439, 273_600].map(duration)).toEqual([
    '0 s',
    '< 1 ms',
    '340 ms',
    '1.00 s',
    '1.00 s',
    '12.4 s',
    '1 min 00 s',
    '3 min 12 s',
    '2 h 04 min',
    '3 d 4 h',
  ]);
  expect(duration(3599.7)).toBe('1 h 00 min');
  expect(shortDuration(59.9)).toBe('59 s');
  expect(shortDuration(3601)).toBe('1 h');
});

test('time of threads is in core-hours, or what suits', () => {
  expect([0, 12.4, 90, 3600, 44_640, 4_464_000].map(coreTime)).toEqual([
    '0 core-h',
    '12.4 core-s',
    '1.50 core-min',
    '1.00 core-h',
    '12.4 core-h',
    '1,240 core-h',
  ]);
});

test('an error has the unit and the digits of its value', () => {
  expect([[252, 9], [44_640, 900], [252, 0.1], [4_464_000, 7200]].map(([value, error]) => coreTimeAround(value!, error!))).toEqual(['4.20 ± 0.15 core-min', '12.4 ± 0.3 core-h', '4.20 core-min', '1,240 ± 2 core-h']);
});

test('moments', () => {
  expect(clock(at)).toBe('14:02:10');
  expect(dateTime(at)).toBe('14 Nov 2026, 14:02:10');
  expect(when(at, at)).toBe('today 14:02');
  expect(when(at, at + 3 * 86_400_000_000)).toBe('14 Nov 14:02');
  expect(when(at, at + 90 * 86_400_000_000)).toBe('14 Nov 2026');
  expect(ago(at, at + 3_400_000)).toBe('3 s ago');
  expect(ago(at, at + 86_399e6)).toBe('23 h ago');
  expect(ago(at, at + 47.9 * 3600e6)).toBe('1 d 23 h ago');
  expect(ago(at, at - 500_000)).toBe('now');
  expect(ago(null, at)).toBe('never');
  expect([0, 60, -330].map(zone)).toEqual(['UTC', 'UTC+01:00', 'UTC−05:30']);
});

test('local days', () => {
  expect(() => Intl.DateTimeFormat('en', { timeZone: timeZone() })).not.toThrow();
  expect(dayPlus('2026-12-31', 1)).toBe('2027-01-01');
  expect(isDay('2026-02-28')).toBe(true);
  expect(isDay('2026-02-30')).toBe(false);
  expect(dayRange('2026-11-14', '2026-11-14')).toBe('14 Nov');
  expect(dayRange('2026-11-14', '2026-11-20')).toBe('14–20 Nov');
  expect(dayRange('2026-11-28', '2026-12-04')).toBe('28 Nov – 4 Dec');
  expect(dayRange('2025-11-23', '2026-11-21')).toBe('23 Nov 2025 – 21 Nov 2026');
});

test('time axes have round moments', () => {
  expect(timeTicks(at, at + 60_000_000, 5).map((t) => t.label)).toEqual(['14:02:15', '14:02:30', '14:02:45', '14:03:00']);
  expect(timeTicks(at, at + 3 * 3_600_000_000, 4).map((t) => t.label)).toEqual(['15:00', '16:00', '17:00']);
  expect(timeTicks(at, at, 5)).toEqual([]);
});

test('value axes have round values and reach the largest', () => {
  expect(valueTicks(7, 4)).toEqual([0, 2, 4, 6, 8]);
  expect(valueTicks(1, 4)).toEqual([0, 1]);
  expect(valueTicks(96, 4)).toEqual([0, 50, 100]);
  expect(valueTicks(3 * 1024 ** 3, 4, 'bytes').map((v) => v / 1024 ** 3)).toEqual([0, 1, 2, 3]);
  expect(valueTicks(0, 4)).toEqual([0, 1]);
  expect([valueTicks(2.5, 4, 'real'), valueTicks(0.0009, 3, 'real')].map((ticks) => ticks.map(round))).toEqual([['0', '1', '2', '3'], ['0', '0.0005', '0.001']]);
  expect(valueTicks(5e-324, 4, 'real')).toEqual([0, 1]);
  expect([valueTicks(4, 3, 'real', -3), valueTicks(0, 3, 'real', -3)]).toEqual([[-5, 0, 5], [-3, -2, -1, 0]]);
});

test('the axis holds the largest numbers that there are', () => {
  const most = Number.MAX_VALUE;
  expect(valueTicks(1.7e308, 3, 'real', -1.7e308).map(round)).toEqual(['-1.8e+308', '0', '1.8e+308']);
  expect(valueTicks(1.7e308, 4, 'real').map(round)).toEqual(['0', '5e+307', '1e+308', '1.5e+308', '1.8e+308']);
  expect(valueTicks(Infinity, 4, 'real').every(Number.isFinite)).toBe(true);
  expect([placeOf(-most, -most, most), placeOf(0, -most, most), placeOf(most, -most, most), placeOf(3, 2, 4)]).toEqual([0, 0.5, 1, 0.5]);
});

test('the classes of a scale part at quantiles and hold everything', () => {
  const values = [1, 2, 3, 4, 5, 6, 7, 8, 9, 1000];
  const breaks = quantileBreaks(values, 5);
  expect(breaks).toEqual([3, 5, 7, 9]);
  expect(values.map((v) => classOf(v, breaks))).toEqual([0, 0, 0, 1, 1, 2, 2, 3, 3, 4]);
  expect(quantileBreaks([], 5)).toEqual([]);
  expect(quantileBreaks([4], 5)).toEqual([]);
});

test('a copy gives no secret, home folder or address away, and says so', () => {
  const { text, found } = mask(
    'File "/home/ana/etl/clean.py" on tcp://10.0.0.7:4001\npassword=hunter22 at 192.168.1.4:8786 s3://key:abcdef@host',
  );
  expect(text).toBe(
    'File "~/etl/clean.py" on tcp://‹address›\npassword=‹secret› at ‹address› s3://key:‹secret›@host',
  );
  expect(maskWords(found)).toBe('masked 2 secrets, 1 home folder, 2 addresses');
  expect(maskWords(mask('ValueError: 3 < 4').found)).toBe('');
});
