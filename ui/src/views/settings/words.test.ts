import { expect, test } from 'vitest';
import { read, write } from '../../state/route';
import { matching } from '../palette/palette';
import { fileWords } from './inbox';
import { policyWords, switchWords } from './privacy';
import { sectionOf, sections, settingEntries } from './sections';

test('every section and setting has an address that leads there', () => {
  const ids = settingEntries().map((entry) => entry.id);
  expect(new Set(ids).size).toBe(ids.length);
  for (const section of sections)
    for (const item of section.items) expect(read(write({ view: 'settings', section: section.id, item: item.id }))).toEqual({ view: 'settings', section: section.id, item: item.id });
  expect(read('#/1/settings')).toEqual({ view: 'settings', section: 'receiver', item: null });
  expect(read('#/1/settings/nowhere')).toEqual({ view: 'settings', section: 'receiver', item: null });
  expect(sectionOf('inbox').title).toBe('Inbox');
});

test('a setting is found by other words than its own', () => {
  const found = (typed: string) => matching(settingEntries(), typed).map((entry) => entry.id);
  expect(found('dark')).toEqual(['settings-appearance-theme']);
  expect(found('tls')).toContain('settings-receiver-certificate');
  expect(found('backup')).toEqual(['settings-storage-snapshots']);
  expect(found('autostart')).toEqual(['settings-desktop-login']);
});

test('what became of a file', () => {
  expect(fileWords({ bytes: 10, read_bytes: 10, refused: null })).toBe('read to its end');
  expect(fileWords({ bytes: 4096, read_bytes: 1024, refused: null })).toBe('read up to 1.00 KiB');
  expect(fileWords({ bytes: 10, read_bytes: 0, refused: null })).toBe('not read yet');
  expect(fileWords({ bytes: 10, read_bytes: 0, refused: 'at byte 0: no batch' })).toBe('refused: at byte 0: no batch');
});

test('a policy in sentences', () => {
  const policy = { path: '/p', team: 'blue', rules: [{ kind: 'must_drop', what: 'code' }], level: 'names' as const, real_identities: false, propose: null };
  expect(policyWords(policy)).toEqual(['Of the team blue.', 'At most names are told.', 'People and machines have aliases.', 'Never told: code.']);
  expect(switchWords('user')).toBe('The user’s name');
});
