import { expect, test } from 'vitest';
import type { InboxFile } from '../../generated/api';
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
  const whole = { folder: '/in', name: 'a.bobbin', bytes: 10, at_micros: 1, fate: 'read', goes_on: false, records: 12, clusters: [{ id: 7, name: 'etl' }], clusters_total: 1, taken: null, left_out: 0, why: null, aside: null } as const;
  const words = (file: Partial<InboxFile>) => {
    const all: InboxFile = { ...whole, clusters: [...whole.clusters], ...file };
    const { said, after } = fileWords(all);
    const names = all.clusters.map((one) => one.name).join(', ');
    return `${said}${names === '' ? '' : ` ${names}`}${after}`;
  };
  const none = { clusters: [], clusters_total: 0 };
  expect(words({})).toBe('fully read: 12 records from etl');
  expect(words({ goes_on: true, records: 1 })).toBe('read so far: 1 record from etl; reading continues when it grows');
  expect(words({ records: null, ...none })).toBe('fully read');
  expect(words({ records: null })).toBe('fully read, from etl');
  expect(words({ fate: 'unread', ...none })).toBe('not read yet');
  expect(words({ fate: 'imported', records: null, taken: 9, clusters_total: 9 })).toBe('imported as etl and 8 more');
  expect(words({ fate: 'imported', records: null, taken: 1, ...none })).toBe('imported; its clusters are no longer here');
  expect(words({ fate: 'imported', records: null, taken: 1, left_out: 2, why: 'it was deleted here, and stays so' })).toBe('imported as etl; 2 others skipped: it was deleted here, and stays so');
  expect(words({ fate: 'imported', records: null, taken: 0, left_out: 1, why: 'it is here already, as number 7' })).toBe('nothing new: it is here already, as number 7: etl');
  expect(words({ fate: 'refused', records: 0, ...none, why: 'it is a link', aside: 'a.bobbin.refused' })).toBe('set aside because it is a link');
  expect(words({ fate: 'refused', records: null, ...none, why: 'it is a link' })).toBe('not read because it is a link');
  expect(words({ fate: 'refused', why: 'no batch (at byte 9)', aside: 'a.bobbin.refused' })).toBe('12 records from etl read, then set aside because no batch (at byte 9)');
});

test('a policy in sentences', () => {
  const policy = { path: '/p', team: 'blue', rules: [{ kind: 'must_drop', what: 'code' }], level: 'names' as const, real_identities: false, propose: null };
  expect(policyWords(policy)).toEqual(['Team: blue.', 'Highest level: names.', 'People and machines appear as aliases.', 'Never shared: code.']);
  expect(switchWords('user')).toBe('User name');
});
