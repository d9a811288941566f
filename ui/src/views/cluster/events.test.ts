import { expect, test } from 'vitest';
import { numberChart, unitOf } from './events';

test('the unit of a number is read from its name', () => {
  expect(['rss_bytes', 'cpu_percent', 'loss'].map(unitOf)).toEqual(['bytes', 'percent', 'mean']);
});

test('each field is a chart of its own moments', () => {
  const chart = numberChart({ topic: 'train', field: 'metrics.loss', at_micros: [1, 2], values: [4, 2] });
  expect([chart.title, chart.note, chart.at, chart.series[0]!.values, chart.absent]).toEqual(['metrics.loss', 'train, 2 values', [1, 2], [4, 2], null]);
  expect(numberChart({ topic: 't', field: 'x', at_micros: [1], values: [-1] }).absent).toContain('below zero');
});
