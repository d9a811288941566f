// Comparisons and baselines in pictures, for people to look at: little, much and nothing, both themes, narrow, and large text.

import { test } from 'node:test';
import { edited, night, nights } from './support/nights.mjs';
import { sharedVisit } from './support/visit.mjs';

const now = () => Date.now() * 1000;
const slow = { shuffle: 2, transfer: 3, lost: 1, pandas: '3.1.0' };

let visitor, page;
sharedVisit({
  tell: async (bobbin) => {
    for (const batch of nights(14, now(), slow)) await bobbin.post(batch);
    const others = [
      night('wide', now() - 9e9, { name: 'nightly-etl-with-everything', prefixes: 60, idle: 3000 }),
      night('wider', now() - 5e9, { name: 'nightly-etl-with-everything', prefixes: 70, tasks: 3, shuffle: 1.7, idle: 3030, workers: 6, code: edited, line: 10, erred: 3 }),
      night('alone', now() - 3e9, { name: 'first-of-its-kind', code: null, prefixes: 5 }),
    ];
    for (const batch of others) await bobbin.post(batch);
  },
  met: (there) => ({ visitor, page } = there),
});

async function picture(name, address, wait, themes = ['light', 'dark']) {
  await visitor.go(address, wait);
  await visitor.settled();
  await page.evaluate(() => scrollTo(0, 0));
  await page.mouse.move(2, 2);
  for (const theme of themes) await visitor.shot(`compare-${name}-${theme}`, theme, { fullPage: true });
}

test('a night beside its history, and runs that are not alike', async () => {
  await picture('history', 'compare?a=baseline&b=15', '#waterfall');
  await picture('unlike', 'compare?a=16&b=17', '#waterfall');
  await picture('per-task', 'compare?a=16&b=17&per=task', '#waterfall', ['light']);
  await picture('same', 'compare?a=3&b=3', '#waterfall', ['light']);
  await picture('none', 'compare', '.notice');
  await picture('no-history', 'compare?a=baseline&b=18', '.notice', ['light']);
  await picture('versus', 'cluster/15?tab=computations', 'article .versus');
  await picture('versus-first', 'cluster/18?tab=computations', '.versus', ['light']);
  await page.keyboard.press('t');
  await picture('tables', 'compare?a=16&b=17', '#waterfall', ['light']);
  await page.keyboard.press('t');
});

test('a narrow window, and text of twice the size', async () => {
  await page.setViewportSize({ width: 560, height: 900 });
  await picture('narrow', 'compare?a=baseline&b=15', '#waterfall', ['light']);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.addInitScript(() => document.addEventListener('DOMContentLoaded', () => document.documentElement.style.setProperty('font-size', '200%')));
  await page.reload();
  await picture('large-text', 'compare?a=baseline&b=15', '#waterfall', ['light']);
});
