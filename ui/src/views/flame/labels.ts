// What is written on and about frames.

import type { Flame } from '../../generated/api';
import { coreTimeAround } from '../../format/duration';
import { count, fixed, plural, ratio } from '../../format/number';
import { visible } from '../../format/visible';

/** Shares of a profile: one digit after the point, as frames of less than a percent matter. */
export function percent(part: number | null): string {
  if (part === null || !Number.isFinite(part)) return '–';
  if (part > 0 && part < 0.0005) return '< 0.1 %';
  if (part < 1 && part > 0.9995) return '> 99.9 %';
  return `${fixed(part * 100, 1)} %`;
}

/** `merge.py:148`: the last part of the path and the first line of the function. */
export function placeOf(file: string, line: number | null): string {
  const last = file.split(/[/\\]/).at(-1) ?? '';
  return line === null ? last : `${last}:${line}`;
}

/** A path from its end: `…/pandas/core/reshape/merge.py:148`. */
export function endOf(file: string, line: number | null, most: number): string {
  const whole = visible(line === null ? file : `${file}:${line}`);
  const letters = [...whole];
  if (letters.length <= most) return whole;
  const end = letters.slice(letters.length - most + 1).join('');
  const cut = end.search(/[/\\]/);
  return `…${cut > 0 && cut < end.length / 2 ? end.slice(cut) : end}`;
}

/** A rectangle in the columns of an answer. */
export interface Frame {
  at: number;
  key: number;
  /** The function's own key; null for all and for blocks. */
  function: number | null;
  name: string;
  file: string;
  line: number | null;
  library: string;
  total: number;
  own: number;
  small: number;
  run: number;
  /** The last of a run. */
  last: string;
}

export function frameAt(flame: Flame, at: number): Frame {
  const { rectangles: r, frames: f } = flame;
  const place = r.frame[at] ?? -1;
  const small = r.small[at] ?? 0;
  const name = small > 0 ? `${plural(small, 'small frame')}` : place < 0 ? 'all' : visible(f.name[place] ?? '');
  return {
    at,
    key: r.key[at] ?? 0,
    function: place < 0 ? null : (f.key[place] ?? null),
    name,
    file: place < 0 ? '' : (f.file[place] ?? ''),
    line: place < 0 ? null : (f.line[place] ?? null),
    library: place < 0 ? '' : (f.library[place] ?? ''),
    total: r.total[at] ?? 0,
    own: r.own[at] ?? 0,
    small,
    run: r.run[at] ?? 1,
    last: visible(f.name[r.last[at] ?? -1] ?? ''),
  };
}

/** What stands on a frame: its name, for a run the last one's too. */
export function labelOf(frame: Frame): string {
  return frame.run > 1 ? `${frame.name} → ${frame.last} (${frame.run})` : frame.name;
}

/** A frame in a sentence, for those who hear it. */
export function sentence(flame: Flame, at: number): string {
  const frame = frameAt(flame, at);
  const of = `${percent(ratio(frame.total, flame.whole))} of time, ${count(frame.total)} of ${plural(flame.whole, 'sample')}`;
  const where = frame.file === '' ? '' : `, ${visible(placeOf(frame.file, frame.line))}`;
  const row = `, row ${flame.rectangles.depth[at]! + 1 + flame.way.length}`;
  return `${labelOf(frame)}${where}: ${of}${frame.small > 0 ? '' : `, ${percent(ratio(frame.own, flame.whole))} by itself`}${row}`;
}

/** Samples as time: `4.20 ± 0.15 core-min`. */
export function sampledTime(samples: number, error: number, secondsPerSample: number): string {
  return coreTimeAround(samples * secondsPerSample, error < 0.5 ? 0 : error * secondsPerSample);
}

/** The functions on the way to a rectangle, from the bottom, as they are copied. */
export function stackOf(flame: Flame, at: number): string {
  const { rectangles: r, frames: f } = flame;
  const words = (place: number) => (place < 0 ? null : `${visible(f.name[place] ?? '')} (${visible(placeOf(f.file[place] ?? '', f.line[place] ?? null))})`);
  const above: (string | null)[] = [];
  for (let here = at; here >= 0; here = r.parent[here]!) above.push(words(r.frame[here]!));
  return [...flame.way.map((step) => words(step.frame)), ...above.reverse()].filter((line) => line !== null).join('\n');
}

/** Text that fits, by the width of each letter; empty where no three letters do. `ends`: what is cut is its beginning. */
export function fitted(text: string, room: number, width: (text: string) => number, ends = false): string {
  if (width(text) <= room) return text;
  const letters = [...text];
  const cut = (count: number) => (ends ? `…${letters.slice(letters.length - count).join('')}` : `${letters.slice(0, count).join('')}…`);
  let [fits, not] = [0, letters.length];
  while (not - fits > 1) {
    const middle = (fits + not) >> 1;
    if (width(cut(middle)) <= room) fits = middle;
    else not = middle;
  }
  return fits < 3 ? '' : cut(fits);
}

/** Names, or parts of them, that are kept at most. */
const mostKept = 20_000;

/**
 * Names cut to the room that they have, in one font. What was measured and cut is kept: in a graph that moves, nearly every name has the
 * room that it had.
 */
export class Cut {
  readonly #widths = new Map<string, number>();
  readonly #names = new Map<string, Map<number, string>>();
  #kept = 0;

  constructor(
    readonly font: string,
    readonly ends: boolean,
    private readonly measure: (text: string) => number,
  ) {}

  width(text: string): number {
    let known = this.#widths.get(text);
    if (known === undefined) {
      known = this.measure(text);
      if (this.#widths.size >= mostKept) this.#widths.clear();
      this.#widths.set(text, known);
    }
    return known;
  }

  /** As much of a name as fits, by whole pixels. */
  of(name: string, room: number): string {
    const pixels = Math.floor(room);
    let cuts = this.#names.get(name);
    let known = cuts?.get(pixels);
    if (known === undefined) {
      known = fitted(name, pixels, (text) => this.width(text), this.ends);
      if (this.#kept >= mostKept) {
        this.#names.clear();
        this.#kept = 0;
        cuts = undefined;
      }
      if (cuts === undefined) this.#names.set(name, (cuts = new Map<number, string>()));
      cuts.set(pixels, known);
      this.#kept += 1;
    }
    return known;
  }
}

/** What stands on the frames of an answer, each put together once: one function is called the same wherever it is. */
export function labelsOf(flame: Flame): (at: number) => string {
  const { frame, run } = flame.rectangles;
  const ofFunctions = new Map<number, string>();
  const ofOthers = new Map<number, string>();
  return (at) => {
    const isOne = frame[at]! >= 0 && run[at] === 1;
    const known = isOne ? ofFunctions : ofOthers;
    const key = isOne ? frame[at]! : at;
    let label = known.get(key);
    if (label === undefined) known.set(key, (label = labelOf(frameAt(flame, at))));
    return label;
  };
}
