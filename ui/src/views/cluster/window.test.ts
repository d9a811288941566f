import { expect, test } from 'vitest';
import { fineClock, windowWords } from './window';

const at = (hour: number, minute: number, second: number, day = 14) => new Date(2026, 10, day, hour, minute, second).getTime() * 1000;

test('the bounds of a time are told to the millisecond where that matters, and its day once', () => {
  expect(fineClock(at(14, 2, 10) + 250_400)).toBe('14:02:10.250');
  expect(windowWords(at(14, 2, 10), at(14, 2, 13))).toBe('14 Nov 2026, 14:02:10.000 – 14:02:13.000, 3.00 s');
  expect(windowWords(at(14, 2, 10), at(14, 3, 0))).toBe('14 Nov 2026, 14:02:10 – 14:03:00, 50.0 s');
  expect(windowWords(at(14, 2, 10), at(14, 3, 0), true)).toBe('14 Nov 2026, 14:02:10.000 – 14:03:00.000, 50.0 s');
  expect(windowWords(at(23, 0, 0), at(1, 0, 0, 15))).toBe('14 Nov 2026, 23:00:00 – 15 Nov 2026, 01:00:00, 2 h 00 min');
});
