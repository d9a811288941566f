import { expect, test } from 'vitest';

import type { DoctorCheck, Checkup } from '../../generated/api';
import { placeOf, summary, worstFirst } from './doctor';

const check = (name: string, verdict: DoctorCheck['verdict']): DoctorCheck => ({ name, verdict, found: 'this', hint: verdict === 'ok' ? null : 'do that' });
const checkup = (...checks: DoctorCheck[]): Checkup => ({ version: '0.1.0', healthy: !checks.some((one) => one.verdict === 'wrong'), checks });

test('the worst comes first, and equals keep their order', () => {
  const given = [check('a', 'ok'), check('b', 'note'), check('c', 'wrong'), check('d', 'ok'), check('e', 'wrong')];
  expect(worstFirst(given).map((one) => one.name)).toEqual(['c', 'e', 'b', 'a', 'd']);
});

test('the summary counts problems and notes', () => {
  expect(summary(checkup(check('a', 'ok')))).toEqual({ title: 'Everything looks good', more: 'A cluster that starts now reports here.', tone: 'calm' });
  expect(summary(checkup(check('a', 'note'))).more).toContain('1 note to read.');
  const wrong = summary(checkup(check('a', 'wrong'), check('b', 'wrong'), check('c', 'note'), check('d', 'note')));
  expect(wrong).toEqual({ title: '2 problems found', more: 'Start with the first one below. 2 notes to read.', tone: 'bad' });
});

test('what can be put right in the page has a way there, and what is fine has none', () => {
  expect(placeOf(check('snapshots', 'note'))).toEqual({ label: 'Snapshots', href: '#/1/settings/storage?item=snapshots' });
  expect(placeOf(check('connection', 'note'))?.href).toBe('#/1/connect');
  expect(placeOf(check('snapshots', 'ok'))).toBeNull();
  expect(placeOf(check('clocks', 'note'))).toBeNull();
});
