// Every view, with what a cluster of real life has sent, in both themes and with more contrast: nothing serious for those who do not see
// it, or not well. And nothing moves for those whom motion makes ill.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accessible } from './support/axe.mjs';
import { sharedVisit } from './support/visit.mjs';

let visitor;
sharedVisit({ args: ['--demo'], met: (there) => ({ visitor } = there) });

const tabs = ['groups', 'graph', 'computations', 'exceptions', 'workers', 'activity', 'profile', 'cost', 'events', 'facts'];
// Each with what is there once it is drawn.
const views = [
  ['overview', 'table tbody tr'],
  ['clusters', 'table tbody tr'],
  ['exceptions', 'article'],
  ['connect', 'pre, code'],
  ['costs', 'tfoot'],
  ['prices', '.rate'],
  ['profile', 'canvas'],
  ['compare?a=1&b=2', '#waterfall'],
  ['settings/appearance', '#setting-contrast'],
  ['sql', 'textarea, [contenteditable]'],
  ['ledger', 'h1'],
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

/** As the system asks for it, and as the settings do. */
const contrasts = {
  'as the system asks': () => visitor.page.emulateMedia({ contrast: 'more' }),
  'as the settings say': () => visitor.page.evaluate(() => (document.documentElement.dataset.contrast = 'high')),
};

for (const [who, more] of Object.entries(contrasts)) {
  for (const theme of ['light', 'dark']) {
    test(`more contrast ${who}, ${theme}`, async () => {
      await visitor.page.emulateMedia({ colorScheme: theme, contrast: 'no-preference' });
      await visitor.go('overview', 'table tbody tr');
      await more();
      const ink = () => visitor.page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue('--ink-2'));
      for (const [view, drawn] of views) {
        await visitor.go(view, drawn);
        await accessible(visitor.page, ['color-contrast']);
      }
      // It was there until the end.
      const asked = await ink();
      await visitor.page.emulateMedia({ contrast: 'no-preference' });
      await visitor.page.evaluate(() => delete document.documentElement.dataset.contrast);
      assert.notEqual(asked, await ink());
      visitor.quiet();
    });
  }
}

test('text that is too pale is seen', async () => {
  await visitor.go('overview', 'table tbody tr');
  await visitor.page.evaluate(() => document.querySelector('h1').style.setProperty('color', '#8884'));
  await assert.rejects(accessible(visitor.page, ['color-contrast']), /color-contrast/);
  await visitor.page.reload();
});

test('nothing moves for those who ask for that', async () => {
  const { page } = visitor;
  /** What moves by itself, or when it changes. */
  const moving = () =>
    page.evaluate(() =>
      [...document.querySelectorAll('*')].filter((element) =>
        [undefined, '::before', '::after'].some((part) => {
          const { animationName, transitionProperty, transitionDuration } = getComputedStyle(element, part);
          return animationName !== 'none' || (transitionProperty !== 'none' && transitionDuration.split(',').some((time) => parseFloat(time) > 0));
        }),
      ).length,
    );
  await page.emulateMedia({ reducedMotion: 'no-preference' });
  await visitor.go('clusters', 'table tbody tr');
  assert.ok((await moving()) > 0, 'without asking, something does');
  await page.emulateMedia({ reducedMotion: 'reduce' });
  for (const [view, drawn] of views) {
    await visitor.go(view, drawn);
    assert.deepEqual([view, await moving()], [view, 0]);
  }
  await page.keyboard.press('Control+k');
  await page.waitForSelector('dialog[open]');
  assert.deepEqual([await moving(), await page.evaluate(() => document.getAnimations().length)], [0, 0]);
  await page.keyboard.press('Escape');
  await page.emulateMedia({ reducedMotion: 'no-preference' });
  visitor.quiet();
});
