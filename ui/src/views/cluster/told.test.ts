import { expect, test } from 'vitest';
import type { ClusterFacts } from '../../generated/api';
import { categories, notAvailable, offSince, offWords, sourceWords, teller, tellsFrom, unavailable, unavailableWords, untimed } from './told';

const facts = (more: Partial<ClusterFacts>): ClusterFacts => ({ off_since: {}, unavailable: [], versions: { distributed: '2022.6.1' }, ...more }) as ClusterFacts;

test('off at source is since a moment, and every category has its setting', () => {
  expect(offSince(facts({ off_since: { code: 5 } }), 'code')).toBe(5);
  expect(offSince(facts({}), 'code')).toBe(null);
  for (const category of categories) {
    const { setting, variable } = offWords[category];
    const name = setting.split(':')[0]!;
    expect(variable.startsWith(`DASK_${name.toUpperCase().replaceAll('.', '__')}=`), category).toBe(true);
  }
});

test('what a version of Dask does not tell is told apart from zero', () => {
  const old = facts({ unavailable: ['queued', 'constructor', '\u202e'] });
  expect(unavailable(old, 'queued')).toBe('not available in Dask 2022.6.1');
  expect(unavailable(old, 'spans')).toBe(null);
  expect(unavailableWords(old)).toEqual(['Queued tasks', 'constructor', '‹U+202E›']);
  expect(tellsFrom('spans')).toBe('Dask reports it from 2023.6 on.');
  expect(notAvailable(facts({ versions: {} }))).toBe('not available in this version of Dask');
});

test('a group without times of its tasks says why', () => {
  expect(untimed(0, facts({}))).toBe('none of its tasks has finished');
  expect(untimed(2, facts({}))).toBe('none of its tasks was timed');
  expect(untimed(2, facts({ unavailable: ['durations'] }))).toBe('not available in Dask 2022.6.1');
});

test('a file of another program tells what it holds, whatever Dask it was', () => {
  const read = facts({ unavailable: ['exceptions'], from_bundle: { imported_micros: 2, as_of_micros: 1, level: 'everything', identities: 'real', left_out: {}, masked: [], source: 'cluster_dump' } });
  expect(unavailable(read, 'exceptions')).toBe('not in this file');
  expect(unavailableWords(read)).toEqual(['Exceptions']);
  expect([teller(read), teller(facts({}))]).toEqual(['this file', 'Dask 2022.6.1']);
  expect([sourceWords('folded_stacks'), sourceWords(null)]).toEqual(['folded stacks', null]);
});
