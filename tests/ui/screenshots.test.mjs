// Every view in both themes with nothing, little and much to show: pictures in target/screenshots, for people to look at.
// The test itself asks that each view says what it must, without a complaint.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Bobbin } from './support/bobbin.mjs';
import { launch, until, Visitor } from './support/browser.mjs';
import { busy, idle, lost, Story, weeks } from './support/story.mjs';

const now = () => Date.now() * 1000;
const themes = ['light', 'dark'];

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser?.close());

async function withBobbin(batches, look) {
  const bobbin = await Bobbin.start();
  try {
    for (const batch of batches()) await bobbin.post(batch);
    const visitor = await Visitor.enter(browser, bobbin);
    await look(visitor, bobbin);
    visitor.quiet();
    await visitor.context.close();
  } finally {
    await bobbin.remove();
  }
}

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
        ['first-run', 'overview', 'ol', ['Waiting for a first message', bobbin.listening.tcp]],
        ['exceptions', 'exceptions', '.notice', ['Nothing has failed']],
        ['not-found', 'nowhere', '.notice', ['There is no such page']],
      ]);
      // A cluster that said hello and nothing else.
      const story = new Story('hello', { name: 'just-started', interval: 120_000_000 });
      await bobbin.post(story.batch([story.cluster(), story.sample(now(), { workers: 0 })]));
      const { rows } = await visitor.ask('clusters');
      await picture(visitor, 'none', [
        ['overview', 'overview', '[data-figure]', ['just-started']],
        ['clusters', 'clusters', 'tbody a', ['1 cluster']],
        ['cluster-groups', `cluster/${rows[0].id}`, '.said', ['Connected, nothing has run yet']],
        ['cluster-computations', `cluster/${rows[0].id}?tab=computations`, '.said', ['No computation yet']],
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
        ['cluster-groups', `cluster/${rows[0].id}`, '.said', ['and nobody closed it']],
      ]);
    },
  ));

test('with much', () =>
  withBobbin(
    () => [...weeks(240, now()), ...lost(now()).batches, ...idle(now()).batches, ...busy(now()).batches],
    async (visitor) => {
      const { page } = visitor;
      const id = async (text) => (await visitor.ask('clusters', { text })).rows[0].id;
      const nightly = await id('nightly 2026');
      const oom = await id('killed-by-oom');
      await until(async () => (await visitor.ask('cluster', { id: oom })).row.state === 'lost');
      await picture(visitor, 'much', [
        ['overview', 'overview', '.heat', ['Running now', 'nothing reported']],
        ['overview-chosen', 'overview?label=nightly-etl', '.heat', ['nightly-etl']],
        ['clusters', 'clusters', 'tbody a', ['243 clusters']],
        ['cluster-groups', `cluster/${nightly}`, '.box', ['2 exceptions in 3 failed tasks', '1 gap in the record']],
        ['cluster-computations', `cluster/${nightly}?tab=computations`, '.code', ['No code was captured']],
        ['cluster-exceptions', `cluster/${nightly}?tab=exceptions`, 'article', ['Dask gave up']],
        ['cluster-events', `cluster/${nightly}?tab=events`, '.said', ['Events are off at source']],
        ['cluster-facts', `cluster/${nightly}?tab=facts`, '.cards', ['Environment']],
        ['cluster-lost', `cluster/${oom}`, '.said', ['Contact lost']],
        ['exceptions', 'exceptions', 'article', ['ZeroDivisionError']],
        ['connect', 'connect', 'ol', ['Let another cluster report']],
      ]);
      await visitor.go(`cluster/${nightly}`, '.plot');
      await page.keyboard.press('t');
      await page.waitForSelector('figure table');
      for (const theme of themes) await visitor.shot(`cluster-tables-${theme}-much`, theme, { fullPage: true });
      await page.keyboard.press('t');
      await page.keyboard.press('?');
      await page.getByRole('heading', { name: 'Keys' }).waitFor();
      for (const theme of themes) await visitor.shot(`keys-${theme}-much`, theme);
      await page.keyboard.press('Escape');
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
