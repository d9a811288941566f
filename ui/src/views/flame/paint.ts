// The picture of a flame graph. What it takes of each rectangle is next to nothing: while the graph moves, each frame draws all that is in
// sight anew.

import type { Flame, FlameChange, FlameChanges } from '../../generated/api';
import { colourOf } from './colours';
import type { Hatch } from './hatch';
import type { Cut } from './labels';
import { firstAt, type Sight } from './layout';

/** Between two rectangles. */
const gap = 1;
/** Narrower ones have no name. */
const named = 22;
/** Narrower blocks are not hatched: no line would be seen, and most blocks are so narrow. */
const hatched = 4;
/** Beside what a search found. */
const dimmed = 0.28;
const dimmedName = 0.6;

/** Colour never speaks alone. */
const looks: Record<FlameChange, { token: string; mark: string }> = {
  more_time: { token: 'flame-more', mark: '+ ' },
  new: { token: 'flame-more', mark: '+ new: ' },
  less_time: { token: 'flame-less', mark: '− ' },
  vanished: { token: 'flame-less', mark: '− gone: ' },
  same: { token: 'flame-same', mark: '' },
};

export interface Scene {
  flame: Flame;
  /** Beside a difference. */
  changes: FlameChanges | null;
  rows: readonly (readonly number[])[];
  /** The part of the width in sight. */
  sight: Sight;
  width: number;
  height: number;
  /** The height of a row. */
  row: number;
  /** Where a row begins. */
  yOf: (depth: number) => number;
  /** -1 is none. */
  selected: number;
  under: number;
  colours: ReadonlyMap<string, string>;
  hatch: Pick<Hatch, 'from'>;
  labelAt: (at: number) => string;
  names: Cut;
}

/** A rectangle as it is drawn. */
interface Body {
  at: number;
  x: number;
  y: number;
  wide: number;
  dim: boolean;
}

export function paint(pen: CanvasRenderingContext2D, scene: Scene): void {
  const { flame, changes, rows, sight, width, height, row, yOf, selected, under, colours, hatch, labelAt, names } = scene;
  const { rectangles: r, frames } = flame;
  const whole = Math.max(1, flame.total);
  const from = sight.from * whole;
  const perSample = width / ((sight.to - sight.from) * whole);
  const searching = flame.found !== null;
  const grounds: string[] = [];
  const ground = (at: number): string => {
    if (changes !== null) return colours.get(looks[changes.change[at]!].token)!;
    if (r.small[at]! > 0) return colours.get('flame-small')!;
    const place = r.frame[at]!;
    return place < 0 ? colours.get('flame-python')! : (grounds[place] ??= colours.get(colourOf(frames.library[place]!))!);
  };

  const blocks: Body[] = [];
  const written: Body[] = [];
  const marked: Body[] = [];
  pen.clearRect(0, 0, width, height);
  for (let depth = 0; depth < rows.length; depth++) {
    const y = yOf(depth);
    if (y + row < 0 || y > height) continue;
    const line = rows[depth]!;
    for (let place = firstAt(r, line, from); place < line.length; place++) {
      const at = line[place]!;
      const left = (r.x[at]! - from) * perSample;
      if (left >= width) break;
      const x = Math.max(0, left);
      const end = Math.min(width, left + r.total[at]! * perSample);
      const body = { at, x, y, wide: Math.max(0.6, end - x - (end < width ? gap : 0)), dim: searching && !r.found[at] };
      pen.globalAlpha = body.dim ? dimmed : 1;
      pen.fillStyle = ground(at);
      pen.fillRect(x, y, body.wide, row - gap);
      if (r.small[at]! > 0 && body.wide >= hatched) blocks.push(body);
      if (body.wide > named) written.push(body);
      if (at === selected || at === under) marked.push(body);
    }
  }

  pen.fillStyle = hatch.from(-from * perSample, yOf(0)) ?? 'transparent';
  for (const dim of [false, true]) {
    pen.globalAlpha = dim ? dimmed : 1;
    pen.beginPath();
    for (const block of blocks) if (block.dim === dim) pen.rect(block.x, block.y, block.wide, row - gap);
    pen.fill();
  }

  const ink = colours.get('ink')!;
  pen.font = names.font;
  pen.textBaseline = 'middle';
  pen.fillStyle = ink;
  for (const { at, x, y, wide, dim } of written) {
    const mark = changes === null ? '' : looks[changes.change[at]!].mark;
    const name = names.of(labelAt(at), wide - 8 - (mark === '' ? 0 : names.width(mark)));
    if (name === '') continue;
    pen.globalAlpha = dim ? dimmedName : 1;
    pen.fillText(mark + name, x + 4, y + row / 2 - 0.5);
  }

  pen.globalAlpha = 1;
  for (const { at, x, y, wide } of marked) {
    pen.strokeStyle = at === selected ? colours.get('accent')! : ink;
    pen.lineWidth = at === selected ? 2 : 1;
    const inset = pen.lineWidth / 2;
    pen.strokeRect(x + inset, y + inset, Math.max(1, wide - 2 * inset), row - gap - 2 * inset);
  }
}
