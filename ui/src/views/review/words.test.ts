import { expect, test } from 'vitest';
import type { Level, Stage, StageCategory, StageCluster, StageItem } from '../../generated/api';
import { blockerWords, clusterWords, fate, fileName, glances, leftOut, ownLevels, pieceWords, reason, saveLabel, sayValue, title, wholeRange } from './words';

const category = (more: Partial<StageCategory>): StageCategory => ({
  category: 'code', class: 'code', items: 3, kept: 0, masked: 0, dropped: 3, count: 0, new: 3, changed: 0, decision: null, rule: null, open_findings: 0, longest: [], rarest: [], ...more,
});
const stage = (clusters: number, bytes: number | null) => ({ clusters: Array.from({ length: clusters }), bytes, staged_micros: 1_795_000_000_000_000 }) as Stage;

test('a category is what most of its values become, and says why', () => {
  expect(fate(category({}))).toBe('drop');
  expect(fate(category({ kept: 2, masked: 1, dropped: 0 }))).toBe('keep');
  expect(fate(category({ masked: 1 }))).toBe('mask');
  expect(reason(category({}))).toContain('never meant to share');
  expect(reason(category({ decision: 'keep', kept: 3 }))).toBe('You decided to share it.');
  expect(reason(category({ decision: 'keep', rule: 'must drop code' }))).toBe('Set by the policy: must drop code.');
});

test('the longest and the rarest values of a category are seen while it is closed', () => {
  const item = (shown: string | null) => ({ real: 'a secret', shown }) as StageItem;
  const long = 'x'.repeat(70);
  const longest = [item(long), item('two\nlines'), item(null)];
  const rarest = [item('once')];
  expect(glances(category({ kept: 9, items: 9, longest, rarest }))).toEqual([
    { label: 'Longest', values: [`${long.slice(0, 60)}…`, 'two ⏎ lines'] },
    { label: 'Rarest', values: ['once'] },
  ]);
  expect(glances(category({ masked: 1, items: 1, longest: [item('ada')], rarest: [item('ada')] }))).toEqual([{ label: 'Values', values: ['ada'] }]);
  expect(glances(category({ items: 1, dropped: 1, longest: [item('ada')] }))).toEqual([]);
});

const cluster = (id: number, level: Level, started: number | null, end: number) => ({ id, name: null, level, started_micros: started, as_of_micros: end }) as StageCluster;

test('a cluster says of which times its data is, and how much is shared where that is less', () => {
  const at = (micros: number | null) => clusterWords(cluster(7, 'names', micros, 1_795_000_060_000_000), 'names');
  expect(at(1_795_000_000_000_000)).toMatch(/^cluster 7 \(.+ to .+\)$/);
  expect(at(null)).toMatch(/^cluster 7 \(to .+\)$/);
  expect(clusterWords(cluster(7, 'metrics', null, 1), 'errors')).toMatch(/^cluster 7, metrics only \(to /);
});

test('a stage knows from when to when its clusters were, and of which less is shared', () => {
  const clusters = [cluster(1, 'names', 30, 40), cluster(2, 'errors', 10, 20)];
  expect(wholeRange(clusters)).toEqual({ started_micros: 10, as_of_micros: 40 });
  expect(wholeRange([...clusters, cluster(3, 'names', null, 50)])).toEqual({ started_micros: null, as_of_micros: 50 });
  expect(ownLevels({ choice: { level: 'errors', identities: 'aliases' }, clusters })).toEqual([{ id: 1, level: 'names' }]);
});

test('the button and the title repeat how much it is', () => {
  expect(saveLabel(stage(3, 219_136))).toBe('Save 3 clusters, 214 KiB');
  expect(saveLabel(stage(1, null))).toBe('Save 1 cluster');
  expect(title(3, 'file')).toBe('Share 3 clusters as a file');
  expect(title(1, 'data-platform')).toBe('Share 1 cluster with data-platform');
  expect(fileName(stage(1200, 1))).toBe('1200-clusters-2026-11-18.bobbin');
  expect(blockerWords({ kind: 'open_findings', count: 2 })).toBe('2 possible secrets need a decision');
  expect(blockerWords({ kind: 'not_written', count: 1 })).toBe('The bytes could not be written. Check that the disk has space: Bobbin keeps trying');
});

test('what is left out is the level’s, the policy’s and the reader’s', () => {
  const withheld = [{ field: 'event.payload', class: 'payload', values: 4, new: false }] as Stage['withheld'];
  const said = (categories: StageCategory[]) => leftOut({ withheld, categories }).map(({ what, by, values }) => `${what}: ${values} by ${by}`);
  expect(said([])).toEqual(['event.payload: 4 by level']);
  expect(
    said([
      category({ category: 'messages', class: 'error_text', decision: 'drop', dropped: 1 }),
      category({ category: 'users', class: 'identity', kept: 2, dropped: 1 }),
      category({ category: 'hosts', class: 'identity', rule: 'must drop hosts', dropped: 2 }),
      // The level's own choice, which its fields tell already; and what is told whole.
      category({ category: 'payloads', class: 'payload', dropped: 4 }),
      category({ category: 'code', kept: 3, dropped: 0 }),
    ]),
  ).toEqual(['event.payload: 4 by level', 'exception messages: 1 by you', 'users: 1 by you', 'hosts: 2 by policy']);
});

test('in code a line’s end is a sign, and in a name it is pointed at', () => {
  expect(sayValue('code', 'a = 1\nb')).toBe('a = 1 ⏎ b');
  expect(sayValue('users', 'ada\nbob')).toBe('ada‹U+000A›bob');
});

test('a piece of a long text says where in it it is', () => {
  expect(pieceWords({ text: 'x'.repeat(400), offset: 0, letters: 400 })).toBe('All 400 characters');
  expect(pieceWords({ text: '🧵'.repeat(32_000), offset: 32_000, letters: 70_000 })).toBe('Characters 32,001 to 64,000 of 70,000');
  expect(pieceWords({ text: '', offset: 0, letters: 0 })).toBe('Nothing of it is shared');
});
