import { expect, test } from 'vitest';
import type { OperationCost } from '../../generated/api';
import { row } from './cost';

test('operations have names, and idleness and stalls are among them', () => {
  const of = (operation: OperationCost['operation']) => row({ operation, tasks: 0, thread_micros: 25, money: null, groups: [], groups_total: 2 }, 100);
  expect(of({ is: 'prefix', prefix: 'inc' })).toMatchObject({ label: 'inc', share: 0.25, idle: false, prefix: 'inc' });
  expect(of({ is: 'idle' })).toMatchObject({ label: 'Idle', idle: true, prefix: null });
  expect(of({ is: 'stalled' })).toMatchObject({ label: 'Stalled', idle: true, colour: 'var(--stalled)' });
  expect(of({ is: 'others', prefixes: 3 }).label).toBe('3 other prefixes');
  expect(row({ operation: { is: 'unrecorded' }, tasks: 0, thread_micros: 5, money: null, groups: [], groups_total: 0 }, 0).share).toBe(0);
});
