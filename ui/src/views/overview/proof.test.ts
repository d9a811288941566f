import { expect, test } from 'vitest';
import { read } from '../../state/route';
import { behind } from './proof';

test('a figure leads to its clusters, those that make up most of it first', () => {
  expect(read(behind('tasks_completed', '2026-11-01', '2026-11-28'))).toMatchObject({ view: 'clusters', order: 'tasks_completed', direction: 'descending', from: '2026-11-01', to: '2026-11-28' });
  expect(read(behind('efficiency', '2026-11-01', '2026-11-28'))).toMatchObject({ order: 'efficiency', direction: 'ascending' });
  expect(read(behind('tasks_erred', '2026-11-01', '2026-11-28'))).toMatchObject({ text: 'erred>0' });
  expect(read(behind('clusters', '2026-11-01', '2026-11-28'))).toMatchObject({ order: 'started', text: '' });
});
