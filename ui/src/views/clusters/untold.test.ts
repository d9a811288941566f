import { expect, test } from 'vitest';
import { untold } from './untold';

test('a figure that was not collected is no zero, and says why', () => {
  const stacks = { unavailable: ['workers', 'groups', 'times'], source: 'speedscope', started_micros: 0 } as const;
  const row = { ...stacks, unavailable: [...stacks.unavailable] };
  expect(untold(row, 'workers')).toBe('not collected: it was read from a speedscope profile');
  expect(untold(row, 'tasks')).toContain('not collected');
  expect(untold(row, 'stalled')).toContain('not collected');
  expect(untold(row, 'started')).toContain('shown at the time of import');
  expect(untold(row, 'exceptions')).toBeNull();
  expect(untold(row, 'user')).toBeNull();
  expect(untold({ ...row, source: null }, 'threads')).toBe('not collected: its version of Dask does not report it');
});
