// Made-up clusters are as real ones: what their groups took is what their samples told, and no thread worked twice at once.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { busy, crowd, idle, lost, old, past, secretive, stalled } from './support/story.mjs';

const now = Date.parse('2026-11-20T12:00:00Z') * 1000;
const about = { at: now - 3_600_000_000, seconds: 600, busy: 0.85, tasks: 100, workers: 1 };
const stories = { past: [past('p', {}, about)], ...Object.fromEntries([busy, crowd, idle, lost, old, secretive, stalled].map((story) => [story.name, story(now).batches])) };

for (const [name, batches] of Object.entries(stories))
  test(`${name} adds up`, () => {
    const records = batches.flatMap((batch) => batch.trim().split('\n').map((line) => JSON.parse(line)));
    const { totals } = records.findLast(({ kind }) => kind === 'sample');
    const groups = records.filter(({ kind }) => kind === 'task_group');
    let worked = 0;
    for (const activity of ['compute', 'transfer', 'disk_read', 'disk_write', 'deserialize']) {
      const told = totals[activity] ?? 0;
      const sum = groups.reduce((all, { seconds }) => all + (seconds[activity] ?? 0), 0);
      assert.ok(Math.abs(sum - told) < 1e-6 * (1 + told), `${activity}: groups ${sum}, sample ${told}`);
      worked += told;
    }
    assert.ok(worked <= totals.thread_seconds, `${worked} of ${totals.thread_seconds}`);
  });
