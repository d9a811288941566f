// What is not seen every day, in pictures for people to look at: settings and dialogs, wide, narrow and with large text; what is paused, pointed
// at, locked, refused and out of contact.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Bobbin } from './support/bobbin.mjs';
import { launch, until, Visitor } from './support/browser.mjs';
import { nights } from './support/nights.mjs';
import { busy, idle, stalled, Story, weeks } from './support/story.mjs';

const now = () => Date.now() * 1000;
const themes = ['light', 'dark'];
const sizes = [
  { name: '1400', width: 1400, height: 900, large: false },
  { name: '480', width: 480, height: 900, large: false },
  { name: '200', width: 1280, height: 900, large: true },
];

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser?.close());

async function withBobbin(batches, look) {
  const bobbin = await Bobbin.start();
  try {
    for (const batch of batches()) await bobbin.post(batch);
    await look(bobbin);
  } finally {
    await bobbin.remove();
  }
}

/** A visitor in a window of a size, or with text of twice the size. */
async function enter(bobbin, { width, height, large }) {
  const visitor = await Visitor.enter(browser, bobbin, { viewport: { width, height } });
  if (large) {
    await visitor.page.addInitScript(() => addEventListener('DOMContentLoaded', () => document.documentElement.style.setProperty('font-size', '200%')));
    await visitor.page.reload();
  }
  return visitor;
}

async function both(visitor, name, options = {}) {
  await visitor.settled();
  for (const theme of themes) await visitor.shot(`states-${name}-${theme}`, theme, options);
}

async function view(visitor, name, address, wait) {
  await visitor.go(address, wait);
  await visitor.page.mouse.move(2, 2);
  await both(visitor, name, { fullPage: true });
}

for (const size of sizes) {
  test(`nothing yet, ${size.name}`, () =>
    withBobbin(
      () => [],
      async (bobbin) => {
        const visitor = await enter(bobbin, size);
        await view(visitor, `first-run-${size.name}`, 'overview', 'ol');
        await view(visitor, `settings-none-${size.name}`, 'settings/storage', 'form');
        await view(visitor, `not-found-${size.name}`, 'nowhere', '.notice');
        await view(visitor, `compare-none-${size.name}`, 'compare', '.notice');
        for (const [name, address, wait] of [
          ['exceptions', 'exceptions', '.notice'],
          ['costs', 'costs', '.notice'],
          ['prices', 'prices', '.box'],
          ['merged', 'profile?text=nobody', '.notice'],
          ['sql', 'sql', '.notice'],
          ['review', 'review', '.none a'],
          ['ledger', 'ledger', '[data-connections]'],
        ])
          await view(visitor, `${name}-none-${size.name}`, address, wait);
        // A cluster that said hello and nothing else.
        const story = new Story('hello', { name: 'just-started', interval: 120_000_000 });
        await bobbin.post(story.batch([story.cluster(), story.sample(now(), { workers: 0 })]));
        const { rows } = await visitor.ask('clusters');
        for (const tab of ['groups', 'graph', 'computations', 'exceptions', 'workers', 'activity', 'profile', 'cost', 'events', 'facts'])
          await view(visitor, `cluster-${tab}-none-${size.name}`, `cluster/${rows[0].id}?tab=${tab}`, `#tabpanel[aria-labelledby=tab-${tab}]`);
        visitor.quiet();
        await visitor.context.close();
      },
    ));

  test(`views and dialogs, ${size.name}`, () =>
    withBobbin(
      () => [...weeks(30, now()), ...[idle, stalled, busy].flatMap((story) => story(now()).batches)],
      async (bobbin) => {
        const visitor = await enter(bobbin, size);
        const { page } = visitor;
        const id = async (text) => (await visitor.ask('clusters', { text })).rows[0].id;
        const nightly = await id('nightly 2026');
        for (const [name, address, wait] of [
          ['connect', 'connect', 'ol'],
          ['overview-calendar', 'overview?form=calendar', '.heat'],
          ['overview-hours-of-week', 'overview?form=week', '.heat'],
          ['review', 'review', 'ul input[type=checkbox]'],
          ['exceptions', 'exceptions', 'article'],
          ['exceptions-no-match', 'exceptions?text=nobody', '.notice'],
          ['clusters', 'clusters', 'tbody a'],
          ['clusters-no-match', 'clusters?text=nobody', '.notice'],
          ['prices', 'prices', '.box'],
          ['cluster-cost', `cluster/${nightly}?tab=cost`, '[data-cost]'],
          ['cluster-stalled', `cluster/${await id('stuck')}`, '[data-verdict]'],
          ['cluster-hardware', `cluster/${nightly}?charts=hardware`, '.plot'],
          ['cluster-not-found', 'cluster/4711', '.notice'],
        ])
          await view(visitor, `${name}-${size.name}`, address, wait);
        await visitor.go('sql', 'textarea');
        await page.getByRole('textbox', { name: 'Query' }).fill("select 'a' as word, 30000 as n union all select 'b', 70000");
        await page.keyboard.press('Control+Enter');
        await page.getByRole('button', { name: 'Chart this' }).click();
        await page.getByRole('button', { name: 'Line', exact: true }).click();
        await both(visitor, `sql-chart-${size.name}`, { fullPage: true });
        await visitor.go('clusters', 'tbody a');
        await page.keyboard.press('?');
        await page.getByRole('heading', { name: 'Keyboard shortcuts' }).waitFor();
        await both(visitor, `keys-${size.name}`);
        await page.keyboard.press('Escape');
        await page.keyboard.press('Control+k');
        await page.getByRole('group', { name: 'Newest clusters' }).waitFor();
        await both(visitor, `palette-${size.name}`);
        await page.keyboard.type('nothing like it');
        await page.getByText('Nothing found in').waitFor();
        await both(visitor, `palette-none-${size.name}`);
        await page.keyboard.press('Escape');
        await page.locator('tbody input[type=checkbox]').first().check();
        await page.getByRole('button', { name: 'Delete…' }).click();
        await page.getByText(/This frees ≈/).waitFor();
        await both(visitor, `delete-${size.name}`);
        await page.keyboard.press('Escape');
        await visitor.go(`cluster/${await id('stuck')}`, '[data-verdict]');
        await page.getByRole('button', { name: 'Closing is off' }).click();
        await both(visitor, `closing-is-off-${size.name}`);
        await page.keyboard.press('Escape');
        await visitor.go('settings/privacy', 'dl');
        await page.getByRole('button', { name: 'Replace key…' }).click();
        await page.getByRole('button', { name: 'Show recovery key' }).click();
        await page.getByText(/AGE-SECRET-KEY-1/).first().waitFor();
        await both(visitor, `settings-key-shown-${size.name}`, { fullPage: true });
        visitor.complaints = visitor.complaints.filter((what) => !what.includes('status of 404'));
        visitor.quiet();
        await visitor.context.close();
      },
    ));
}

test('no view is wider than its window', () =>
  withBobbin(
    () => [...weeks(30, now()), ...[stalled, busy].flatMap((story) => story(now()).batches)],
    async (bobbin) => {
      const visitor = await enter(bobbin, sizes[0]);
      const { page } = visitor;
      const nightly = (await visitor.ask('clusters', { text: 'nightly 2026' })).rows[0].id;
      const views = [
        ['overview', '.heat'],
        ['overview?form=calendar', '.heat'],
        ['clusters', 'tbody a'],
        ['exceptions', 'article'],
        ['costs', 'tfoot'],
        ['prices', '.box'],
        ['sql', 'textarea'],
        ['settings/storage', 'form'],
        ['connect', 'ol'],
        ['compare', '.notice'],
        ...['groups', 'graph', 'computations', 'exceptions', 'workers', 'activity', 'profile', 'cost', 'events', 'facts'].map((tab) => [`cluster/${nightly}?tab=${tab}`, '#tabpanel > *']),
        [`cluster/${nightly}?charts=hardware`, '.plot'],
        [`cluster/${nightly}?charts=workers`, '.plot'],
      ];
      const wide = [];
      for (const [address, wait] of views) {
        await page.setViewportSize({ width: 1280, height: 900 });
        await visitor.go(address, wait);
        await visitor.settled();
        for (const width of [320, 360, 480, 600, 700, 800, 1000, 1100, 1200, 1240, 1300, 1500]) {
          await page.setViewportSize({ width, height: 900 });
          const over = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
          if (over > 0) wide.push(`${address} by ${over} at ${width}`);
        }
      }
      assert.deepEqual(wide, []);
      visitor.quiet();
      await visitor.context.close();
    },
  ));

test('what is paused, pointed at and drawn', () =>
  withBobbin(
    () => [...weeks(30, now()), ...busy(now()).batches],
    async (bobbin) => {
      const visitor = await enter(bobbin, sizes[0]);
      const { page } = visitor;
      const nightly = (await visitor.ask('clusters', { text: 'nightly 2026' })).rows[0].id;
      await visitor.go('overview', '.heat');
      await page.keyboard.press('p');
      const story = new Story('late', { name: 'came later' });
      await bobbin.post(story.batch([story.cluster(), story.sample(now(), { tasks: { processing: 1 } })]));
      await page.getByText(/\d+ new/).waitFor();
      await both(visitor, 'paused');
      await page.keyboard.press('p');
      await page.getByRole('link', { name: 'came later' }).first().waitFor();
      await page.locator('.cells').scrollIntoViewIfNeeded();
      const cells = await page.locator('.cells').boundingBox();
      await page.mouse.move(cells.x + cells.width * 0.6, cells.y + 40);
      await page.locator('.heat .card').waitFor();
      await both(visitor, 'heat-card');
      await visitor.go(`cluster/${nightly}`, '.plot');
      await page.locator('.plot').first().scrollIntoViewIfNeeded();
      const plot = await page.locator('.plot').first().boundingBox();
      await page.mouse.move(plot.x + plot.width * 0.3, plot.y + 60);
      await page.mouse.down();
      await page.mouse.move(plot.x + plot.width * 0.5, plot.y + 60);
      await both(visitor, 'brushing');
      await page.keyboard.press('Escape');
      await page.mouse.up();
      await page.locator('.plot').first().focus();
      for (let i = 0; i < 5; i++) await page.keyboard.press('ArrowLeft');
      await both(visitor, 'chart-by-keys');
      visitor.quiet();
      await visitor.context.close();
    },
  ));

test('what is locked, refused, failed and out of contact', () =>
  withBobbin(
    () => [...nights(7, now(), { shuffle: 2 }), ...busy(now()).batches],
    async (bobbin) => {
      const visitor = await enter(bobbin, sizes[0]);
      const { page } = visitor;
      const nightly = (await visitor.ask('clusters', { text: 'nightly 2026' })).rows[0].id;
      await visitor.ask('lock_key');
      await view(visitor, 'settings-locked', 'settings/privacy', 'dl');
      await view(visitor, 'code-locked', `cluster/${nightly}?tab=computations`, 'article');
      // It leads to the button that opens it.
      await page.getByRole('link', { name: 'Unlock' }).first().click();
      await page.getByRole('button', { name: 'Unlock', exact: true }).waitFor();
      await visitor.ask('unlock_key');
      await visitor.go('sql', 'textarea');
      await page.getByRole('textbox', { name: 'Query' }).fill('selec 1');
      await page.keyboard.press('Control+Enter');
      await page.getByText('SQLite can’t run this query').waitFor();
      await both(visitor, 'sql-refused');
      await page.route('**/api/clusters', (route) => route.fulfill({ status: 507, json: { code: 'disk_full', message: 'the disk is full' } }));
      await view(visitor, 'disk-full', 'clusters?text=a', '.notice');
      await page.unrouteAll({ behavior: 'wait' });
      await visitor.go(`cluster/${nightly}`, '.plot');
      await bobbin.stop();
      await page.getByText('No contact').first().waitFor({ timeout: 20_000 });
      await both(visitor, 'no-contact');
      await until(async () => (await page.locator('.live').getAttribute('class')).includes('cut'));
      await visitor.context.close();
    },
  ));
