// Moments on a time axis that something happened at. What falls together is one mark.

import { count } from '../format/number';

/** Outlines around a middle, 6 pixels wide. */
export const shapes = {
  came: 'm-3,3 3,-5.5 3,5.5z',
  went: 'm-3,-2.5h6l-3,5.5z',
  pause: 'm-1.8,-3v6m3.6,-6v6',
  again: 'm-2.8,0a2.8,2.8 0 1 0 5.6,0a2.8,2.8 0 1 0 -5.6,0',
  cross: 'm-3,-3 6,6m0,-6 -6,6',
};

/** The same in words, as a legend has them. */
const signs: [keyof typeof shapes, string][] = [
  ['came', '△'],
  ['went', '▽'],
  ['pause', '‖'],
  ['again', '○'],
  ['cross', '✕'],
];

/** `△ joined ▽ left`: what the shapes that occur mean. */
export function marksKey(marks: readonly Mark[]): string {
  return signs
    .map(([shape, sign]) => ({ sign, words: new Set(marks.filter((mark) => mark.shape === shape).map(({ word }) => word)) }))
    .filter(({ words }) => words.size > 0)
    .map(({ sign, words }) => `${sign}\u00a0${[...words].sort().join(', ')}`)
    .join(' ');
}

export interface Mark {
  at: number;
  /** The gravest first. */
  weight: number;
  word: string;
  tone: 'calm' | 'good' | 'warn' | 'bad';
  /** Colour alone tells nothing. */
  shape: keyof typeof shapes;
  /** What it happened to. */
  name: string;
}

export interface Tick {
  x: number;
  tone: Mark['tone'];
  shape: Mark['shape'];
  /** `3 left, 1 killed`, the gravest first. */
  words: string;
  /** The names of those few that it happened to. */
  names: string[];
}

/** Marks closer than this many pixels cannot be told apart. */
const near = 8;
const fewNames = 4;

export function ticksOfMarks(marks: readonly Mark[], x: (at: number) => number, left: number, right: number): Tick[] {
  const placed = marks
    .map((mark) => ({ mark, x: x(mark.at) }))
    .filter((place) => place.x >= left && place.x <= right)
    .sort((a, b) => a.x - b.x);
  const out: Tick[] = [];
  for (let i = 0; i < placed.length; ) {
    const first = placed[i]!.x;
    let end = i;
    while (end < placed.length && placed[end]!.x - first < near) end += 1;
    const here = placed.slice(i, end).map((place) => place.mark);
    out.push(tickOf((first + placed[end - 1]!.x) / 2, here));
    i = end;
  }
  return out;
}

function tickOf(x: number, marks: Mark[]): Tick {
  const by = new Map<string, { n: number; mark: Mark }>();
  for (const mark of marks) {
    const same = by.get(mark.word);
    if (same === undefined) by.set(mark.word, { n: 1, mark });
    else same.n += 1;
  }
  const kinds = [...by.values()].sort((a, b) => b.mark.weight - a.mark.weight);
  return {
    x,
    tone: kinds[0]!.mark.tone,
    shape: kinds[0]!.mark.shape,
    words: kinds.map(({ n, mark }) => `${count(n)} ${mark.word}`).join(', '),
    names: marks
      .toSorted((a, b) => b.weight - a.weight)
      .slice(0, fewNames)
      .map((mark) => `${mark.word}: ${mark.name}`)
      .concat(marks.length > fewNames ? [`and ${count(marks.length - fewNames)} more`] : []),
  };
}
