// What a chart over time is made of, and how its values are said.

import type { Kind, Span } from './chart';
import type { Cursor } from './cursor.svelte';
import type { Mark } from './marks';
import { sayValue, type Unit } from './units';

export interface Series {
  key: string;
  label: string;
  colour: string;
  values: (number | null)[];
  /** `stack`: on top of the stacks before it. `band`: from `low` to the values. `thread`: one thin line of many, without a legend. */
  draw: 'line' | 'dashes' | 'area' | 'stack' | 'band' | 'thread';
  low?: (number | null)[];
  kind: Kind;
  means?: string;
  /** Said in the legend while nothing is pointed at, in place of the last or the largest value. */
  figure?: string;
  /** What is neither work nor waste is drawn as nothing, with a box around its key. */
  outlined?: boolean;
  /** Told apart without its colour. */
  hatched?: boolean;
}

/** What a chart is, apart from its place on the page. */
export interface Chart {
  title: string;
  explains: string;
  unit: Unit;
  series: Series[];
  /** Said in place of the plot: there is nothing to draw, and this is why. */
  absent?: string | null;
  /** Said beside the legend. */
  note?: string;
  /** What happened, at the foot of the plot. */
  marks?: Mark[];
  /** Its own moments, where they are not the samples that the others share. */
  at?: number[];
  /** The largest value of the axis, where that is known beforehand. */
  ceiling?: number;
}

/** What the charts over one axis share. */
export interface Place {
  gaps: Span[];
  from: number;
  to: number;
  /** What is pointed at, on this chart or on one beside it. */
  cursor: Cursor;
  /** Narrows the time; null where there is no other. */
  brush: ((from: number, to: number) => void) | null;
  asTable: boolean;
  /** Nothing comes any more: without a pointer the largest values are told instead of the last. */
  over: boolean;
}

/** Where everything of a chart is drawn, in pixels. */
export interface Frame {
  width: number;
  height: number;
  /** Room before, above and below the plot, and how wide it is. */
  left: number;
  head: number;
  foot: number;
  plot: number;
  /** The reader's text size: what has words in it grows with them. */
  scale: number;
  x: (moment: number) => number;
  y: (value: number) => number;
  ticks: readonly number[];
  times: readonly { at: number; label: string }[];
}

/** One value of a series in words; a band is from its least to its most. */
export function valueWords(unit: Unit, { draw, low, values }: Pick<Series, 'draw' | 'low' | 'values'>, i: number): string {
  const most = values[i];
  return draw === 'band' && most != null ? `${sayValue(unit, low?.[i])} – ${sayValue(unit, most)}` : sayValue(unit, most);
}
