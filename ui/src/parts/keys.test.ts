import { expect, test } from 'vitest';
import menu from '../../../src-tauri/src/menu.rs?raw';
import { allKeys, going, keyParts, keysFor, windowKeys } from './keys';

test('the keys of the part that has the focus stand first, and none is left out', () => {
  expect(keysFor('charts')[0]!.title).toBe('Charts');
  expect(keysFor('charts')).toHaveLength(allKeys.length);
  expect(keysFor(null)).toEqual(allKeys);
  expect(keysFor('nothing')).toEqual(allKeys);
});

test('each part that names its keys has them listed, and each list has its part', () => {
  const sources = import.meta.glob<string>('../**/*.svelte', { query: '?raw', import: 'default', eager: true });
  const parts = Object.values(sources).flatMap((text) => [...text.matchAll(/data-keys="(.+?)"/g)].map((found) => found[1]));
  // Tabs and tables are known by what they are.
  const listed = allKeys.map(({ panel }) => panel).filter((panel) => panel !== null && panel !== 'tabs' && panel !== 'tables');
  expect([...new Set(parts)].toSorted()).toEqual(listed.toSorted());
});

test('every key of the window’s menus is listed', () => {
  const arrows: Record<string, string> = { Left: '←', Right: '→' };
  const keys = [...menu.matchAll(/"(CmdOrCtrl|Alt)\+([^"{]+)"/g)].map(([, held, key]) => `${held === 'Alt' ? 'Alt' : 'Ctrl'} ${arrows[key!] ?? key}`);
  const listed = [...allKeys[0]!.keys, ...windowKeys.keys].map(([key]) => key);
  expect(keys.length).toBeGreaterThan(5);
  expect(keys.filter((key) => !listed.includes(key))).toEqual([]);
});

test('g waits a second for a place, from the last time that it was pressed', () => {
  going.begin({ timeStamp: 0 });
  going.begin({ timeStamp: 900 });
  expect(going.at({ timeStamp: 1800 })).toBe(true);
  expect(going.at({ timeStamp: 1900 })).toBe(false);
  going.begin({ timeStamp: 2000 });
  going.end();
  expect(going.at({ timeStamp: 2001 })).toBe(false);
});

test('keys are told apart that are held together, come one after the other, or do something each', () => {
  const said = (name: string) => keyParts(name).map(({ key, text }) => (key ? `[${text}]` : text)).join('');
  expect(['Ctrl F', 'g then o', 'u d', 'Shift ← →', 'Alt ←'].map(said)).toEqual(['[Ctrl]+[F]', '[g]then[o]', '[u][d]', '[Shift]+[←][→]', '[Alt]+[←]']);
});
