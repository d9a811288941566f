// Flame graphs in both themes, with much, little and nothing to show, wide and narrow, and with large text: pictures in
// target/screenshots, for people to look at.

import { test } from 'node:test';
import { stacks } from './support/profiles.mjs';
import { Story } from './support/story.mjs';
import { sharedVisit } from './support/visit.mjs';

const now = Date.now() * 1000;
const second = 1_000_000;
let visitor, page;
const ids = {};

function story(key, user, more = {}) {
  const made = new Story(key, { name: key, user, started: now - 600 * second, interval: 120 * second, switches: { profile: true } });
  const group = (id, prefix) => made.group(now, id, { prefix, states: { memory: 30, released: 10 }, seconds: { compute: 60 } });
  const records = [made.cluster(), made.sample(now - 60 * second, { totals: { compute: 100, thread_seconds: 300, tasks_completed: 40 } }), group('g1', 'merge-views'), group('g2', 'score')];
  return { made, records, more };
}

sharedVisit({
  tell: async (bobbin) => {
    for (const { made, records, more } of [story('nightly 2026-11-20', 'ana'), story('nightly 2026-11-21', 'bo', { skew: 0.5 })])
      await bobbin.post(made.batch([...records, ...[3, 4].map((seed) => stacks(made, now - (100 - 10 * seed) * second, 'merge-views', { seed, ...more })), stacks(made, now - 60 * second, 'score', { seed: 5, ...more })]));
    const little = story('one-function', 'ana');
    await bobbin.post(little.made.batch([...little.records, little.made.profile(now, 'score', [['score', '/home/ana/score.py', 3, 'return x', 7]])]));
    const none = story('no-sample', 'ana');
    await bobbin.post(none.made.batch(none.records));
  },
  options: { viewport: { width: 1280, height: 900 } },
  met: async (there) => {
    ({ visitor, page } = there);
    for (const row of (await visitor.ask('clusters')).rows) ids[row.name] = row.id;
  },
});

/** The panel alone: the rest of the page is other pictures'. */
async function picture(name, address, wait, themes = ['light', 'dark']) {
  await visitor.go(address, wait);
  await visitor.settled();
  await page.mouse.move(2, 2);
  for (const theme of themes) {
    await page.emulateMedia({ colorScheme: theme });
    await page.waitForTimeout(150);
    await visitor.shot(`${name.replace('%', theme)}`, theme, { fullPage: true });
  }
}

test('every view with much, little and nothing, and without a complaint', async () => {
  const [before, later] = [ids['nightly 2026-11-20'], ids['nightly 2026-11-21']];
  const tab = `cluster/${before}?tab=profile`;
  const much = [
    ['flame', tab, 'canvas'],
    ['flame-search', `${tab}&text=mod:pandas`, '.found'],
    ['flame-runs', `${tab}&f-runs=one&f-order=left_heavy`, 'canvas'],
    ['flame-sandwich', `${tab}&f-as=sandwich`, '.middle p'],
    ['flame-table', `${tab}&f-as=table`, '.box tbody tr'],
    ['flame-difference', `cluster/${later}?tab=profile&f-as=difference&f-against=ids%3D${before}`, '.rows tbody tr'],
    ['flame-merged', 'profile?text=nightly', '.from'],
  ];
  for (const [name, address, wait] of much) await picture(`${name}-%-much`, address, wait);
  await picture('flame-%-little', `cluster/${ids['one-function']}?tab=profile`, 'canvas');
  await picture('flame-%-none', `cluster/${ids['no-sample']}?tab=profile`, '.profile .notice');
  await picture('flame-difference-%-none', `${tab}&f-as=difference`, '.difference .notice', ['light']);
  await picture('flame-merged-%-none', 'profile?text=nobody', '.notice', ['light']);
  await page.emulateMedia({ colorScheme: 'light' });
  await visitor.go(tab, 'canvas');
  await page.locator('.flame canvas').scrollIntoViewIfNeeded();
  const box = await page.locator('.flame canvas').boundingBox();
  await page.mouse.move(box.x + box.width * 0.45, box.y + 95);
  await page.getByRole('tooltip').waitFor();
  await page.waitForTimeout(300);
  await visitor.shot('flame-card-light-much', 'light');
  await page.mouse.click(box.x + box.width * 0.45, box.y + 95, { button: 'right' });
  await page.getByRole('menu').waitFor();
  await visitor.shot('flame-menu-light-much', 'light');
  await page.keyboard.press('Escape');
  await page.setViewportSize({ width: 640, height: 900 });
  for (const [name, address, wait] of much) await picture(`${name}-%-much-640`, address, wait, ['light']);
  visitor.quiet();
});

test('with text twice as large', async () => {
  const before = ids['nightly 2026-11-20'];
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.addInitScript(() => addEventListener('DOMContentLoaded', () => document.documentElement.style.setProperty('font-size', '200%')));
  await page.reload();
  for (const [name, address, wait] of [
    ['flame', `cluster/${before}?tab=profile&text=merge`, '.found'],
    ['flame-sandwich', `cluster/${before}?tab=profile&f-as=sandwich`, '.middle p'],
    ['flame-table', `cluster/${before}?tab=profile&f-as=table`, '.box tbody tr'],
    ['flame-difference', `cluster/${ids['nightly 2026-11-21']}?tab=profile&f-as=difference&f-against=ids%3D${before}`, '.rows tbody tr'],
    ['flame-merged', 'profile?text=nightly', '.from'],
  ])
    await picture(`${name}-%-large-text`, address, wait, ['dark']);
  visitor.quiet();
});
