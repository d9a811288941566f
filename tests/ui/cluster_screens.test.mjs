// The cluster page in pictures, for people to look at: little, much and nothing, both themes, narrow, and large text.

import { test } from 'node:test';
import { busy, Story } from './support/story.mjs';
import { training } from './support/training.mjs';
import { sharedVisit } from './support/visit.mjs';

const now = () => Date.now() * 1000;

let visitor, page;
sharedVisit({
  tell: async (bobbin) => {
    for (const batch of [...training(now(), { key: 'old', name: 'train-last-month', ago: 30 * 86_400 }).batches, ...training(now()).batches, ...busy(now()).batches]) await bobbin.post(batch);
    const hello = new Story('hello', { name: 'just-started', interval: 120_000_000 });
    await bobbin.post(hello.batch([hello.cluster(), hello.sample(now(), { workers: 0 })]));
  },
  met: (there) => ({ visitor, page } = there),
});

const id = async (text) => (await visitor.ask('clusters', { text })).rows[0].id;

async function picture(name, address, wait, themes = ['light', 'dark']) {
  await visitor.go(address, wait);
  await visitor.settled();
  await page.evaluate(() => scrollTo(0, 0));
  await page.mouse.move(2, 2);
  for (const theme of themes) await visitor.shot(`cluster-page-${name}-${theme}`, theme, { fullPage: true });
}

test('every list of a cluster, all of its time and a part of it', async () => {
  const trained = await id('train-model');
  const { rows } = await visitor.ask('clusters', { text: 'train-model' });
  const start = rows[0].started_micros;
  await picture('head', `cluster/${trained}`, '[data-verdict]');
  await picture('window', `cluster/${trained}?from=${start + 100e6}&to=${start + 220e6}`, '[data-window]');
  await picture('events', `cluster/${trained}?tab=events`, '#numbers-title');
  await picture('exceptions', `cluster/${trained}?tab=exceptions`, 'article');
  await picture('computations', `cluster/${trained}?tab=computations&item=train-c2`, 'article.chosen');
  await picture('facts', `cluster/${trained}?tab=facts`, '[data-missing]');
  await picture('kinds', 'exceptions', 'article');
  await picture('much', `cluster/${await id('nightly')}`, '[data-verdict]');
  await picture('none', `cluster/${await id('just-started')}`, '[data-verdict]');
  await visitor.go(`cluster/${trained}`, '.plot');
  await page.keyboard.press('t');
  await picture('tables', `cluster/${trained}`, 'figure table', ['light']);
  await page.keyboard.press('t');
  visitor.quiet();
});

test('a narrow window, and text of twice the size', async () => {
  const trained = await id('train-model');
  await page.setViewportSize({ width: 640, height: 900 });
  await picture('narrow', `cluster/${trained}`, '[data-verdict]', ['light']);
  await picture('narrow-events', `cluster/${trained}?tab=events`, '#numbers-title', ['light']);
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.addInitScript(() => document.addEventListener('DOMContentLoaded', () => (document.documentElement.style.fontSize = '200%')));
  await page.reload();
  await picture('large', `cluster/${trained}`, '[data-verdict]', ['light']);
  for (const [list, wait, theme] of [
    ['exceptions', 'article', 'dark'],
    ['computations', 'article', 'light'],
    ['events', '#numbers-title', 'dark'],
    ['workers', '.box tbody tr', 'light'],
    ['activity', '.notice, .sum', 'dark'],
    ['facts', '[data-missing]', 'light'],
    ['cost', '[data-cost]', 'dark'],
  ])
    await picture(`large-${list}`, `cluster/${trained}?tab=${list}`, wait, [theme]);
  await picture('large-heat', `cluster/${trained}?charts=prefixes`, 'svg[role=application]', ['light']);
  await picture('large-sql', 'sql?sql=select%20name%20from%20cluster', '.asked tbody tr', ['light']);
  await picture('large-ledger', 'ledger', 'h1', ['light']);
  visitor.quiet();
});

test('more contrast, and colours that the system chose', async () => {
  const trained = await id('train-model');
  await page.emulateMedia({ contrast: 'more', colorScheme: 'light' });
  await picture('contrast', `cluster/${trained}`, '[data-verdict]', ['light']);
  await page.emulateMedia({ contrast: 'no-preference', forcedColors: 'active' });
  await picture('forced', `cluster/${trained}`, '[data-verdict]', ['dark']);
  await page.emulateMedia({ forcedColors: 'none' });
});
