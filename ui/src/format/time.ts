// Points in time, in whole microseconds since 1970. Shown in the reader's zone, which is said once on each page.

import { none } from './number';
import { chosen } from './chosen.svelte';
import { shortDuration } from './duration';
import { moment, offsetMinutes, systemZone, wall } from './zone';

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'] as const;
const weekdays = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'] as const;

export const dayMicros = 86_400_000_000;

function two(n: number): string {
  return String(n).padStart(2, '0');
}

/** `14:02:10`. */
export function clock(micros: number): string {
  const date = wall(micros);
  return `${two(date.getUTCHours())}:${two(date.getUTCMinutes())}:${two(date.getUTCSeconds())}`;
}

/** `14:02`. */
export function shortClock(micros: number): string {
  return clock(micros).slice(0, 5);
}

/** `14 Nov 2026`. */
export function date(micros: number): string {
  const d = wall(micros);
  return `${d.getUTCDate()} ${months[d.getUTCMonth()]} ${d.getUTCFullYear()}`;
}

/** `14 Nov 2026, 14:02:10`. */
export function dateTime(micros: number | null | undefined): string {
  return micros == null ? none : `${date(micros)}, ${clock(micros)}`;
}

/** As short as can be understood now: `14:02`, `14 Nov 14:02`, `14 Nov 2025`. */
export function when(micros: number | null | undefined, now: number): string {
  if (micros == null) return none;
  const [d, n] = [wall(micros), wall(now)];
  if (date(micros) === date(now)) return `today ${shortClock(micros)}`;
  if (d.getUTCFullYear() === n.getUTCFullYear()) return `${d.getUTCDate()} ${months[d.getUTCMonth()]} ${shortClock(micros)}`;
  return date(micros);
}

/** `3 s ago`, `1 d 23 h ago`; a moment that is to come (clocks differ) is `now`. */
export function ago(micros: number | null | undefined, now: number): string {
  if (micros == null) return 'never';
  const seconds = (now - micros) / 1_000_000;
  if (seconds < 1) return 'now';
  const days = Math.floor(seconds / 86_400);
  return days > 0 ? `${days} d ${Math.floor((seconds % 86_400) / 3600)} h ago` : `${shortDuration(seconds)} ago`;
}

/** The IANA name of the reader's zone: by its rules days are cut. */
export function timeZone(): string {
  return chosen.timeZone ?? systemZone();
}

/** Local time is UTC plus this many minutes. */
export function utcOffsetMinutes(at: Date = new Date()): number {
  return offsetMinutes(at.getTime());
}

/** `UTC+01:00`. */
export function zone(offsetMinutes: number): string {
  if (offsetMinutes === 0) return 'UTC';
  const size = Math.abs(offsetMinutes);
  return `UTC${offsetMinutes < 0 ? '−' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}

/** The local day of a moment, `YYYY-MM-DD`. */
export function localDay(micros: number): string {
  return wall(micros).toISOString().slice(0, 10);
}

/** When a local day begins. */
export function dayBegins(day: string): number {
  const [y, m, d] = day.split('-').map(Number) as [number, number, number];
  return moment(y, m - 1, d);
}

/** The day so many days later. */
export function dayPlus(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
}

/** Whether this is a day that exists: `2026-02-30` is not. */
export function isDay(text: string): boolean {
  const at = Date.parse(`${text}T00:00:00Z`);
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(at) && new Date(at).toISOString().slice(0, 10) === text;
}

/** `Sat 14 Nov`. */
export function dayName(day: string): string {
  const d = new Date(`${day}T00:00:00Z`);
  return `${weekdays[d.getUTCDay()]} ${d.getUTCDate()} ${months[d.getUTCMonth()]}`;
}

/** `14 Nov`, `14–20 Nov`, `28 Nov – 4 Dec`. */
export function dayRange(from: string, to: string): string {
  const a = new Date(`${from}T00:00:00Z`);
  const b = new Date(`${to}T00:00:00Z`);
  const end = `${b.getUTCDate()} ${months[b.getUTCMonth()]}`;
  if (from === to) return end;
  if (from.slice(0, 4) !== to.slice(0, 4))
    return `${a.getUTCDate()} ${months[a.getUTCMonth()]} ${a.getUTCFullYear()} – ${end} ${b.getUTCFullYear()}`;
  if (from.slice(0, 7) === to.slice(0, 7)) return `${a.getUTCDate()}–${end}`;
  return `${a.getUTCDate()} ${months[a.getUTCMonth()]} – ${end}`;
}

/** `Nov`. */
export function monthName(day: string): string {
  return months[new Date(`${day}T00:00:00Z`).getUTCMonth()]!;
}

/** 0 is Monday. */
export function weekday(day: string): number {
  return (new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7;
}

/** Round steps for a time axis, in seconds. */
const steps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400, 172_800, 604_800];

/** Round moments of local time inside `[from, to]`, at most about `most` of them. */
export function timeTicks(from: number, to: number, most: number): { at: number; label: string }[] {
  const span = (to - from) / 1_000_000;
  if (!(span > 0)) return [];
  const step = steps.find((s) => span / s <= most) ?? Math.ceil(span / most / 604_800) * 604_800;
  const offset = offsetMinutes(from / 1000) * 60;
  const ticks = [];
  for (let at = Math.ceil((from / 1_000_000 + offset) / step) * step - offset; at * 1_000_000 <= to; at += step) {
    const micros = at * 1_000_000;
    const d = wall(micros);
    const label =
      step >= 86_400 ? `${d.getUTCDate()} ${months[d.getUTCMonth()]}` : step < 60 ? clock(micros) : shortClock(micros);
    ticks.push({ at: micros, label });
  }
  return ticks;
}

/** `November 2026`, of a local moment. */
export function monthYear(micros: number): string {
  return new Date(micros / 1000).toLocaleDateString(undefined, { month: 'long', year: 'numeric', timeZone: timeZone() });
}
