// Every view in both themes with nothing, little and much to show: pictures in target/screenshots, for people to look at.
// The test itself asks that each view says what it must, without a complaint.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from './support/browser.mjs';
import { busy, crowd, idle, lost, old, secretive, stalled, Story, weeks } from './support/story.mjs';
import { ownVisits } from './support/visit.mjs';

const now = () => Date.now() * 1000;
const themes = ['light', 'dark'];

const withBobbin = ownVisits();

/** Each view: its address, what must be there, and words that it must say. */
async function picture(visitor, amount, views) {
  for (const [name, address, wait, words] of views) {
    await visitor.go(address, wait);
    for (const word of words) await visitor.page.getByText(word).first().waitFor();
    await visitor.page.mouse.move(2, 2);
    await visitor.page.waitForTimeout(250);
    for (const theme of themes) await visitor.shot(`${name}-${theme}-${amount}`, theme, { fullPage: true });
  }
}

test('with nothing', () =>
  withBobbin(
    () => [],
    async (visitor, bobbin) => {
      await picture(visitor, 'none', [
        ['first-run', 'overview', 'ol', ['Waiting for the first report', bobbin.listening.tcp]],
        ['exceptions', 'exceptions', '.notice', ['Nothing has failed']],
        ['not-found', 'nowhere', '.notice', ['Page not found']],
      ]);
      // A cluster that said hello and nothing else.
      const story = new Story('hello', { name: 'just-started', interval: 120_000_000 });
      await bobbin.post(story.batch([story.cluster(), story.sample(now(), { workers: 0 })]));
      const { rows } = await visitor.ask('clusters');
      // Whoever looks on while it reports stays where they are.
      await visitor.page.reload();
      await picture(visitor, 'none', [
        ['overview', 'overview', '[data-figure]', ['just-started']],
        ['clusters', 'clusters', 'tbody a', ['1 cluster']],
        ['cluster-groups', `cluster/${rows[0].id}`, '.said', ['Connected, nothing has run yet']],
        ['cluster-computations', `cluster/${rows[0].id}?tab=computations`, '.said', ['No computations yet']],
        ['cluster-exceptions', `cluster/${rows[0].id}?tab=exceptions`, '.said', ['Nothing has failed']],
      ]);
    },
  ));

test('with little', () =>
  withBobbin(
    () => [...weeks(3, now()), ...idle(now()).batches],
    async (visitor) => {
      const { rows } = await visitor.ask('clusters');
      await picture(visitor, 'little', [
        ['overview', 'overview', '.heat', ['Running now']],
        ['clusters', 'clusters', 'tbody a', ['4 clusters']],
        ['cluster-groups', `cluster/${rows[0].id}`, '.said', ['and still up']],
      ]);
    },
  ));

test('with much', () =>
  withBobbin(
    () => [...weeks(240, now()), ...[lost, idle, crowd, stalled, busy].flatMap((story) => story(now()).batches)],
    async (visitor) => {
      const { page } = visitor;
      const id = async (text) => (await visitor.ask('clusters', { text })).rows[0].id;
      const nightly = await id('nightly 2026');
      const stuck = await id('stuck');
      const thousand = await id('thousand');
      const oom = await id('killed-by-oom');
      await until(async () => (await visitor.ask('cluster', { id: oom })).row.state === 'lost');
      await picture(visitor, 'much', [
        ['overview', 'overview', '.heat', ['Running now', 'nothing reported']],
        ['clusters', 'clusters', 'tbody a', ['245 clusters']],
        ['cluster-groups', `cluster/${nightly}`, '.box', ['2 kinds of exception in 3 failed tasks', '1 gap in the record']],
        ['cluster-computations', `cluster/${nightly}?tab=computations`, '.code', ['No code was captured']],
        ['cluster-exceptions', `cluster/${nightly}?tab=exceptions`, 'article', ['Dask gave up']],
        ['cluster-events', `cluster/${nightly}?tab=events`, '.said', ['Events are off at source']],
        ['cluster-facts', `cluster/${nightly}?tab=facts`, '.cards', ['Environment']],
        ['cluster-workers', `cluster/${nightly}?tab=workers&item=busy-9`, '.life', ['1 lost without being told to close']],
        ['cluster-activity', `cluster/${nightly}?tab=activity`, '.sum', ['In Dask’s own words', 'default']],
        ['cluster-profile', `cluster/${nightly}?tab=profile`, 'canvas', ['2.8 % not attributed']],
        ['cluster-hardware', `cluster/${nightly}?charts=hardware&item=g1`, '.plot', ['Event loops', 'Skewed']],
        ['cluster-by-worker', `cluster/${nightly}?charts=workers&tab=workers&item=busy-6`, '.plot', ['Memory by worker']],
        ['cluster-stalled', `cluster/${stuck}`, '.said', ['It is stalled']],
        ['cluster-thousand', `cluster/${thousand}?tab=workers`, '.mark', ['Figures cover all workers together']],
        ['cluster-thousand-bands', `cluster/${thousand}?tab=workers&charts=workers`, '.plot', ['middle half']],
        ['cluster-lost', `cluster/${oom}`, '.said', ['Contact lost']],
        ['exceptions', 'exceptions', 'article', ['ZeroDivisionError']],
        ['connect', 'connect', 'ol', ['Connect another cluster']],
      ]);
      await visitor.go(`cluster/${nightly}`, '.plot');
      await page.keyboard.press('t');
      await page.waitForSelector('figure table');
      for (const theme of themes) await visitor.shot(`cluster-tables-${theme}-much`, theme, { fullPage: true });
      await page.keyboard.press('t');
      await page.keyboard.press('?');
      await page.getByRole('heading', { name: 'Keyboard shortcuts' }).waitFor();
      for (const theme of themes) await visitor.shot(`keys-${theme}-much`, theme);
      await page.keyboard.press('Escape');
      await visitor.go(`cluster/${nightly}`, '.said');
      await page.getByRole('button', { name: 'Close cluster' }).click();
      for (const theme of themes) await visitor.shot(`close-${theme}-much`, theme);
      await page.keyboard.press('Escape');
      await page.setViewportSize({ width: 640, height: 900 });
      for (const tab of ['workers', 'activity', 'profile', 'events', 'facts']) {
        await visitor.go(`cluster/${nightly}?tab=${tab}`, '.list > *');
        await page.waitForTimeout(250);
        await visitor.shot(`cluster-${tab}-light-much-640`, 'light', { fullPage: true });
      }
      for (const width of [900, 1600]) {
        await page.setViewportSize({ width, height: 900 });
        await visitor.go('overview', '.heat');
        await page.waitForTimeout(250);
        await visitor.shot(`overview-light-much-${width}`, 'light', { fullPage: true });
        await visitor.go(`cluster/${nightly}`, '.box');
        await page.waitForTimeout(250);
        await visitor.shot(`cluster-groups-dark-much-${width}`, 'dark', { fullPage: true });
      }
      assert.equal(await page.locator('main img').count(), 0);
    },
  ));

test('with what is off at source, and what an old Dask does not tell', () =>
  withBobbin(
    () => [...secretive(now()).batches, ...old(now()).batches],
    async (visitor) => {
      const id = async (text) => (await visitor.ask('clusters', { text })).rows[0].id;
      const quiet = await id('quiet');
      const aged = await id('old-timer');
      await picture(visitor, 'off', [
        ['cluster-groups', `cluster/${quiet}`, '[data-off]', ['Task names are off at source']],
        ['cluster-computations', `cluster/${quiet}?tab=computations`, '[data-off]', ['Code is off at source']],
        ['cluster-exceptions', `cluster/${quiet}?tab=exceptions`, '[data-off]', ['message off at source']],
        ['cluster-workers', `cluster/${quiet}?tab=workers`, '[data-off]', ['Workers are numbered']],
        ['cluster-profile', `cluster/${quiet}?tab=profile`, '[data-off]', ['Profiles are off at source']],
        ['cluster-events', `cluster/${quiet}?tab=events`, '[data-off]', ['Not sent']],
        ['cluster-facts', `cluster/${quiet}?tab=facts`, '[data-category]', ['bobbin.paths.transmit: true']],
      ]);
      await picture(visitor, 'unavailable', [
        ['cluster-activity', `cluster/${aged}?tab=activity&charts=hardware`, '.absent', ['Spans are not available in Dask 2022.6.1']],
        ['cluster-workers', `cluster/${aged}?tab=workers&charts=workers`, '.absent', ['Individual workers were not reported']],
        ['cluster-groups', `cluster/${aged}?item=g`, '.detail', ['not available in Dask 2022.6.1']],
        ['cluster-facts', `cluster/${aged}?tab=facts`, 'main h3', ['Retried attempts']],
      ]);
    },
  ));

test('the list of clusters with marks, views and a filter that is being typed, and the palette', () =>
  withBobbin(
    () => [...weeks(6, now()), ...busy(now()).batches, ...lost(now()).batches, ...stalled(now()).batches],
    async (visitor) => {
      const { page } = visitor;
      const both = async (name) => {
        await page.mouse.move(2, 2);
        await page.waitForTimeout(250);
        for (const theme of themes) await visitor.shot(`${name}-${theme}`, theme);
      };
      const { rows } = await visitor.ask('clusters', { limit: 6 });
      await visitor.ask('mark_clusters', { ids: [rows[0].id, rows[2].id], pinned: true, tags: { review: 'later' } });
      await visitor.ask('mark_clusters', { ids: [rows[1].id], note: 'Ran out of memory twice.\nTry again with spilling.', tags: { ci: '' } });
      const columns = ['state', 'user', 'workers', 'tags', 'note'];
      await visitor.ask('save_view', { name: 'Failing this week', filter: 'has:exception since:7d', order: 'exceptions', direction: 'descending', columns });
      await visitor.go('clusters', 'tbody a');
      await page.locator('tbody a').first().focus();
      await page.keyboard.press('x');
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('x');
      await both('clusters-chosen');
      await page.keyboard.press('Escape');
      await page.keyboard.press('/');
      await page.keyboard.type('user:');
      await page.getByRole('option').first().waitFor();
      await both('clusters-completion');
      await page.keyboard.press('Escape');
      await page.keyboard.press('Escape');
      await page.keyboard.type('usr:ana');
      await page.getByText('did you mean').waitFor();
      await both('clusters-problem');
      await page.keyboard.press('Escape');
      for (const [button, name] of [['Columns', 'clusters-columns'], ['Views', 'clusters-views']]) {
        await page.getByRole('button', { name: button, exact: true }).click();
        await both(name);
        await page.keyboard.press('Escape');
      }
      await page.getByRole('button', { name: /^Name, tags and note/ }).nth(1).click();
      await both('clusters-marks');
      await page.keyboard.press('Escape');
      await page.keyboard.press('Control+k');
      await page.getByRole('group', { name: 'Newest clusters' }).waitFor();
      await both('palette');
      await page.keyboard.type('me');
      await page.locator('mark').first().waitFor();
      await both('palette-found');
      await page.keyboard.press('Escape');
      await page.setViewportSize({ width: 640, height: 900 });
      await visitor.go('clusters', 'tbody a');
      await page.waitForTimeout(250);
      await visitor.shot('clusters-light-640', 'light');
      await visitor.go(`cluster/${rows[1].id}`, '.note');
      await page.waitForTimeout(250);
      await visitor.shot('cluster-marks-light-640', 'light');
    },
  ));
