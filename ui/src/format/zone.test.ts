import { afterEach, expect, test } from 'vitest';
import { bytes, bytesParts } from './bytes';
import { chosen } from './chosen.svelte';
import { bytesColumn } from './column';
import { clock, dateTime, timeTicks, timeZone, utcOffsetMinutes } from './time';
import { isZone, moment, offsetMinutes, wall } from './zone';

afterEach(() => {
  chosen.timeZone = null;
  chosen.units = 'binary';
});

const at = Date.parse('2026-07-14T22:30:10Z') * 1000;

test('a chosen zone has its own clock, day and offset', () => {
  expect([dateTime(at), timeZone()]).toEqual(['14 Jul 2026, 22:30:10', 'UTC']);
  chosen.timeZone = 'Europe/Berlin';
  expect([dateTime(at), timeZone(), utcOffsetMinutes(new Date(at / 1000))]).toEqual(['15 Jul 2026, 00:30:10', 'Europe/Berlin', 120]);
  chosen.timeZone = 'Asia/Kathmandu';
  expect([clock(at), offsetMinutes(at / 1000)]).toEqual(['04:15:10', 345]);
  chosen.timeZone = 'America/St_Johns';
  expect(offsetMinutes(at / 1000)).toBe(-150);
});

test('what the clocks show leads back to the moment, also where they change', () => {
  for (const zone of ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'UTC', 'Pacific/Apia']) {
    chosen.timeZone = zone;
    for (let day = 0; day < 366; day += 1)
      for (const hour of [0, 5, 12]) {
        const found = moment(2026, 0, 1 + day, hour);
        const shown = wall(found);
        expect([shown.getUTCHours(), shown.getUTCMinutes(), shown.getTime()], `${zone} ${day}`).toEqual([hour, 0, Date.UTC(2026, 0, 1 + day, hour)]);
      }
  }
});

test('an hour that is skipped, and one that comes twice, are moments all the same', () => {
  chosen.timeZone = 'Europe/Berlin';
  expect(new Date(moment(2026, 2, 29, 2) / 1000).toISOString()).toBe('2026-03-29T01:00:00.000Z');
  expect(['00', '01'].map((hour) => `2026-10-25T${hour}:00:00.000Z`)).toContain(new Date(moment(2026, 9, 25, 2) / 1000).toISOString());
});

test('ticks are round in the chosen zone', () => {
  chosen.timeZone = 'Asia/Kathmandu';
  const ticks = timeTicks(at, at + 6 * 3_600_000_000, 8).map((tick) => tick.label);
  expect(ticks[0]).toBe('05:00');
});

test('a zone that nobody knows is none', () => {
  expect(['Europe/Berlin', 'UTC', 'Mars/Olympus', ''].map(isZone)).toEqual([true, true, false, false]);
});

test('bytes in thousands, where that is chosen', () => {
  chosen.units = 'decimal';
  expect([0, 999, 1000, 1_500_000, 999_999_999].map(bytes)).toEqual(['0 B', '999 B', '1.00 kB', '1.50 MB', '1.00 GB']);
  expect(bytesParts(3e12)).toEqual({ value: '3.00', unit: 'TB' });
  expect(bytesColumn(2e9).unit).toBe('GB');
});
