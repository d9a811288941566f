// Clock and calendar of the reader's zone: the system's, or one that was chosen.

import { chosen } from './chosen.svelte';

const hourMs = 3_600_000;
const known = new Map<string, Intl.DateTimeFormat>();
/** By zone and hour: the clocks of all zones change on whole hours of UTC, or at half past. */
const offsets = new Map<string, number>();
const mostOffsets = 20_000;

/** Whether a zone of this name is known here. */
export function isZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: name });
    return name.trim() !== '';
  } catch {
    return false;
  }
}

/** The system's zone. A browser that does not know it counts in UTC. */
export function systemZone(): string {
  const name = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return name === undefined || name === 'Etc/Unknown' ? 'UTC' : name;
}

/** Local time is UTC plus this many minutes, at a moment in milliseconds. */
export function offsetMinutes(ms: number): number {
  const zone = chosen.timeZone;
  if (zone === null) return -new Date(ms).getTimezoneOffset();
  if (!Number.isFinite(ms)) return 0;
  const half = Math.floor(ms / (hourMs / 2));
  const key = `${zone} ${half}`;
  const found = offsets.get(key);
  if (found !== undefined) return found;
  let format = known.get(zone);
  if (format === undefined) known.set(zone, (format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' })));
  const name = format.formatToParts(half * (hourMs / 2)).find((part) => part.type === 'timeZoneName')?.value ?? '';
  const [, sign, hours, minutes] = /GMT([+-])(\d\d):(\d\d)/.exec(name) ?? [];
  const offset = hours === undefined ? 0 : (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -1 : 1);
  if (offsets.size >= mostOffsets) offsets.clear();
  offsets.set(key, offset);
  return offset;
}

/** A moment as the clocks of the zone show it, in the UTC fields of a date. */
export function wall(micros: number): Date {
  const ms = micros / 1000;
  return new Date(ms + offsetMinutes(ms) * 60_000);
}

/** The moment in microseconds at which the clocks of the zone show this; an hour that they skip is the one after it. */
export function moment(year: number, month: number, day: number, hour = 0): number {
  if (chosen.timeZone === null) return new Date(year, month, day, hour).getTime() * 1000;
  const shown = Date.UTC(year, month, day, hour);
  // Of the two offsets around a change the one that leads back to what is shown.
  const [before, after] = [offsetMinutes(shown - 24 * hourMs), offsetMinutes(shown + 24 * hourMs)];
  const fits = [before, after].find((offset) => offsetMinutes(shown - offset * 60_000) === offset);
  return (shown - (fits ?? before) * 60_000) * 1000;
}
