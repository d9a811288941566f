// The heat-map's grid: which stretches of local time its columns are, in each of its forms. Days and weeks are whole local
// ones, with 23 or 25 hours where the clocks change.

import type { Micros } from '../../generated/api';
import { dateTime, dayBegins, dayName, dayPlus, dayRange, localDay, shortClock, utcOffsetMinutes, zone } from '../../format/time';
import { wall } from '../../format/zone';
import type { Bin, Form } from '../../state/heatRoute';

const hour = 3_600_000_000;

/** 0 is Monday. */
export function weekdayOf(day: string): number {
  return (new Date(`${day}T12:00:00Z`).getUTCDay() + 6) % 7;
}

/** On which day weeks begin, 0 is Monday: as the reader's locale says. */
export function weekStart(locale: string = navigator.language): number {
  const known = new Intl.Locale(locale) as Intl.Locale & { getWeekInfo?: () => { firstDay: number }; weekInfo?: { firstDay: number } };
  return ((known.getWeekInfo?.() ?? known.weekInfo)?.firstDay ?? 1) - 1;
}

/** The first local day of a period of so many days that ends today; long ones are whole weeks. */
export function firstDay(today: string, days: number, start: number): string {
  if (days < 91) return dayPlus(today, 1 - days);
  const intoWeek = (weekdayOf(today) - start + 7) % 7;
  return dayPlus(today, -intoWeek - (days / 7 - 1) * 7);
}

export interface Axis {
  /** Where stretches of time part. */
  edges: Micros[];
  /** The column of each stretch; empty: each is its own. */
  columns: number[];
  /** The name of each column. */
  keys: string[];
  /** The stretches of each column. */
  ranges: [from: Micros, to: Micros][][];
}

function plain(keys: string[], edges: Micros[]): Axis {
  return { edges, columns: [], keys, ranges: keys.map((_, i) => [[edges[i]!, edges[i + 1]!]]) };
}

/** Local days from `first` to `last`, both inclusive. */
export function days(first: string, last: string): string[] {
  const out = [];
  for (let day = first; day <= last; day = dayPlus(day, 1)) out.push(day);
  return out;
}

/** Which bins suit a period of so many days. */
export function binsOf(length: number): Bin[] {
  return length <= 28 ? ['hour', 'day'] : ['day', 'week'];
}

export function binOf(length: number, wanted: Bin | null): Bin {
  const suit = binsOf(length);
  if (wanted !== null && suit.includes(wanted)) return wanted;
  return length > 91 ? 'week' : 'day';
}

/** Columns from one local day to another, both inclusive. */
export function axis(form: Form, bin: Bin, first: string, last: string, start: number): Axis {
  const all = days(first, last);
  const end = dayBegins(dayPlus(last, 1));
  if (form === 'week') return hoursOfWeek(dayBegins(first), end);
  if (form === 'map' && bin === 'hour') {
    const edges = [];
    for (let at = dayBegins(first); at < end; at += hour) edges.push(at);
    return plain(edges.map((at) => `h${Math.floor(at / hour)}`), [...edges, end]);
  }
  const starts = form === 'map' && bin === 'week' ? all.filter((day, i) => i === 0 || weekdayOf(day) === start) : all;
  return plain(starts, [...starts.map(dayBegins), end]);
}

/** All hours of a period, each in the column of its weekday and hour by the local clock. */
function hoursOfWeek(from: Micros, end: Micros): Axis {
  const keys = Array.from({ length: 168 }, (_, i) => `${Math.floor(i / 24)}T${i % 24}`);
  const out: Axis = { edges: [], columns: [], keys, ranges: keys.map(() => []) };
  for (let at = from; at < end; at += hour) {
    const d = wall(at);
    const column = ((d.getUTCDay() + 6) % 7) * 24 + d.getUTCHours();
    out.edges.push(at);
    out.columns.push(column);
    out.ranges[column]!.push([at, Math.min(at + hour, end)]);
  }
  out.edges.push(end);
  return out;
}

/** `9 Nov 2026, 00:00:00 – 10 Nov 2026, 00:00:00 UTC+01:00`: exact, with the zone that holds there. */
export function bounds(from: Micros, to: Micros): string {
  const [a, b] = [from, to].map((at) => zone(utcOffsetMinutes(new Date(at / 1000))));
  return `${dateTime(from)}${a === b ? '' : ` ${a}`} – ${dateTime(to)} ${b}`;
}

/** `Wed 11 Nov 2026, UTC` where it is whole local days, else its bounds. */
export function stretchWords(from: Micros, to: Micros): string {
  const [a, b] = [localDay(from), localDay(to - 1)];
  const [begins, ends] = [from, to].map((at) => zone(utcOffsetMinutes(new Date(at / 1000))));
  if (begins !== ends || dayBegins(a) !== from || dayBegins(dayPlus(b, 1)) !== to) return bounds(from, to);
  return `${a === b ? dayName(a) : dayRange(a, b)} ${b.slice(0, 4)}, ${ends}`;
}

/** First and last local day of the time before a period of whole days. It is as long as the period, so where the clocks changed since it begins an hour beside a day. */
export function daysBefore(from: Micros, to: Micros): [string, string] {
  return [localDay(from + hour), localDay(to - 1)];
}

/** As short as a column can be named: `Mon 9 Nov`, `9–15 Nov`, `Mon 9 Nov 14:00`. */
export function brief(from: Micros, to: Micros): string {
  const [a, b] = [localDay(from), localDay(to - 1)];
  if (a !== b) return dayRange(a, b);
  return to - from <= hour ? `${dayName(a)} ${shortClock(from)}` : dayName(a);
}
