import { expect, test } from 'vitest';
import type { Graph } from '../../generated/api';
import { within } from './within';

test('what touches the window is drawn, and an edge that crosses it though both its ends are out of sight', () => {
  const graph = {
    node_width: 10,
    node_height: 5,
    nodes: [{ x: 0, y: 0 }, { x: 90, y: 0 }, { x: 101, y: 0 }, { x: 50, y: 61 }, { x: -10, y: 20 }, { x: -11, y: 20 }],
    edges: [{ points: [-40, 10, 140, 30] }, { points: [110, 0, 120, 50] }, { points: [20, 70, 30, 90, 20, 55] }, { points: [] }],
  } as unknown as Graph;
  expect(within(graph, { left: 0, top: 0, right: 100, bottom: 60 })).toEqual({ nodes: [0, 1, 4], edges: [0, 2] });
});
