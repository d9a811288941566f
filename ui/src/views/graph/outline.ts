// The graph as an indented list: each node once, under the node that comes last of those that it needs.

import type { Graph } from '../../generated/api';
import type { Joined } from './relations';

export interface OutlineRow {
  node: number;
  depth: number;
}

/** In the order of the picture. `wanted` leaves nodes out, and not what is below them. */
export function outlineOf(graph: Pick<Graph, 'nodes'>, joined: Joined, topDown: boolean, wanted: (node: number) => boolean): OutlineRow[] {
  const across = (place: number) => (topDown ? graph.nodes[place]!.x : graph.nodes[place]!.y);
  const layer = (place: number) => graph.nodes[place]!.layer;
  const under: number[][] = graph.nodes.map(() => []);
  const tops: number[] = [];
  graph.nodes.forEach((node, place) => {
    // An edge that closes a cycle leads to nothing that comes before.
    const above = (joined.before[place] ?? []).filter((other) => layer(other) < node.layer);
    const last = above.reduce<number | null>((best, other) => {
      if (best === null || layer(other) > layer(best)) return other;
      return layer(other) === layer(best) && Math.abs(across(other) - across(place)) < Math.abs(across(best) - across(place)) ? other : best;
    }, null);
    if (last === null) tops.push(place);
    else under[last]!.push(place);
  });
  const inOrder = (a: number, b: number) => graph.nodes[a]!.y - graph.nodes[b]!.y || graph.nodes[a]!.x - graph.nodes[b]!.x || a - b;
  const rows: OutlineRow[] = [];
  const left = tops
    .sort(inOrder)
    .reverse()
    .map((node) => ({ node, depth: 0 }));
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const shown = wanted(next.node);
    if (shown) rows.push(next);
    for (const child of under[next.node]!.sort(inOrder).reverse()) left.push({ node: child, depth: next.depth + (shown ? 1 : 0) });
  }
  return rows;
}
