import { expect, test } from 'vitest';
import { allowing, mostOf, numberChart, payloadPairs, unitOf } from './events';

test('the unit of a number is read from its name', () => {
  expect(['rss_bytes', 'cpu_percent', 'loss'].map(unitOf)).toEqual(['bytes', 'percent', 'real']);
});

test('each field is a chart of its own moments', () => {
  const chart = numberChart({ topic: 'train', field: 'metrics.loss', at_micros: [1, 2], values: [4, 2] });
  expect([chart.title, chart.note, chart.at, chart.series[0]!.values]).toEqual(['metrics.loss', 'train, 2 values', [1, 2], [4, 2]]);
});

test('without a pointer a chart of numbers tells the last, and between which all are', () => {
  const figure = (values: number[]) => numberChart({ topic: 't', field: 'loss', at_micros: values, values }).series[0]!.figure;
  expect([figure([3.54, 0.57, 0.65]), figure([2, 2])]).toEqual(['0.65, 0.57 to 3.54', '2']);
  expect(figure([0.001, 0.0003])).toBe('0.0003, 0.0003 to 0.001');
});

test('a payload is told by its fields, numbers in three digits', () => {
  expect(payloadPairs('{"stage":"main","loss":0.6512345678901234,"rate":0.0003,"at":{"x":1},"tags":["a"]}')).toEqual([
    { key: 'stage', value: 'main' },
    { key: 'loss', value: '0.65' },
    { key: 'rate', value: '0.0003' },
    { key: 'at.x', value: '1' },
    { key: 'tags', value: '["a"]' },
  ]);
  expect([payloadPairs('[1]'), payloadPairs('null'), payloadPairs('half {')]).toEqual([null, null, null]);
});

test('fields that are not shown are counted as far as they are told apart', () => {
  expect(mostOf(12, 12)).toBe('');
  expect(mostOf(12, 20)).toBe('the 12 fields with the most values, of 20; ');
  expect(mostOf(12, 1000)).toContain('of 1,000 or more; ');
});

test('a topic that is only counted has the setting that stores it', () => {
  expect(allowing(['train'], 'my-progress')).toBe('bobbin.events.allow: ["train","my-progress"]');
});
