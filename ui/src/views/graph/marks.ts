// How figures become areas, widths and names in the picture.

import type { Graph, GraphEdge, GraphFold, GraphMeasure, GraphNode } from '../../generated/api';
import { exactBytes, bytes } from '../../format/bytes';
import { coreTime, duration } from '../../format/duration';
import { twoLines } from '../../format/middle';
import { money } from '../../format/money';
import { count, plural, share } from '../../format/number';
import { visible } from '../../format/visible';
import { stateWords } from '../../parts/series';

export const measureWords: Record<GraphMeasure, { label: string; means: string }> = {
  compute: { label: 'Compute time', means: 'seconds in your functions, summed over threads' },
  bytes: { label: 'Data', means: 'in-memory size of all results of its tasks' },
  transfer: { label: 'Transfer time', means: 'seconds spent moving data between workers' },
  cost: { label: 'Cost', means: 'its thread time at the price that applied, as an estimate; idle time is in no group' },
};

/** What a fold holds, in two words, and why that is folded. */
export const foldWords: Record<GraphFold, { what: [string, string]; means: string }> = {
  chain: { what: ['chained', 'groups'], means: 'one after the other, with nothing else in between' },
  siblings: { what: ['sibling', 'groups'], means: 'with the same prefixes and the same neighbors' },
  single_tasks: { what: ['single', 'tasks'], means: 'side by side, each with a single task' },
  small: { what: ['small', 'groups'], means: 'side by side, each under 0.5 % of the measure' },
  layers: { what: ['small', 'groups'], means: 'all of some layers, each under 0.5 % of the measure' },
};

/** `39 small groups`. */
export function foldTitle({ fold, groups }: { fold: GraphFold; groups: number }): string {
  return `${count(groups)} ${foldWords[fold].what.join(' ')}`;
}

/** The same in lines of no more than so many letters; what has no room is left out, and nothing is cut. */
export function foldLines({ fold, groups }: { fold: GraphFold; groups: number }, letters: number): string[] {
  const [kind, things] = foldWords[fold].what;
  const n = count(groups);
  const ways = [[foldTitle({ fold, groups })], [`${n} ${kind}`, things], [`${n} ${things}`]];
  return ways.find((lines) => lines.every((line) => line.length <= letters)) ?? [n, things];
}

export function sayMeasure(node: Pick<GraphNode, 'measure' | 'money'>, measure: GraphMeasure, currency: string | null): string {
  if (measure === 'bytes') return bytes(node.measure);
  if (measure === 'cost') return node.money === null ? 'no price' : `≈ ${money(node.money, currency ?? '')}`;
  return node.measure === 0 ? '0 core-s' : coreTime(node.measure);
}

/** The same where there is little room: of money what it is at most, for which the area stands. */
export function sayShortly(node: Pick<GraphNode, 'measure' | 'money'>, measure: GraphMeasure, currency: string | null): string {
  if (measure !== 'cost' || node.money === null) return sayMeasure(node, measure, currency);
  return `≤ ${money({ low_nanos: node.money.high_nanos, high_nanos: node.money.high_nanos }, currency ?? '')}`;
}

/** That with the most of the measure. */
export function largestOf({ nodes }: Pick<Graph, 'nodes'>): GraphNode | null {
  return nodes.reduce<GraphNode | null>((most, node) => (most === null || node.measure > most.measure ? node : most), null);
}

const tiniest = 6;

/** Side of a square whose area stands for the measure; something is seen of what is nothing, too. */
export function sideOf(value: number, most: number, largest: number): number {
  return most > 0 ? Math.max(tiniest, largest * Math.sqrt(Math.max(0, value) / most)) : tiniest;
}

/** Width of an edge by the bytes behind it. */
export function widthOf(bytes: number | null, most: number): number {
  return bytes === null || most <= 0 ? 1 : 1 + 6 * Math.sqrt(bytes / most);
}

/** The way of an edge: level where it leaves, passes and ends, and smooth between. */
export function pathOf({ points }: Pick<GraphEdge, 'points'>, topDown: boolean): string {
  let path = `M${points[0]} ${points[1]}`;
  for (let i = 2; i + 1 < points.length; i += 2) {
    const [x, y, toX, toY] = [points[i - 2]!, points[i - 1]!, points[i]!, points[i + 1]!];
    const straight = topDown ? x === toX : y === toY;
    if (straight) path += `L${toX} ${toY}`;
    else if (topDown) path += `C${x} ${(y + toY) / 2} ${toX} ${(y + toY) / 2} ${toX} ${toY}`;
    else path += `C${(x + toX) / 2} ${y} ${(x + toX) / 2} ${toY} ${toX} ${toY}`;
  }
  return path;
}

/** The name that is shown: of a group what people know of it; of a fold what it holds. */
export function titleOf({ fold, groups, name, prefix }: Pick<GraphNode, 'fold' | 'groups' | 'name' | 'prefix'>): string {
  return fold === null ? visible(prefix === '' ? name : prefix) : `${foldTitle({ fold, groups })}: ${visible(name)}`;
}

/** The same in two lines of no more than so many letters. */
export function titleLines(node: Pick<GraphNode, 'fold' | 'groups' | 'name' | 'prefix'>, letters: number): string[] {
  return node.fold === null ? twoLines(titleOf(node), letters) : foldLines({ fold: node.fold, groups: node.groups }, letters);
}

/** Everything about a node in one sentence, for hover and for those who do not see it. */
export function nodeWords(node: GraphNode, measure: GraphMeasure, currency: string | null): string {
  const parts = [
    node.fold === null ? visible(node.name) : titleOf(node),
    `${count(node.done)} of ${plural(node.tasks, 'task')} done`,
    stateWords(node.states),
    `${measureWords[measure].label.toLowerCase()} ${sayMeasure(node, measure, currency)}${node.share === null ? '' : `, ${share(node.share)} of all`}`,
  ];
  if (node.erred > 0) parts.splice(2, 0, `${count(node.erred)} erred`);
  return parts.filter((part) => part !== '').join('; ');
}

export function edgeWords(graph: Pick<Graph, 'nodes'>, edge: GraphEdge): string {
  const [from, to] = [graph.nodes[edge.from]!, graph.nodes[edge.to]!];
  const moved = edge.bytes === null ? 'bytes not known yet' : `up to ${bytes(edge.bytes)} (${exactBytes(edge.bytes)}): the size of the results; Dask does not report how much of it moved`;
  return `${titleOf(from)} → ${titleOf(to)}${edge.dependencies > 1 ? `, ${plural(edge.dependencies, 'dependency', 'dependencies')}` : ''}: ${moved}${edge.backward ? '; closes a cycle' : ''}`;
}

export function savingWords(node: GraphNode): string {
  if (node.saving_seconds === null || node.slack_seconds === null) return 'No wall time is known yet.';
  if (node.on_critical_path) return `On the critical path: making ${node.fold === null ? 'this group' : 'one of these groups'} twice as fast saves at most ${duration(node.saving_seconds)}.`;
  return `Not on the critical path: it has ${duration(node.slack_seconds)} of slack, so making it faster saves nothing.`;
}

export interface Label {
  node: number;
  lines: string[];
  /** Left end, and baseline of the first line, in the graph's pixels. */
  x: number;
  y: number;
}

const letter = 0.58;
/** From line to line, in sizes of letters. */
export const lineHeight = 1.15;
/** Shorter names say nothing. */
const fewest = 8;

/**
 * Names for a zoom at which they cannot stand in their nodes: the largest first, each only where no other name and no
 * other mark of a larger one is. `size` is that of the letters in the graph's pixels.
 */
export function labels(graph: Pick<Graph, 'nodes' | 'node_width' | 'node_height'>, size: number, most: number, wanted: (node: number) => boolean): Label[] {
  const order = graph.nodes.map((_, place) => place).filter(wanted);
  order.sort((a, b) => graph.nodes[b]!.measure - graph.nodes[a]!.measure || a - b);
  const taken = new Map<string, { left: number; right: number; top: number; bottom: number }[]>();
  const cell = size * 12;
  // Where there is room for some letters, names stay in their nodes, in two lines if need be.
  const inside = Math.floor((graph.node_width - 8) / (size * letter));
  const letters = inside >= fewest ? Math.min(most, inside) : most;
  const out: Label[] = [];
  for (const place of order) {
    const node = graph.nodes[place]!;
    const lines = titleLines(node, letters);
    // Over the mark, as near by; else beside it.
    const left = node.x + (inside >= fewest ? 6 : graph.node_width / 2);
    const level = node.y + (inside >= fewest ? size * 0.7 : graph.node_height / 2);
    const box = { left, right: left + Math.max(...lines.map((line) => [...line].length)) * size * letter, top: level - size * 0.7, bottom: level + size * (0.7 + lineHeight * (lines.length - 1)) };
    const cells: string[] = [];
    for (let column = Math.floor(box.left / cell); column <= Math.floor(box.right / cell); column += 1)
      for (let row = Math.floor(box.top / cell); row <= Math.floor(box.bottom / cell); row += 1) cells.push(`${column} ${row}`);
    const free = cells.every((key) => (taken.get(key) ?? []).every((other) => other.right < box.left || other.left > box.right || other.bottom < box.top || other.top > box.bottom));
    if (!free) continue;
    for (const key of cells) {
      const held = taken.get(key);
      if (held === undefined) taken.set(key, [box]);
      else held.push(box);
    }
    out.push({ node: place, lines, x: box.left, y: level + size * 0.35 });
  }
  return out;
}
