// The heat-map's cells as paths: one for all of one look, so that thousands of cells are a handful of elements.

import { look, type Heat } from './heat';
import type { Picked } from './picked';
import { isChosen } from './places';

/** A cell's width, and the height of its row. */
export interface Size {
  cell: number;
  tall: number;
}

/** Between two cells. */
const gap = 2;

/** A cell as a piece of a path, smaller by `inset` on each side. */
export function box({ cell, tall }: Size, row: number, column: number, inset: number): string {
  const size = Math.max(1, cell - gap) - 2 * inset;
  const x = (column * cell + gap / 2 + inset).toFixed(1);
  return `M${x},${row * tall + gap / 2 + inset}h${size.toFixed(1)}v${tall - gap - 2 * inset}h${(-size).toFixed(1)}z`;
}

/** A path for each look. */
export function looks({ lines, breaks }: Pick<Heat, 'lines' | 'breaks'>, size: Size): [string, string][] {
  const by = new Map<string, string>();
  lines.forEach((line, r) =>
    line.cells.forEach((one, c) => {
      if (one === null) return;
      const key = String(look(one, breaks));
      by.set(key, (by.get(key) ?? '') + box(size, r, c, key === 'zero' ? 0.5 : 0));
    }),
  );
  return [...by];
}

/** Frames around what is chosen. */
export function frames({ lines }: Pick<Heat, 'lines'>, chosen: Picked, size: Size): string {
  return lines.map((line, r) => line.cells.map((one, c) => (one !== null && isChosen(one, chosen) ? box(size, r, c, 0.25) : '')).join('')).join('');
}

/** The cells that are far beyond the others. */
export function beyond({ lines, outlier }: Pick<Heat, 'lines' | 'outlier'>): { r: number; c: number }[] {
  if (outlier === null) return [];
  return lines.flatMap((line, r) => line.cells.flatMap((one, c) => (one?.value != null && one.value > outlier ? [{ r, c }] : [])));
}
