import { expect, test } from 'vitest';
import type { MetricKind, MetricRow, SpanRow } from '../../generated/api';
import { partWords } from '../../parts/series';
import { legendOf, lines, spanTree, sums } from './activity';

const metric = (context: string, prefix: string | null, activity: string, kind: MetricKind, unit: string, value: number, span_id: string | null = null): MetricRow => ({ context, prefix, activity, kind, unit, value, span_id });

const rows = [
  metric('execute', 'inc', 'thread-cpu', 'cpu', 'seconds', 10, 's1'),
  metric('execute', 'inc', 'thread-noncpu', 'waiting', 'seconds', 2, 's1'),
  metric('execute', 'sum', 'thread-cpu', 'cpu', 'seconds', 30, 's2'),
  metric('execute', 'sum', 'disk-read', 'disk_read', 'bytes', 4096, 's2'),
  metric('execute', 'sum', 'disk-read', 'disk_read', 'count', 3, 's2'),
  metric('gather-dep', null, 'network', 'network', 'seconds', 5),
  metric('gather-dep', null, 'network', 'network', 'widgets', 7),
  metric('worker', null, 'tick-duration', 'event_loop', 'seconds', 1),
];

test('time is summed by prefix, span or context, most first, without that of event loops', () => {
  const say = (by: 'prefix' | 'span' | 'context') => sums(rows, by).map(({ of, seconds, bytes }) => [of, seconds, bytes]);
  expect(say('prefix')).toEqual([['sum', 30, 4096], ['inc', 12, 0], [null, 5, 0]]);
  expect(say('span')).toEqual([['s2', 30, 4096], ['s1', 12, 0], [null, 5, 0]]);
  expect(say('context')).toEqual([['execute', 42, 4096], ['gather-dep', 5, 0]]);
  expect(legendOf(sums(rows, 'prefix')).map(({ key }) => key)).toEqual(['cpu', 'waiting', 'network']);
  expect(partWords(sums(rows, 'prefix')[1]!.parts)).toBe('On CPU 10.0 core-s (83 %), Waiting in functions 2.00 core-s (17 %)');
});

test('a line has all units, and what is not counted is not zero', () => {
  expect(lines(rows, 'prefix', undefined).map(({ activity, seconds, bytes, count, more }) => [activity, seconds, bytes, count, more])).toEqual([
    ['thread-cpu', 40, null, null, []],
    ['network', 5, null, null, [['widgets', 7]]],
    ['thread-noncpu', 2, null, null, []],
    ['tick-duration', 1, null, null, []],
    ['disk-read', null, 4096, 3, []],
  ]);
  expect(lines(rows, 'prefix', null).map(({ activity }) => activity)).toEqual(['network', 'tick-duration']);
});

test('spans are a tree, also where parents are missing or go round', () => {
  const span = (span_id: string, parent_id: string | null, start_micros: number) => ({ span_id, parent_id, start_micros }) as SpanRow;
  const tree = (list: SpanRow[]) => spanTree(list).map(({ row, depth }) => `${'>'.repeat(depth)}${row.span_id}`).join(' ');
  expect(tree([span('late', null, 9), span('b', 'a', 5), span('c', 'a', 4), span('a', null, 3), span('lone', 'gone', 1)])).toBe('late a >c >b lone');
  expect(tree([span('x', 'y', 1), span('y', 'x', 2), span('self', 'self', 3)])).toBe('self x >y');
});
