// What of the graph is drawn.

import type { Graph } from '../../generated/api';

interface Window {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** Places of the nodes and edges that touch a window. */
export function within(graph: Pick<Graph, 'nodes' | 'edges' | 'node_width' | 'node_height'>, window: Window): { nodes: number[]; edges: number[] } {
  const touches = (left: number, top: number, right: number, bottom: number) => right >= window.left && left <= window.right && bottom >= window.top && top <= window.bottom;
  const nodes = graph.nodes.flatMap(({ x, y }, place) => (touches(x, y, x + graph.node_width, y + graph.node_height) ? [place] : []));
  const edges = graph.edges.flatMap(({ points }, place) => {
    let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
    points.forEach((at, i) => {
      if (i % 2 === 0) [left, right] = [Math.min(left, at), Math.max(right, at)];
      else [top, bottom] = [Math.min(top, at), Math.max(bottom, at)];
    });
    return touches(left, top, right, bottom) ? [place] : [];
  });
  return { nodes, edges };
}
