import { expect, test } from 'vitest';
import type { GraphNode } from '../../generated/api';
import { foldLines, labels, nodeWords, pathOf, savingWords, sayShortly, sideOf, titleOf, widthOf } from './marks';
import { outlineOf } from './outline';
import { joinedOf } from './relations';

function node(name: string, x: number, y: number, more: Partial<GraphNode> = {}): GraphNode {
  return {
    node_id: name,
    fold: null,
    name: `${name}-9c2e`,
    prefix: name,
    out_of: null,
    groups: 1,
    largest: [],
    x,
    y,
    layer: 0,
    states: { memory: 6, erred: 1, waiting: 3 },
    tasks: 10,
    done: 7,
    erred: 1,
    seconds: { compute: 90, transfer: 0, disk_read: 0, disk_write: 0, deserialize: 0, other: 0 },
    result_bytes: 1024,
    start_micros: null,
    stop_micros: null,
    measure: 90,
    share: 0.25,
    money: null,
    is_final: false,
    on_critical_path: true,
    wall_seconds: 20,
    slack_seconds: 0,
    saving_seconds: 10,
    ...more,
  };
}

test('areas, not sides, stand for figures, and nothing is still seen', () => {
  expect(sideOf(100, 100, 40)).toBe(40);
  expect(sideOf(25, 100, 40)).toBe(20);
  expect(sideOf(0, 100, 40)).toBe(6);
  expect(sideOf(0, 0, 40)).toBe(6);
  expect(widthOf(null, 100)).toBe(1);
  expect(widthOf(100, 100)).toBe(7);
});

test('an edge is level through the layers that it passes', () => {
  expect(pathOf({ points: [0, 0, 40, 20, 60, 20, 100, 0] }, false)).toBe('M0 0C20 0 20 20 40 20L60 20C80 20 80 0 100 0');
  expect(pathOf({ points: [0, 0, 10, 40] }, true)).toBe('M0 0C0 20 10 20 10 40');
});

test('a node is told in words', () => {
  expect(nodeWords(node('read', 0, 0), 'compute', null)).toBe('read-9c2e; 7 of 10 tasks done; 1 erred; Erred 1, In memory 6, Waiting 3; compute time 1.50 core-min, 25 % of all');
  const dear = node('read', 0, 0, { measure: 0.6, money: { low_nanos: 4e8, high_nanos: 6e8 } });
  expect(nodeWords(dear, 'cost', 'EUR')).toContain('; cost ≈ 0.40–0.60 €, 25 % of all');
  expect([sayShortly(dear, 'cost', 'EUR'), sayShortly(dear, 'bytes', null)]).toEqual(['≤ 0.60 €', '1 B']);
  expect(nodeWords(node('read', 0, 0, { measure: 0, share: null }), 'cost', 'EUR')).toMatch(/; cost no price$/);
  expect(titleOf(node('read', 0, 0, { fold: 'chain', groups: 12, name: 'read, sum' }))).toBe('12 chained groups: read, sum');
  expect(titleOf(node('a\u202eb', 0, 0))).toBe('a‹U+202E›b');
  expect(savingWords(node('read', 0, 0))).toContain('at most 10.0 s');
  expect(savingWords(node('read', 0, 0, { on_critical_path: false, slack_seconds: 3 }))).toContain('3.00 s of slack');
  expect(savingWords(node('read', 0, 0, { slack_seconds: null }))).toContain('No wall time');
});

test('of names that would lie on each other the larger ones are shown', () => {
  const nodes = [node('small', 0, 0, { measure: 1 }), node('large', 10, 5, { measure: 9 }), node('far', 900, 0, { measure: 2 })];
  const shown = labels({ nodes, node_width: 148, node_height: 100 }, 11, 20, () => true);
  expect(shown.map(({ lines }) => lines)).toEqual([['large'], ['far']]);
  const inside = labels({ nodes: [node('a-rather-long-name', 0, 0)], node_width: 148, node_height: 100 }, 20, 22, () => true);
  expect(inside.map(({ lines }) => lines)).toEqual([['a-rather-', 'long-name']]);
});

test('what a fold holds is said in whole words, however little room there is', () => {
  const lines = (groups: number, letters: number) => foldLines({ fold: 'small', groups }, letters);
  expect(lines(39, 17)).toEqual(['39 small groups']);
  expect(lines(39, 9)).toEqual(['39 small', 'groups']);
  expect(lines(1234, 12)).toEqual(['1,234 small', 'groups']);
  expect(lines(1234, 9)).toEqual(['1,234', 'groups']);
  expect(foldLines({ fold: 'siblings', groups: 39 }, 9)).toEqual(['39 groups']);
  expect(foldLines({ fold: 'single_tasks', groups: 8 }, 8)).toEqual(['8 single', 'tasks']);
  const { lines: shown } = labels({ nodes: [node('f', 0, 0, { fold: 'small', groups: 244, name: 'merge, fillna, rechunk, …' })], node_width: 148, node_height: 100 }, 24.4, 22, () => true)[0]!;
  expect(shown).toEqual(['244 small', 'groups']);
});

test('an outline has each node once, under the last of what it needs', () => {
  const nodes = [node('a', 0, 0), node('b', 1, 0, { layer: 1 }), node('c', 2, 0, { layer: 2 }), node('x', 0, 9)];
  const edges = [
    [0, 1],
    [1, 2],
    [0, 2],
    [2, 1],
  ].map(([from, to]) => ({ from: from!, to: to!, dependencies: 1, bytes: null, backward: false, on_critical_path: false, points: [] }));
  const said = (wanted: (place: number) => boolean) => outlineOf({ nodes }, joinedOf({ nodes, edges }), false, wanted).map((row) => `${'.'.repeat(row.depth)}${nodes[row.node]!.prefix}`);
  expect(said(() => true)).toEqual(['a', '.b', '..c', 'x']);
  expect(said((place) => place !== 1)).toEqual(['a', '.c', 'x']);
});
