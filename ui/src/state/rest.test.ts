// A window that nobody is at is told nothing in between two looks, unless somebody waits for what a cluster does.

import { expect, test, vi } from 'vitest';
import type { Change } from '../generated/api';

const page = vi.hoisted(() => {
  const page = { hears: null as ((change: Change) => void) | null, touch: () => {}, news: () => {} };
  vi.useFakeTimers();
  vi.stubGlobal('document', { hidden: false, addEventListener: () => {} });
  vi.stubGlobal('addEventListener', (kind: string, f: () => void) => {
    if (kind === 'keydown') page.touch = f;
  });
  return page;
});

vi.mock('../api', () => ({
  inWindow: true,
  client: {
    call: () => new Promise(() => {}),
    onChange: (changed: (change: Change) => void) => {
      page.hears = changed;
      return () => (page.hears = null);
    },
    onNews: (news: () => void) => (page.news = news),
  },
}));

const { live } = await import('./live.svelte');
const minutes = (count: number) => vi.advanceTimersByTime(count * 60_000);

test('a window rests once it was left alone, looks when it is time to, and catches up when somebody is back', () => {
  const told: Change[] = [];
  const stop = live.hear((change) => told.push(change));
  live.start();
  minutes(1);
  expect(page.hears).not.toBeNull();
  page.hears!({ revision: 1, cluster_ids: [7] });
  expect(told.at(-1)).toEqual({ revision: 1, cluster_ids: [7] });
  minutes(2);
  expect(page.hears).toBeNull();
  const before = told.length;
  minutes(1);
  expect(told.length - before).toBe(1);
  page.touch();
  expect(page.hears).not.toBeNull();
  expect(told.length - before).toBe(2);
  stop();
});

test('who waits for a cluster is told at once, however long nobody was at the page', () => {
  minutes(3);
  expect(page.hears).toBeNull();
  const stop = live.hear(() => {}, true);
  expect(page.hears).not.toBeNull();
  minutes(5);
  expect(page.hears).not.toBeNull();
  stop();
  minutes(1);
  expect(page.hears).toBeNull();
});

test('news are looked at however long nobody was at the page, which then rests again', () => {
  minutes(3);
  expect(page.hears).toBeNull();
  const told: Change[] = [];
  const stop = live.hear((change) => told.push(change));
  page.news();
  expect(page.hears).not.toBeNull();
  expect(told).toHaveLength(1);
  minutes(1);
  expect(page.hears).not.toBeNull();
  minutes(1);
  expect(page.hears).toBeNull();
  stop();
});

test('a window that is about to rest does so later for news', () => {
  minutes(3);
  page.news();
  minutes(1.5);
  page.news();
  minutes(1);
  expect(page.hears).not.toBeNull();
  minutes(1);
  expect(page.hears).toBeNull();
});

test('no animation is without an end: it would be drawn for as long as the window is open', () => {
  const sources = import.meta.glob<string>(['../**/*.svelte', '../**/*.css'], { query: '?raw', import: 'default', eager: true });
  expect(Object.keys(sources)).toContain('../views/connect/Waiting.svelte');
  for (const [file, source] of Object.entries(sources)) expect(/animation[^;]*\binfinite\b/.test(source), file).toBe(false);
});
