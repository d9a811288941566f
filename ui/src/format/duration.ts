// Lengths of time. Seconds in, words out.

import { fixed, none, three } from './number';

/** `340 ms`, `12.4 s`, `3 min 12 s`, `2 h 04 min`, `3 d 4 h`: two parts at most. */
export function duration(seconds: number | null | undefined): string {
  if (seconds == null) return none;
  if (seconds < 0) return `−${duration(-seconds)}`;
  if (seconds === 0) return '0 s';
  if (seconds < 0.001) return '< 1 ms';
  if (seconds < 0.9995) return `${fixed(seconds * 1000, 0)} ms`;
  if (seconds < 9.995) return `${fixed(seconds, 2)} s`;
  if (seconds < 59.95) return `${fixed(seconds, 1)} s`;
  const whole = Math.round(seconds);
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${two(whole % 60)} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 1440) return `${Math.floor(minutes / 60)} h ${two(minutes % 60)} min`;
  const hours = Math.round(seconds / 3600);
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** A length that somebody set, as it is typed: `10 s`, `2 min`, `1 min 30 s`. */
export function setLength(seconds: number): string {
  if (!Number.isInteger(seconds) || seconds >= 86_400) return duration(seconds);
  const parts: [number, string][] = [
    [Math.floor(seconds / 3600), 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ];
  return parts.filter(([n]) => n > 0).map(([n, unit]) => `${n} ${unit}`).join(' ') || '0 s';
}

/** How long something goes on so far: it ticks in whole seconds. */
export function age(seconds: number): string {
  return seconds < 60 ? shortDuration(seconds) : duration(seconds);
}

/** One part only, for ages that tick: `3 s`, `12 min`, `5 h`, `3 d`. */
export function shortDuration(seconds: number): string {
  if (seconds < 60) return `${Math.max(0, Math.floor(seconds))} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h`;
  return `${Math.floor(seconds / 86_400)} d`;
}

/** For how many seconds a cluster ran, or has run. It began by another clock, which may be ahead: less than nothing is nothing. */
export function lasted(cluster: { started_micros: number; stopped_micros: number | null }, now: number): number {
  return Math.max(0, ((cluster.stopped_micros ?? now) - cluster.started_micros) / 1_000_000);
}

function two(n: number): string {
  return String(n).padStart(2, '0');
}

/** Time of threads in core-hours, core-minutes or core-seconds: one thread for one hour is one core-hour. */
export function coreParts(thread_seconds: number): { value: string; unit: string } {
  if (thread_seconds >= 3600 || thread_seconds === 0) return { value: three(thread_seconds / 3600), unit: 'core-h' };
  if (thread_seconds >= 60) return { value: three(thread_seconds / 60), unit: 'core-min' };
  return { value: three(thread_seconds), unit: 'core-s' };
}

const coreUnits = new Map([
  ['core-h', 3600],
  ['core-min', 60],
  ['core-s', 1],
]);

/** `12.4 ± 0.3 core-h`: the error in the unit of its value, with its digits; one that these do not show is left out. */
export function coreTimeAround(thread_seconds: number, error: number): string {
  const { value, unit } = coreParts(thread_seconds);
  const digits = value.split('.')[1]?.length ?? 0;
  const around = fixed(error / (coreUnits.get(unit) ?? 1), digits);
  return around === fixed(0, digits) ? `${value} ${unit}` : `${value} ± ${around} ${unit}`;
}

/** `12.4 core-h`. */
export function coreTime(thread_seconds: number | null | undefined): string {
  if (thread_seconds == null) return none;
  const { value, unit } = coreParts(thread_seconds);
  return `${value} ${unit}`;
}

/** For the hover: the figure that was rounded. */
export function exactCoreTime(thread_seconds: number): string {
  return `${fixed(thread_seconds, thread_seconds < 100 ? 3 : 0)} seconds of one thread`;
}
