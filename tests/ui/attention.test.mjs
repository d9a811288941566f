// A page that nobody sees asks nothing, and catches up once it is seen.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { past } from './support/story.mjs';
import { sharedVisit } from './support/visit.mjs';

let bobbin, visitor, page;
sharedVisit({
  tell: async (started) => {
    bobbin = started;
    await report('first');
  },
  met: (there) => ({ visitor, page } = there),
});

const report = (name) => bobbin.post(past(name, { name, user: 'ana' }, { at: Date.now() * 1000 - 600_000_000, seconds: 60, busy: 0.5, tasks: 10 }));

/** As where the window is minimised, or another tab is in front. */
const hide = (hidden) =>
  page.evaluate((value) => {
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => value });
    document.dispatchEvent(new Event('visibilitychange'));
  }, hidden);

test('a page that is not seen asks nothing, and catches up once it is', async () => {
  await visitor.go('clusters', 'tbody tr');
  // What came a moment ago is asked for in a moment: no longer, where nobody sees it by then.
  await report('zeroth');
  await page.getByRole('link', { name: 'zeroth' }).waitFor();
  await report('zeroth');
  await hide(true);
  // An answer that was on its way still comes, and may ask for the verdicts of its rows.
  await sleep(1_000);
  await visitor.settled();
  const asked = [];
  page.on('request', (request) => request.url().includes('/api/') && asked.push(request.url(), request.postData()));
  await report('second');
  await sleep(6_500);
  assert.deepEqual(asked, []);
  assert.equal(await page.getByRole('link', { name: 'second' }).count(), 0);
  // Nor is it told anything meanwhile.
  const follows = page.waitForRequest((request) => request.url().endsWith('/api/live'));
  await hide(false);
  await follows;
  await page.getByRole('link', { name: 'second' }).waitFor();
  // Paused, it stays as it is even so.
  await page.keyboard.press('p');
  await hide(true);
  await report('third');
  await hide(false);
  await page.getByText('1 new').waitFor();
  assert.equal(await page.getByRole('link', { name: 'third' }).count(), 0);
  visitor.quiet();
});
