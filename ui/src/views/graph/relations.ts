// What is joined to what in the drawn graph, by places of nodes.

import type { Graph } from '../../generated/api';

export interface Joined {
  /** For each node those that need it, and those that it needs. */
  after: number[][];
  before: number[][];
}

export function joinedOf(graph: Pick<Graph, 'nodes' | 'edges'>): Joined {
  const after: number[][] = graph.nodes.map(() => []);
  const before: number[][] = graph.nodes.map(() => []);
  for (const { from, to } of graph.edges) {
    after[from]?.push(to);
    before[to]?.push(from);
  }
  return { after, before };
}

/** Where each node is, by its id. */
export function placesOf(graph: Pick<Graph, 'nodes'>): Map<string, number> {
  return new Map(graph.nodes.map(({ node_id }, place) => [node_id, place]));
}

/** The ids of the nodes that an edge joins. */
export interface Ends {
  from: string;
  to: string;
}

export function endsOf(graph: Pick<Graph, 'nodes' | 'edges'>, edge: number): Ends | null {
  const held = graph.edges[edge];
  const from = held && graph.nodes[held.from];
  const to = held && graph.nodes[held.to];
  return from && to ? { from: from.node_id, to: to.node_id } : null;
}

/** The place of the edge between two nodes; null where there is none any more. */
export function edgeBetween(graph: Pick<Graph, 'edges'>, places: ReadonlyMap<string, number>, { from, to }: Ends): number | null {
  const [one, two] = [places.get(from), places.get(to)];
  const edge = graph.edges.findIndex((edge) => edge.from === one && edge.to === two);
  return edge < 0 ? null : edge;
}

/** Everything that a walk along `next` meets, where it begins included. Cycles end. */
export function reach(next: readonly number[][], start: number): Set<number> {
  const met = new Set([start]);
  for (const node of met) for (const other of next[node] ?? []) met.add(other);
  return met;
}

/** A node, all that it needs and all that needs it. */
export function family(joined: Joined, node: number): Set<number> {
  return new Set([...reach(joined.before, node), ...reach(joined.after, node)]);
}

/** All that lies on a way from one to the other, in whichever direction there is one; empty where there is none. */
export function between(joined: Joined, one: number, two: number): Set<number> {
  for (const [from, to] of [
    [one, two],
    [two, one],
  ] as const) {
    const after = reach(joined.after, from);
    if (after.has(to)) {
      const before = reach(joined.before, to);
      return new Set([...after].filter((node) => before.has(node)));
    }
  }
  return new Set();
}

export type Arrow = 'ArrowLeft' | 'ArrowRight' | 'ArrowUp' | 'ArrowDown';

/** Where an arrow leads: along an edge to the nearest node, or to the next node of the same layer. */
export function step(graph: Pick<Graph, 'nodes'>, joined: Joined, at: number, arrow: Arrow, topDown: boolean): number | null {
  const here = graph.nodes[at];
  if (here === undefined) return null;
  const across = (node: { x: number; y: number }) => (topDown ? node.x : node.y);
  const [on, back, last, next] = topDown ? ['ArrowDown', 'ArrowUp', 'ArrowLeft', 'ArrowRight'] : ['ArrowRight', 'ArrowLeft', 'ArrowUp', 'ArrowDown'];
  const nearest = (places: readonly number[]) =>
    places.reduce<number | null>((best, place) => {
      const gap = (of: number) => Math.abs(across(graph.nodes[of]!) - across(here));
      return best === null || gap(place) < gap(best) ? place : best;
    }, null);
  if (arrow === on) return nearest(joined.after[at] ?? []);
  if (arrow === back) return nearest(joined.before[at] ?? []);
  const along = (node: { x: number; y: number }) => (topDown ? node.y : node.x);
  const beside = graph.nodes.flatMap((node, place) => {
    const further = across(node) - across(here);
    return along(node) === along(here) && (arrow === next ? further > 0 : arrow === last && further < 0) ? [place] : [];
  });
  return nearest(beside);
}
