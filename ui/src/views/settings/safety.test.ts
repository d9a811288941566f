import { expect, test } from 'vitest';

import type { SafetyStatus } from '../../generated/api';
import { safetyWords } from './safety';

const none: SafetyStatus = { folder: '/home/ada/bobbin/snapshots', snapshots: [], drill: null, damage: null, damaged: [], shared_by: null, log_bytes: 0 };
const taken = { number: 4, file: '0004.sqlite', taken_micros: 1_700_000_000_000_000, bytes: 2 * 1024 ** 2, salvaged: false };

test('the last snapshot is told, or that there is none', () => {
  expect(safetyWords(none)).toMatchObject({ title: 'No snapshot yet', tone: 'calm' });
  const words = safetyWords({ ...none, snapshots: [{ ...taken, number: 3, bytes: 1 }, taken] });
  expect(words.title).toContain('Last snapshot 14 Nov 2023');
  expect(words.more).toContain('2 snapshots, the latest of 2');
});

test('damage of the store in use comes before what was moved aside', () => {
  const words = safetyWords({ ...none, damage: 'row 3 missing from index', damaged: ['/d/damaged-1'] });
  expect(words).toMatchObject({ title: 'The store is damaged', tone: 'warn' });
  expect(words.more).toContain('row 3 missing from index');
});

test('a damaged store comes first', () => {
  const words = safetyWords({ ...none, snapshots: [taken], damaged: ['/d/damaged-1', '/d/damaged-2'] });
  expect(words.tone).toBe('warn');
  expect(words.more).toContain('/d/damaged-2');
});

test('a snapshot that could not be restored for practice is said', () => {
  const told = (wrong: string | null) => safetyWords({ ...none, snapshots: [taken], drill: { tried_micros: 1_700_000_000_000_000, number: 3, wrong } });
  expect(told(null).more).toContain('Snapshot 3 passed a trial restore on 14 Nov 2023');
  expect(told('page 7 is malformed')).toMatchObject({ title: 'Snapshot 3 failed its trial restore', tone: 'warn' });
  expect(told('page 7 is malformed').more).toContain('page 7 is malformed');
});
