import { expect, test } from 'vitest';
import type { ActivitySum, SpanRow } from '../../generated/api';
import { partWords } from '../../parts/series';
import { keyOf, legendOf, partsOf, spanTree } from './activity';

test('a sum is a bar of its kinds, and the legend has those that occur', () => {
  const sums: ActivitySum[] = [
    { of: 'inc', seconds: 12, bytes: 0, parts: [{ kind: 'waiting', seconds: 2 }, { kind: 'cpu', seconds: 10 }], lines: [] },
    { of: null, seconds: 5, bytes: 0, parts: [{ kind: 'network', seconds: 5 }], lines: [] },
  ];
  expect(partWords(partsOf(sums[0]!))).toBe('On CPU 10.0 core-s (83 %), Waiting in functions 2.00 core-s (17 %)');
  expect(legendOf(sums).map(({ key }) => key)).toEqual(['cpu', 'waiting', 'network']);
  expect(sums.map(keyOf)).toEqual([':inc', '-']);
});

test('spans are a tree, also where parents are missing or go round', () => {
  const span = (span_id: string, parent_id: string | null, start_micros: number) => ({ span_id, parent_id, start_micros }) as SpanRow;
  const tree = (list: SpanRow[]) => spanTree(list).map(({ row, depth }) => `${'>'.repeat(depth)}${row.span_id}`).join(' ');
  expect(tree([span('late', null, 9), span('b', 'a', 5), span('c', 'a', 4), span('a', null, 3), span('lone', 'gone', 1)])).toBe('late a >c >b lone');
  expect(tree([span('x', 'y', 1), span('y', 'x', 2), span('self', 'self', 3)])).toBe('self x >y');
});
