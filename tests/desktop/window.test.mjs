// The window shows what the shell shows, while a cluster runs and in any language.

import assert from 'node:assert/strict';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { beat, goodbye } from './support/batch.mjs';
import { desktop, Folder, screenshots } from './support/bobbin.mjs';
import { Display } from './support/display.mjs';
import { Session } from './support/driver.mjs';
import { until } from './support/wait.mjs';

let display;

before(async () => {
  display = await Display.open();
  // Away from the window: rows under the pointer stay where they are.
  await display.xdotool('mousemove', '1390', '990');
  await mkdir(screenshots, { recursive: true });
});
after(() => display.close());

/** Runs `use` with a window on a folder of its own. */
async function in_window({ args = [], environment = {} }, use) {
  const folder = await Folder.make();
  let page;
  try {
    page = await Session.start({
      environment: display.environment({ ...folder.environment, ...environment }),
      binary: desktop,
      args: [...folder.args, ...args],
    });
    await until('the page', async () => (await page.text()).trim().length > 0);
    await use({ folder, page });
  } finally {
    await page?.stop();
    await folder.remove();
  }
}

/** The whole window as it stands on the display, once what the page holds is drawn. */
async function picture(page, name) {
  await page.run_async('for (let i = 0; i < 3; i++) await new Promise(requestAnimationFrame)');
  const [window] = await display.windows('^Bobbin$');
  const path = join(screenshots, `window-${name}.png`);
  let before;
  // The driver holds drawing up: two equal pictures in a row are a drawn one. What ticks never stands still, so not for long.
  for (let attempt = 0; attempt < 10; attempt++) {
    await sleep(300);
    await display.picture(window, path);
    const now = await readFile(path);
    if (before?.equals(now)) return;
    before = now;
  }
}

// Until something was heard the page helps with that, and samples are in no sum of the overview.
const list = "location.hash = '#/1/clusters'";
const listed = async (page) => (await page.run(list), page.text());
const link_to = (id) => `a[href^="#/1/cluster/${id}"]`;

test('a cluster that reports is on the page, and its page has its numbers', async () => {
  await in_window({}, async ({ folder, page }) => {
    await folder.post(beat('live', 0, { tasks: 41, name: 'night run' }));
    await until('the cluster', async () => (await listed(page)).includes('night run'));
    await page.click(link_to(1));
    await until('its page', async () => (await page.address()).includes('#/1/cluster/1'));
    await until('41 tasks', async () => /\b41\b/.test(await page.text()));
    await folder.post(beat('live', 1, { tasks: 1_337 }));
    await until('1,337 tasks', async () => /\b1,337\b/.test(await page.text()));
    const { cluster } = await folder.ask('show', '1');
    assert.equal(cluster.row.tasks_completed, 1_337);
  });
});

test('a window that was left alone shows a cluster that comes', async () => {
  await in_window({}, async ({ folder, page }) => {
    await folder.post(beat('first', 0, { tasks: 1, name: 'first run' }));
    await until('the list', async () => {
      await page.run(list);
      return page.run(`return document.querySelector('tbody ${link_to(1)}') !== null`);
    });
    // As if nobody had been at it for minutes: within a second it rests, and hears of no change, but of news.
    await page.run('const now = performance.now.bind(performance); performance.now = () => now() + 180_000');
    await sleep(3_000);
    await folder.post(beat('second', 0, { tasks: 1, name: 'second run' }));
    await until('the second', async () => (await page.text()).includes('second run'));
  });
});

for (const [scheme, theme] of [
  ['light', 'Adwaita'],
  ['dark', 'Adwaita:dark'],
]) {
  test(`the demo, ${scheme}: the list and a cluster show what the shell shows`, async () => {
    await in_window({ args: ['--demo'], environment: { GTK_THEME: theme } }, async ({ folder, page }) => {
      const rows = await until('the whole story', async () => {
        const once = await folder.ask('clusters');
        await sleep(500);
        const again = await folder.ask('clusters');
        const told = ({ rows }) => rows.map(({ id, tasks_completed }) => `${id} ${tasks_completed}`).join();
        // Every run of the demo was closed by its owner.
        return again.total > 0 && told(again) === told(once) && again.rows.every(({ state }) => state === 'finished') && again.rows;
      });
      await page.run(list);
      await until('the newest clusters and their tasks', async () => {
        const text = await page.text();
        // The list draws what is in sight of it.
        return rows.slice(0, 5).every(({ name, tasks_completed }) => text.includes(name) && text.includes(tasks_completed.toLocaleString('en-US')));
      });
      await picture(page, `clusters-${scheme}`);

      // The one with the most to see.
      const [largest] = rows.toSorted((a, b) => b.tasks_completed - a.tasks_completed);
      await page.click(link_to(largest.id));
      const completed = largest.tasks_completed.toLocaleString('en-US');
      await until(`${completed} tasks`, async () => (await page.text()).includes(completed));
      await picture(page, `cluster-${scheme}`);
    });
  });
}

test('two runs that are selected in the list are compared, as the shell compares them', async () => {
  await in_window({}, async ({ folder, page }) => {
    for (const [key, tasks] of [['monday', 41], ['tuesday', 1_337]]) {
      await folder.post(beat(key, 0, { tasks }));
      await folder.post(goodbye(key, 1));
    }
    // The page of a first run names those that came, too, and makes way for the list a moment later.
    const boxes = ['monday', 'tuesday'].map((name) => `input[aria-label="Select ${name}"]`);
    await until('both', async () => {
      await page.run(list);
      return page.run('return arguments[0].every((box) => document.querySelector(box) !== null)', boxes);
    });
    for (const box of boxes) await page.click(box);
    await until('the offer to compare', async () => (await page.text()).includes('2 clusters selected'));
    await page.click('[role=toolbar] a[href*="/compare"]');
    await until('the comparison', async () => /#\/1\/compare\?a=1&b=2$/.test(await page.address()));
    const { a, b } = await folder.ask('compare', '1', '2');
    for (const [side, { name, tasks }] of [['A', a], ['B', b]]) {
      const run = () => page.run(`return document.querySelector('article[aria-label="Run ${side}"]')?.innerText ?? ''`);
      await until(`${name} with ${tasks} tasks`, async () => (await run()).includes(name) && (await run()).includes(tasks.toLocaleString('en-US')));
    }
    await until('what the difference is made of', () => page.run('return document.getElementById("waterfall") !== null'));
    await picture(page, 'compare');
  });
});

test('no view of the page breaks its own policy or raises', async () => {
  await in_window({}, async ({ folder, page }) => {
    await folder.post(beat('views', 0, { tasks: 5, name: 'all views' }));
    await page.run(`
      window.seen = [];
      addEventListener('securitypolicyviolation', (event) => seen.push(event.effectiveDirective + ' ' + event.blockedURI));
      addEventListener('error', (event) => seen.push(event.message));
      addEventListener('unhandledrejection', (event) => seen.push(String(event.reason)));
    `);
    const views = ['overview', 'clusters', 'cluster/1', 'cluster/1?tab=computations', 'cluster/1?tab=facts', 'compare?a=baseline&b=1', 'exceptions', 'connect', 'nowhere'];
    for (const view of views) {
      await page.run(`location.hash = '#/1/${view}'`);
      await until(view, async () => (await page.run('return document.querySelector("main")?.innerText ?? ""')).trim().length > 20);
      assert.deepEqual(await page.run('return window.seen'), [], view);
    }
  });
});

test('a machine without a language has a page too', async () => {
  await in_window({ environment: { LANG: 'C', LC_ALL: 'C' } }, async ({ folder, page }) => {
    await folder.post(beat('plain', 0, { tasks: 12_345, name: 'no locale' }));
    await until('the cluster', async () => (await listed(page)).includes('no locale'));
    await page.click(link_to(1));
    await until('grouped digits', async () => (await page.text()).includes('12,345'));
    await picture(page, 'no-language');
  });
});
