// The demo in the page: badged, out of every sum of one's own, by itself, replayed through the receiver, removed by one click.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { accessible } from './support/axe.mjs';
import { until as untilIn } from './support/browser.mjs';
import { busy, past, Story } from './support/story.mjs';
import { sharedVisit } from './support/visit.mjs';

const until = (f) => untilIn(f, 60_000);
const themes = ['light', 'dark'];
const samples = '73616d706c657300000073616d706c65';

let bobbin, visitor, page;
sharedVisit({ args: ['--demo'], options: { acceptDownloads: true }, met: (there) => ({ bobbin, visitor, page } = there) });

const bar = () => page.locator('[data-demo]');
const replay = () => page.locator('[data-replay]');

test('the demo alone is summed up, and says on every view with sums what it is', async () => {
  await visitor.go('overview', '[data-demo]');
  await bar().getByText('recorded runs of real Dask clusters').waitFor();
  for (const view of ['overview', 'clusters', 'costs', 'exceptions']) {
    await visitor.go(view, '[data-demo]');
    await accessible(page);
  }
  await visitor.go('overview', '[data-demo]');
  await visitor.settled();
  assert.equal((await visitor.ask('keys')).recovery, 'open');
  assert.equal(await page.getByRole('heading', { name: 'Keep a recovery key' }).count(), 0);
  for (const theme of themes) {
    await visitor.go('overview', '[data-demo]');
    await visitor.shot(`demo-overview-${theme}`, theme);
    await visitor.go('clusters', 'table tbody tr');
    await visitor.shot(`demo-clusters-${theme}`, theme);
  }
  visitor.quiet();
});

test('each story says at a glance what became of it', async () => {
  const demo = await visitor.ask('demo');
  for (const story of demo.stories) {
    const said = await visitor.ask('verdict', { id: story.cluster });
    assert.equal(said.kind, story.name);
    await visitor.go(`cluster/${story.cluster}`, 'h1');
    await page.locator('header').getByText('sample', { exact: true }).first().waitFor();
    assert.equal(await page.getByRole('link', { name: 'Share…' }).count(), 0);
    for (const theme of themes) await visitor.shot(`demo-${story.name}-${theme}`, theme);
  }
  visitor.quiet();
});

test('a replay goes through the receiver: the page moves, it is held, and goes elsewhere as another cluster', async () => {
  await visitor.go('overview', '[data-demo]');
  await bar().getByRole('button', { name: 'Replay the failing story at 10×' }).click();
  await page.waitForURL(/#\/1\/cluster\/\d+/);
  await replay().getByText('replayed through the receiver').waitFor();
  const first = (await visitor.ask('replay')).playing;
  assert.equal(first.speed, 10);
  const tasks = async (id) => (await visitor.ask('cluster', { id })).row.tasks_completed;
  const before = await tasks(first.cluster);
  await until(async () => (await tasks(first.cluster)) > before);
  assert.equal((await visitor.ask('cluster', { id: first.cluster })).row.sample, true);
  await accessible(page);

  await replay().getByRole('button', { name: 'Pause the replay' }).click();
  await replay().getByRole('button', { name: 'Resume the replay' }).waitFor();
  const held = (await visitor.ask('replay')).playing;
  assert.equal(held.paused, true);
  for (const theme of themes) await visitor.shot(`demo-replay-${theme}`, theme);
  const larger = replay().getByRole('button', { name: 'Larger type for presenting' });
  const size = () => page.evaluate(() => parseFloat(getComputedStyle(document.documentElement).fontSize));
  const usual = await size();
  await larger.click();
  assert.ok((await size()) > 1.3 * usual);
  await accessible(page);
  await visitor.shot('demo-replay-presenting', 'light');
  await larger.click();
  assert.equal(await size(), usual);

  // A chapter: told up to there at once, as another cluster, and the page goes along.
  const chapter = held.chapters.at(-1);
  await replay().getByRole('button', { name: chapter.words }).last().click();
  await until(async () => (await visitor.ask('replay')).playing.cluster !== first.cluster);
  const second = (await visitor.ask('replay')).playing;
  await page.waitForURL(new RegExp(`#/1/cluster/${second.cluster}(\\D|$)`));
  assert.ok(second.position_seconds >= chapter.at_seconds - 0.001);
  await until(async () => (await visitor.ask('clusters', { text: 'has:sample', limit: 1000 })).rows.every((row) => row.id !== first.cluster));

  await replay().getByRole('group', { name: 'Speed of the replay' }).getByRole('button', { name: '60×' }).click();
  await until(async () => (await visitor.ask('replay')).playing.speed === 60);
  if ((await visitor.ask('replay')).playing.paused) await replay().getByRole('button', { name: 'Resume the replay' }).click();
  await until(async () => (await visitor.ask('replay')).playing.ended);
  const whole = (await visitor.ask('replay')).playing;
  assert.equal((await visitor.ask('verdict', { id: whole.cluster })).kind, 'failing');
  await replay().getByText('played to the end').waitFor();
  await replay().getByRole('button', { name: 'End the replay' }).click();
  await replay().waitFor({ state: 'detached' });
  // Until it hears of the other cluster, the page asks for the one that is gone: the browser itself says that it was not found.
  visitor.complaints = visitor.complaints.filter((what) => !what.includes('status of 404'));
  visitor.quiet();
});

/** Number of a cluster that was just posted. */
async function posted(batch, name) {
  await bobbin.post(batch);
  const id = async () => (await visitor.ask('clusters', { text: `name:${name}`, limit: 10 })).rows.find((row) => !row.sample)?.id;
  await until(async () => (await id()) !== undefined);
  return id();
}

const minute = 60_000_000;

test('a cluster of one’s own is replayed from its page, as a sample that is in no sum', async () => {
  const id = await posted(past('own', { name: 'own-run' }, { at: Date.now() * 1000 - 60 * minute, seconds: 300, busy: 0.7, tasks: 500 }), 'own-run');
  await visitor.go(`cluster/${id}`, 'h1');
  const button = page.getByRole('button', { name: 'Replay', exact: true });
  await button.focus();
  await page.keyboard.press('Enter');
  await page.waitForURL((url) => new RegExp(`#/1/cluster/(?!${id}(\\D|$))\\d+`).test(url.hash));
  const { playing } = await visitor.ask('replay');
  assert.deepEqual([playing.recorded, playing.story, playing.speed, playing.name], [id, null, 10, 'own-run']);
  assert.equal((await visitor.ask('cluster', { id: playing.cluster })).row.sample, true);
  // Its bar is there for what could be begun from here.
  await replay().getByText('replayed through the receiver').waitFor();
  await button.waitFor({ state: 'detached' });
  await accessible(page);
  for (const theme of themes) await visitor.shot(`demo-own-replay-${theme}`, theme);
  await replay().getByRole('button', { name: 'Pause the replay' }).click();
  const place = replay().getByRole('slider', { name: 'Position in the recording' });
  // It takes no keys while the pause is on its way.
  await replay().getByRole('button', { name: 'Resume the replay' }).waitFor();
  await until(() => place.isEnabled());
  await place.focus();
  await page.keyboard.press('End');
  await until(async () => (await visitor.ask('replay')).playing.cluster !== playing.cluster);
  await page.waitForURL((url) => !url.hash.includes(`/cluster/${playing.cluster}`));
  const whole = (await visitor.ask('replay')).playing;
  await until(async () => (await visitor.ask('replay')).playing.ended);
  // The same as was recorded, told again.
  const [first, again] = await Promise.all([visitor.ask('cluster', { id }), visitor.ask('cluster', { id: whole.cluster })]);
  assert.deepEqual([again.row.tasks_completed, again.row.compute_seconds], [first.row.tasks_completed, first.row.compute_seconds]);
  await replay().getByRole('link', { name: 'the original' }).click();
  await page.waitForURL(new RegExp(`#/1/cluster/${id}(\\D|$)`));
  await replay().getByRole('button', { name: 'End the replay' }).click();
  await replay().waitFor({ state: 'detached' });
  visitor.complaints = visitor.complaints.filter((what) => !what.includes('status of 404'));
  visitor.quiet();
});

test('a demo is made from a cluster: with pseudonyms, on one fixed day, as bytes that can be replayed', async () => {
  const { rows } = await visitor.ask('clusters', { text: 'name:own-run', limit: 10 });
  const id = rows.find((row) => !row.sample).id;
  await visitor.go(`cluster/${id}`, 'h1');
  await page.getByRole('button', { name: 'Demo…' }).focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'A demo from this cluster' });
  await dialog.waitFor();
  await accessible(page);
  for (const theme of themes) await visitor.shot(`demo-make-${theme}`, theme);
  const made = async () => {
    const [download] = await Promise.all([page.waitForEvent('download', { timeout: 60_000 }), dialog.getByRole('button', { name: 'Save the demo' }).click()]);
    assert.equal(download.suggestedFilename(), `demo-${id}.bobbin`);
    return gunzipSync(await readFile(await download.path())).toString();
  };
  const told = async (level) => {
    await dialog.getByRole('radio', { name: level }).check();
    const text = await made();
    await dialog.getByRole('status').getByText(`Saved demo-${id}.bobbin`).waitFor();
    return text;
  };
  const numbers = await told(/^Numbers Counts/);
  const names = await told(/^Numbers and names/);
  const { row } = await visitor.ask('cluster', { id });
  for (const text of [numbers, names]) {
    for (const who of [row.user, row.host]) assert.ok(!text.includes(JSON.stringify(who)), who);
    assert.ok(!text.includes(row.scheduler_id));
    assert.ok(text.includes('Sample-made-'));
  }
  assert.ok(names.includes('"inc"') && !numbers.includes('"inc"'));
  // The ledger has a row of each.
  const { rows: ledger } = await visitor.ask('ledger', {});
  assert.equal(ledger.filter((one) => JSON.stringify(one).includes('into a recording')).length, 2);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  visitor.quiet();
});

test('what cannot be played is said, and what still runs is not offered', async () => {
  const at = Date.now() * 1000 - 30 * minute;
  const moment = new Story('moment', { name: 'one-moment', started: at });
  const id = await posted(moment.batch([moment.cluster(), moment.stop(at)]), 'one-moment');
  await visitor.go(`cluster/${id}`, 'h1');
  await page.getByRole('button', { name: 'Replay', exact: true }).click();
  await page.getByText('there is nothing to play').waitFor();
  await accessible(page);
  const running = await posted(busy(Date.now() * 1000, { name: 'still-running' }).batches[0], 'still-running');
  await visitor.go(`cluster/${running}`, 'h1');
  await page.getByRole('button', { name: 'Demo…' }).waitFor();
  assert.equal(await page.getByRole('button', { name: 'Replay', exact: true }).count(), 0);
  visitor.complaints = [];
});

test('beside clusters of one’s own the samples are in no sum, by themselves they are all there is, and they go by one click', async () => {
  const own = (await visitor.ask('clusters', { text: '-has:sample' })).total;
  /** One of them was there for a moment, and has no time to be summed. */
  const summed = own - 1;
  await visitor.go('overview', '[data-demo]');
  await bar().getByText('in none of the totals on this page').waitFor();
  assert.equal((await visitor.ask('overview')).period.clusters, summed);
  for (const theme of themes) await visitor.shot(`demo-beside-${theme}`, theme);
  await bar().getByRole('button', { name: 'Show only the sample' }).click();
  await page.waitForURL(new RegExp(`/beside/${samples}/overview`));
  await bar().getByRole('button', { name: 'Back to my clusters' }).waitFor();
  await accessible(page);
  await bar().getByRole('button', { name: 'Back to my clusters' }).click();
  await page.waitForURL(/#\/1\/overview/);
  await bar().getByRole('button', { name: 'Remove the sample' }).click();
  await bar().waitFor({ state: 'detached' });
  // In no sum at once, and out of the list as their rows go.
  assert.equal((await visitor.ask('overview')).period.clusters, summed);
  await until(async () => (await visitor.ask('clusters')).total === own);
  visitor.quiet();
});
