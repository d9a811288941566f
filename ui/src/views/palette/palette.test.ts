import { expect, test } from 'vitest';
import type { SearchAnswer } from '../../generated/api';
import { foremost, further, groupOf, hitGroup, looked, lookedWords, matching, quoted, searchedWords, shownWords, type Entry } from './palette';

const entry = (label: string, hint = ''): Entry => ({ id: label, label, hint, to: '#/' });

test('entries have each word, and those that begin with it come first', () => {
  const entries = [entry('Go to clusters'), entry('Clusters that failed'), entry('Theme: dark')];
  expect(matching(entries, 'clus').map(({ label }) => label)).toEqual(['Clusters that failed', 'Go to clusters']);
  expect(matching(entries, 'dark the').map(({ label }) => label)).toEqual(['Theme: dark']);
  expect(matching(entries, '')).toHaveLength(3);
});

test('while something is looked for a few of a kind are shown, and how many there are is said', () => {
  const entries = ['Pin this', 'Share this', 'Delete this', 'Compare this', 'Name this'].map((label) => entry(label));
  const few = groupOf('This page', entries, 'this');
  expect([few.entries.length, shownWords(few)]).toEqual([4, ', 4 of 5']);
  expect([groupOf('This page', entries, '').entries.length, shownWords(groupOf('This page', entries, ''))]).toEqual([5, '']);
  expect(shownWords(groupOf('This page', entries.slice(1), 'this'))).toBe('');
  expect(shownWords({ title: 'Code', entries, truncated: true })).toBe(', the newest');
});

test('Enter does what begins with all that is typed, wherever it stands', () => {
  const entries = [entry('Save these clusters…'), entry('Clusters'), entry('Clusters with exceptions')];
  expect(foremost(entries, 'clusters')!.label).toBe('Clusters');
  expect(foremost(entries, 'with')!.label).toBe('Save these clusters…');
  expect(foremost(entries, '')!.label).toBe('Save these clusters…');
});

const hit = { cluster_id: 7, cluster: 'etl', before: 'read_', matched: 'csv', after: '', at_micros: 1, clusters: null, item: null };

test('what many clusters have leads to their list, and what one has to its place there', () => {
  const to = (group: Parameters<typeof hitGroup>[0]) => hitGroup(group).entries[0]!.to;
  expect(to({ kind: 'function', hits: [{ ...hit, clusters: 3 }], truncated: false })).toBe('#/1/clusters?text=function%3Aread_csv');
  expect(to({ kind: 'function', hits: [{ ...hit, clusters: 1 }], truncated: false })).toBe('#/1/cluster/7?text=read_csv');
  expect(to({ kind: 'message', hits: [{ ...hit, item: 'e1' }], truncated: false })).toBe('#/1/cluster/7?tab=exceptions&item=e1');
  expect(hitGroup({ kind: 'code', hits: [{ ...hit, matched: 'c\u202es' }], truncated: true }).entries[0]!.label).toBe('read_c‹U+202E›s');
});

test('a value that is more than a word is quoted', () => {
  expect(quoted('read_csv')).toBe('read_csv');
  expect(quoted('a "b"')).toBe('"a \\"b\\""');
});

test('what is found further back comes below what was found, once', () => {
  const answer = (items: string[], done: number, total = 1300): SearchAnswer => ({
    groups: items.length === 0 ? [] : [{ kind: 'code', hits: items.map((item) => ({ ...hit, item })), truncated: true }],
    searched: ['message', 'code'],
    locked: false,
    sealed: [
      { kind: 'message', looked: 2, total: 2 },
      { kind: 'code', looked: done, total },
    ],
  });
  const items = ({ groups }: SearchAnswer) => groups.map((group) => [group.hits.map(({ item }) => item).join(' '), group.truncated]);
  const first = further(answer(['a', 'b'], 200), answer(['b', 'c'], 1200));
  expect(items(first)).toEqual([['a b c', true]]);
  expect(lookedWords(first.sealed)).toBe('Searched the newest 1,202 of 1,302 messages and code snippets');
  const all = further(first, answer([], 1300));
  expect(items(all)).toEqual([['a b c', false]]);
  expect(lookedWords(all.sealed)).toBe('Searched all 1,302 messages and code snippets');
  // Some of what was looked through is gone.
  expect(looked(answer([], 1300, 900).sealed)).toEqual({ looked: 902, total: 902 });
});

test('what was looked through is said in words', () => {
  expect(searchedWords(['tag', 'note', 'code'])).toBe('tags, notes and code');
});
