import { expect, test } from 'vitest';
import type { GraphEdge, GraphNode } from '../../generated/api';
import { between, edgeBetween, endsOf, family, joinedOf, placesOf, reach, step } from './relations';

// a → b → d, a → c → d, d → e, and e back to d.
const places = { a: [0, 50], b: [100, 0], c: [100, 100], d: [200, 50], e: [300, 50] };
const names = Object.keys(places);
const nodes = Object.values(places).map(([x, y]) => ({ x, y }) as GraphNode);
const edges = ['ab', 'ac', 'bd', 'cd', 'de', 'ed'].map((pair) => ({ from: names.indexOf(pair[0]!), to: names.indexOf(pair[1]!) }) as GraphEdge);
const joined = joinedOf({ nodes, edges });
const said = (met: Iterable<number>) =>
  [...met]
    .map((place) => names[place])
    .sort()
    .join('');

test('walks meet everything once, and cycles end', () => {
  expect(said(reach(joined.after, 0))).toBe('abcde');
  expect(said(reach(joined.before, 1))).toBe('ab');
  expect(said(family(joined, 1))).toBe('abde');
});

test('paths between two nodes, in whichever direction they run', () => {
  expect(said(between(joined, 0, 3))).toBe('abcde');
  expect(said(between(joined, 3, 1))).toBe('bde');
  expect(said(between(joined, 1, 2))).toBe('');
});

test('arrows follow edges to the nearest node, and go along the layer', () => {
  const go = (from: string, arrow: Parameters<typeof step>[3]) => names[step({ nodes }, joined, names.indexOf(from), arrow, false) ?? -1];
  expect(go('a', 'ArrowRight')).toBe('b');
  expect(go('d', 'ArrowLeft')).toBe('e');
  expect(go('b', 'ArrowDown')).toBe('c');
  expect(go('c', 'ArrowUp')).toBe('b');
  expect(go('b', 'ArrowUp')).toBe(undefined);
  expect(step({ nodes }, joined, 0, 'ArrowDown', true)).toBe(1);
});

test('an edge is found again by its ends wherever a new node put it, and not once it is gone', () => {
  const drawn = { nodes: nodes.map((node, place) => ({ ...node, node_id: names[place]! })), edges };
  const ends = endsOf(drawn, 2)!;
  expect(ends).toEqual({ from: 'b', to: 'd' });
  const later = { nodes: [{ ...nodes[0]!, node_id: 'A' }, ...drawn.nodes], edges: edges.map((edge) => ({ ...edge, from: edge.from + 1, to: edge.to + 1 })).reverse() };
  const found = edgeBetween(later, placesOf(later), ends)!;
  expect(endsOf(later, found)).toEqual(ends);
  expect(edgeBetween({ edges: [] }, placesOf(later), ends)).toBeNull();
  expect(endsOf(drawn, edges.length)).toBeNull();
});
