// Every view, with what a cluster of real life has sent, in both themes: nothing serious for those who do not see it, or not well.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { accessible } from './support/axe.mjs';
import { Bobbin } from './support/bobbin.mjs';
import { launch, Visitor } from './support/browser.mjs';

let browser, bobbin, visitor;

before(async () => {
  browser = await launch();
  bobbin = await Bobbin.start('--demo');
  visitor = await Visitor.enter(browser, bobbin);
});

after(async () => {
  await visitor?.context.close();
  await bobbin?.remove();
  await browser?.close();
});

const tabs = ['groups', 'graph', 'computations', 'exceptions', 'workers', 'activity', 'profile', 'events', 'facts'];
// Each with what is there once it is drawn.
const views = [
  ['overview', 'table tbody tr'],
  ['clusters', 'table tbody tr'],
  ['exceptions', 'article'],
  ['connect', 'pre, code'],
  ...tabs.map((tab) => [`cluster/1?tab=${tab}`, `#tabpanel[aria-labelledby=tab-${tab}] > *`]),
];

test('what is wrong is seen', async () => {
  await visitor.go('overview');
  await visitor.page.evaluate(() => document.querySelector('main').append(document.createElement('button')));
  await assert.rejects(accessible(visitor.page), /button-name/);
  await visitor.page.reload();
});

for (const theme of ['light', 'dark']) {
  for (const [view, drawn] of views) {
    test(`${view}, ${theme}`, async () => {
      await visitor.page.emulateMedia({ colorScheme: theme });
      await visitor.go(view, drawn);
      await accessible(visitor.page);
      visitor.quiet();
    });
  }
}
