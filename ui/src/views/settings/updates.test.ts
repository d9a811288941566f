import { expect, test } from 'vitest';
import type { ReleaseCheck } from '../../generated/api';
import { ageWords, chosen, nextWords, packageWords } from './updates';

const build = { version: '0.1.0', store_schema: 28, oldest_store_schema: 1, batch_format: 1, release_key: null, release_key_fingerprint: null };
const deb = { name: 'bobbin_0.2.0_amd64.deb', bytes: 5, sha256: 'a', checked: false };
const archive = { name: 'bobbin-0.2.0-x86_64-linux.tar.gz', bytes: 5, sha256: 'b', checked: true };
const checked: ReleaseCheck = {
  version: '0.2.0',
  released: '2026-11-25',
  age: 'newer',
  key_fingerprint: 'abcd',
  changes: '- One.',
  store_schema: 28,
  batch_format: 1,
  data_format: 'The data format does not change (schema 28).',
  packages: [deb, archive],
  install: ['tar -xzf bobbin-0.2.0-x86_64-linux.tar.gz'],
  build,
};

const names = (...names: string[]) => names.map((name) => ({ name }));

test('the release file is found among what was chosen', () => {
  const { release, packages } = chosen(names('bobbin_0.2.0_amd64.deb', 'bobbin-0.2.0.release'));
  expect(release.name).toBe('bobbin-0.2.0.release');
  expect(packages).toEqual(names('bobbin_0.2.0_amd64.deb'));
  // Core says what is wrong with it.
  expect(chosen(names('notes.txt')).release.name).toBe('notes.txt');
});

test('no release file and two of them are refused by their names', () => {
  expect(() => chosen(names('a.deb', 'b.deb'))).toThrow('none of these is a release file: a.deb, b.deb');
  expect(() => chosen(names('a.release', 'b.release'))).toThrow('these are 2 release files');
});

test('an answer in words', () => {
  expect(ageWords(checked)).toBe('Bobbin 0.2.0 is newer than this build');
  expect(ageWords({ ...checked, age: 'same' })).toBe('Bobbin 0.2.0 is the version of this build');
  expect(packageWords(checked, archive)).toBe('matches the release');
  expect(packageWords(checked, deb)).toBe('not chosen');
  expect(nextWords(checked)).toContain('Nothing was installed');
  const unseen = { ...checked, packages: [deb], install: [] };
  expect(packageWords(unseen, deb)).toBe('not checked');
  expect(nextWords(unseen)).toContain('bobbin update FILE');
  expect(nextWords({ ...checked, age: 'same', install: [] })).toBe('You already have this version.');
  expect(nextWords({ ...checked, age: 'older', install: [] })).toContain('no command');
});
