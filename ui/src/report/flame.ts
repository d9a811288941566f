// A flame graph that is drawn anew with nobody to ask. The report holds its rectangles, drawn once and for a very wide screen: here a part of
// them is given the whole width, and those that are searched for are lit. That is geometry: what the rectangles stand for was worked
// out when the report was written.

import type { Flame } from '../generated/api';
import { finds } from './functions';

/** What one can go to, one after the other. */
const most = 500;

/** A drawing in which the rectangle with this key has the whole width; all of it where there is none. */
export function under(flame: Flame, key: number | null): Flame {
  const { rectangles: r } = flame;
  const root = key === null ? 0 : r.key.findIndex((one, at) => one === key && r.small[at] === 0);
  if (root <= 0) return { ...flame, root_found: root === 0 };
  // Rows come one after the other, so that a parent stands before its children.
  const place = new Map<number, number>([[-1, -1]]);
  const kept: number[] = [];
  for (let at = root; at < r.key.length; at++) {
    if (at !== root && !place.has(r.parent[at]!)) continue;
    if (at !== root && r.parent[at] === -1) continue;
    place.set(at, kept.length);
    kept.push(at);
  }
  const pick = <T>(column: readonly T[]) => kept.map((at) => column[at]!);
  const way = [];
  for (let at = r.parent[root]!; at >= 0; at = r.parent[at]!) way.push({ key: r.key[at]!, frame: r.frame[at]!, total: r.total[at]! });
  return {
    ...flame,
    total: r.total[root]!,
    root_found: true,
    way: way.reverse(),
    rectangles: {
      ...r,
      key: pick(r.key),
      parent: kept.map((at) => (at === root ? -1 : place.get(r.parent[at]!)!)),
      frame: pick(r.frame),
      last: pick(r.last),
      depth: kept.map((at) => r.depth[at]! - r.depth[root]!),
      x: kept.map((at) => r.x[at]! - r.x[root]!),
      total: pick(r.total),
      own: pick(r.own),
      small: pick(r.small),
      run: pick(r.run),
      found: pick(r.found),
      error: pick(r.error),
    },
  };
}

/** A drawing in which the frames that a search finds are lit. */
export function lit(flame: Flame, text: string): Flame {
  if (text.trim() === '') return flame;
  const { rectangles: r, frames } = flame;
  const matches = finds(text);
  const named = frames.key.map((_, at) => matches({ name: frames.name[at]!, file: frames.file[at]! }));
  const found = r.key.map((_, at) => r.small[at] === 0 && r.frame[at]! >= 0 && named[r.frame[at]!]!);
  // What stands below a frame that was found is counted with it.
  const inside: boolean[] = [];
  let total = 0;
  r.key.forEach((_, at) => {
    const above = r.parent[at]! >= 0 && inside[r.parent[at]!]!;
    inside[at] = above || found[at]!;
    if (found[at] && !above) total += r.total[at]!;
  });
  const keys = r.key.filter((_, at) => found[at]).slice(0, most);
  return { ...flame, rectangles: { ...r, found }, found: { functions: new Set(r.frame.filter((_, at) => found[at])).size, total, keys } };
}
