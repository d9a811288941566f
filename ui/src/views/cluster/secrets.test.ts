import { expect, test } from 'vitest';
import type { ClusterSecrets } from '../../generated/api';
import { secretsLines, secretsTitle } from './secrets';

const none: ClusterSecrets = { cluster_id: 1, kinds: [], unlooked: 0 };
const token = { within: 'code', what: 'GitHub token', values: 1, places: 3 } as const;
const password = { within: 'exception', what: 'value behind a word such as password', values: 2, places: 2 } as const;

test('where something looks like a secret is said, and what it looks like', () => {
  expect(secretsTitle({ ...none, kinds: [token] })).toBe('Code holds what looks like a secret');
  expect(secretsTitle({ ...none, kinds: [password] })).toBe('Exceptions hold what looks like a secret');
  const both = { ...none, kinds: [token, password] };
  expect(secretsTitle(both)).toBe('Code and exceptions hold what looks like a secret');
  expect(secretsLines(both)).toEqual(['Code: GitHub token', 'Exceptions: value behind a word such as password (2)']);
});

test('a text that was not looked at to its end is a line, and no secret', () => {
  const unlooked = { ...none, unlooked: 2 };
  expect(secretsTitle(none)).toBeNull();
  expect(secretsTitle(unlooked)).toBe('Not all of its text was scanned for secrets');
  expect(secretsLines({ ...unlooked, kinds: [token] })).toEqual(['Code: GitHub token', '2 places with too much text to scan all of it']);
});
