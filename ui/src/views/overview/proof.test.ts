import { expect, test } from 'vitest';
import { read } from '../../state/route';
import { behind, ofPeriod, proofOf } from './proof';

test('a figure leads to its clusters, those that make up most of it first', () => {
  expect(read(behind('tasks_completed', '2026-11-01', '2026-11-28'))).toMatchObject({ view: 'clusters', order: 'tasks_completed', direction: 'descending', from: '2026-11-01', to: '2026-11-28' });
  expect(read(behind('efficiency', '2026-11-01', '2026-11-28'))).toMatchObject({ order: 'efficiency', direction: 'ascending' });
  expect(read(behind('tasks_erred', '2026-11-01', '2026-11-28'))).toMatchObject({ text: 'erred>0' });
  expect(read(behind('clusters', '2026-11-01', '2026-11-28'))).toMatchObject({ order: 'started', text: '' });
});

test('what a period cost leads to its costs, and tasks that failed to their clusters', () => {
  expect(read(proofOf({ is: 'costs' }, '2026-11-01', 91) ?? '')).toMatchObject({ view: 'costs', days: 91, by: 'user' });
  expect(read(proofOf({ is: 'failed' }, '2026-11-01', 28) ?? '')).toMatchObject({ view: 'clusters', text: 'erred>0', from: '2026-11-01' });
  expect(read(proofOf({ is: 'exception', text: 'KeyError' }, '2026-11-01', 28) ?? '')).toMatchObject({ view: 'exceptions', text: 'KeyError', from: '2026-11-01' });
  expect(read(proofOf({ is: 'list', id: 7, tab: 'cost' }, '2026-11-01', 28) ?? '')).toMatchObject({ view: 'cluster', id: 7, tab: 'cost' });
  expect(proofOf({ is: 'nothing' }, '2026-11-01', 28)).toBeNull();
});

test('what ran in the period is about what is chosen of it, and one cluster and the prices are not', () => {
  expect((['lost', 'finished', 'failed', 'costs'] as const).map((is) => ofPeriod({ is }))).toEqual([true, true, true, true]);
  expect(ofPeriod({ is: 'exception', text: 'KeyError' })).toBe(true);
  expect([ofPeriod({ is: 'nothing' }), ofPeriod({ is: 'prices' }), ofPeriod({ is: 'cluster', id: 7 })]).toEqual([false, false, false]);
});
