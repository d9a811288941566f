// Every view by Tab alone: each thing that can be used is reached, is seen when it is, has a name, and lets go again.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from './support/browser.mjs';
import { stacks } from './support/profiles.mjs';
import { past, Story } from './support/story.mjs';
import { training } from './support/training.mjs';
import { sharedVisit } from './support/visit.mjs';

const now = () => Date.now() * 1000;

let visitor, page, id, profiled;
sharedVisit({
  tell: async (bobbin) => {
    await bobbin.post(past('past', { name: 'past' }, { at: now() - 86_400e6, seconds: 300, busy: 0.5, tasks: 40, erred: 2 }));
    for (const batch of training(now()).batches) await bobbin.post(batch);
    for (const key of ['profiled-1', 'profiled-2']) {
      const story = new Story(key, { interval: 120e6, switches: { profile: true } });
      await bobbin.post(story.batch([story.cluster(), stacks(story, now(), 'merge', { seed: key.length, skew: key.endsWith('2') ? 0.5 : 0 })]));
    }
  },
  met: async (there) => {
    ({ visitor, page } = there);
    page.setDefaultTimeout(10_000);
    id = (await visitor.ask('clusters', { text: 'train-model' })).rows[0].id;
    profiled = await Promise.all(['profiled-1', 'profiled-2'].map(async (text) => (await visitor.ask('clusters', { text })).rows[0].id));
  },
});

/** Numbers what can be tabbed to: visible, and not taken out of the order. Of radios of one name, one is. */
function count() {
  const all = [...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex]')];
  const groups = new Set();
  const there = all.filter((element) => {
    if (element.tabIndex < 0 || element.disabled || !element.checkVisibility({ visibilityProperty: true })) return false;
    if (element.type !== 'radio') return true;
    if (groups.has(element.name)) return false;
    const chosen = document.querySelector(`input[type=radio][name="${CSS.escape(element.name)}"]:checked`);
    groups.add(element.name);
    return chosen === null || chosen === element || !chosen.checkVisibility();
  });
  there.forEach((element, i) => (element.dataset.stop = String(i)));
  return there.map((element) => `${element.closest('main') === null ? '' : 'main '}${element.tagName.toLowerCase()} “${(element.getAttribute('aria-label') ?? element.innerText ?? '').trim().slice(0, 40)}”`);
}

/** What has the focus: its number, whether that can be seen, and what it is called. */
function focused() {
  const element = document.activeElement;
  if (element === null || element === document.body) return null;
  const ringed = (one) => {
    const style = getComputedStyle(one);
    return (style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0) || style.boxShadow !== 'none';
  };
  // What is drawn has its ring on one of its shapes: it looks different without the focus.
  const drawn = () => [...element.querySelectorAll('*')].map((one) => getComputedStyle(one)).map(({ stroke, strokeWidth }) => stroke + strokeWidth).join();
  const differs = () => {
    const before = drawn();
    element.blur();
    const without = drawn();
    element.focus({ preventScroll: true });
    return before !== without;
  };
  // A box around a text field may wear its ring.
  const seen = (element instanceof SVGElement && differs()) || ringed(element) || (element.parentElement !== null && ringed(element.parentElement)) || (element.closest('label') !== null && ringed(element.closest('label')));
  const box = element.getBoundingClientRect();
  const inView = box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth;
  const labels = [...(element.labels ?? [])].map((label) => label.innerText).join(' ');
  const name = [element.getAttribute('aria-label'), element.getAttribute('aria-labelledby') && 'labelled', labels, element.innerText, element.title].find((text) => (text ?? '').trim() !== '');
  return { stop: element.dataset.stop === undefined ? null : Number(element.dataset.stop), seen, inView, name: name ?? '', what: element.outerHTML.slice(0, 160) };
}

/** `least`: so many stops are in the view itself, or it was not there when they were counted. */
async function walk(least) {
  const stops = await page.evaluate(count);
  const own = stops.filter((stop) => stop.startsWith('main ')).length;
  assert.ok(own >= least, `${own} stops of ${least}: ${stops.join(', ')}`);
  await page.evaluate(() => {
    document.activeElement?.blur();
    getSelection().removeAllRanges();
    scrollTo(0, 0);
  });
  await page.mouse.click(1, 1);
  const met = new Set();
  for (let i = 0; i < stops.length + 20; i++) {
    await page.keyboard.press('Tab');
    const at = await page.evaluate(focused);
    if (at === null) {
      if (met.size > 0) break;
      continue;
    }
    if (at.stop !== null && met.has(at.stop) && met.size >= stops.length) break;
    assert.ok(at.seen, `nothing shows that it has the focus: ${at.what}`);
    assert.ok(at.inView, `it has the focus and is out of sight: ${at.what}`);
    assert.ok(at.name.trim() !== '', `it has no name: ${at.what}`);
    if (at.stop !== null) met.add(at.stop);
  }
  assert.deepEqual(
    stops.filter((_, i) => !met.has(i)),
    [],
    'never reached',
  );
}

/** Where, what is there once it is drawn, and how many stops it has at least. */
const views = () => {
  const of = (tab, more = '') => `cluster/${id}?tab=${tab}${more}`;
  const profile = (as) => `cluster/${profiled[1]}?tab=profile&f-as=${as}`;
  return [
    ['overview', '.heat', 20],
    ['overview?form=calendar', '.heat', 10],
    ['overview?form=week', '.heat', 10],
    ['clusters', 'tbody a', 10],
    ['exceptions', 'article', 2],
    ['prices', '#book-title', 3],
    ['costs', 'tfoot', 5],
    ['connect', 'li.panel', 3],
    [of('groups'), '.box .pick', 20],
    [of('graph'), '.node', 20],
    [of('computations'), 'article', 20],
    [of('exceptions'), 'article', 20],
    [of('workers'), '.box .pick', 20],
    [of('activity'), '.notice, .sum', 20],
    [of('profile'), '.notice', 20],
    [of('cost'), '[data-cost]', 20],
    [of('events'), '.events td', 20],
    [of('facts'), '.cards', 20],
    [of('groups', '&charts=hardware'), '.plot', 20],
    [of('groups', '&charts=prefixes'), 'svg[role=application]', 20],
    [profile('flame'), 'canvas', 20],
    [profile('sandwich'), '.middle p', 15],
    [profile('table'), '.box tbody tr', 20],
    [`${profile('difference')}&f-against=ids%3D${profiled[0]}`, '.rows tbody tr', 20],
    [`profile?ids=${profiled}`, '.from', 10],
    [`compare?a=${profiled[0]}&b=${id}`, '#waterfall', 10],
    ['review', 'ul input[type=checkbox]', 6],
    ['ledger', '[data-connections]', 2],
    ['sql', 'textarea', 10],
    ['settings/receiver', '#setting-file', 12],
    ['settings/storage', 'form', 12],
    ['settings/privacy', '#setting-forgotten', 12],
    ['settings/appearance', '#setting-tables', 12],
    ['nowhere', 'main .page', 1],
  ];
};

test('every view is walked from end to end', async (t) => {
  for (const [view, drawn, least] of views())
    await t.test(view.replace(/\d+/g, 'N'), async () => {
      await visitor.go(view, drawn);
      await visitor.settled();
      await walk(least);
      // What has keys of its own has them in the list that the question mark shows.
      assert.deepEqual(await page.locator('[role=application]').evaluateAll((all) => all.filter((one) => one.closest('[data-keys]') === null).map((one) => one.ariaLabel)), []);
    });
  visitor.quiet();
});

test('tables in place of charts are walked, too', async (t) => {
  await visitor.go('overview', '.heat');
  await page.keyboard.press('t');
  for (const [view, drawn] of [['overview', '.rows table'], [`cluster/${id}?tab=groups`, 'figure table'], [`cluster/${id}?tab=graph`, '[aria-label="Outline of the graph"]']])
    await t.test(view.replace(/\d+/g, 'N'), async () => {
      await visitor.go(view, drawn);
      await visitor.settled();
      await walk(20);
    });
  await page.keyboard.press('t');
  visitor.quiet();
});

test('the lists of a cluster are changed by arrows, and the focus goes with them', async () => {
  await visitor.go(`cluster/${id}`, '[role="tab"]');
  await page.getByRole('tab', { name: 'Task groups' }).focus();
  const labels = await page.getByRole('tab').allInnerTexts();
  for (let i = 1; i < labels.length; i++) {
    await page.keyboard.press('ArrowRight');
    const at = await page.evaluate(() => [document.activeElement.innerText, document.activeElement.getAttribute('aria-selected')]);
    assert.deepEqual(at, [labels[i], 'true']);
  }
  visitor.quiet();
});

test('a dialog keeps the focus while it is open, and gives it back', async () => {
  await visitor.go(`cluster/${id}`, '[role="tab"]');
  const tab = page.getByRole('tab', { name: 'Task groups' });
  await tab.focus();
  await page.keyboard.press('?');
  await page.getByRole('heading', { name: 'Lists of a cluster – current panel' }).waitFor();
  const within = () => page.evaluate(() => (document.activeElement === document.body ? 'browser' : document.activeElement.closest('dialog') === null ? 'page' : 'dialog'));
  const places = [await within()];
  for (let i = 0; i < 6; i++) {
    await page.keyboard.press('Tab');
    places.push(await within());
  }
  // From its last stop the browser takes the focus once, and gives it back to the dialog.
  assert.equal(places[0], 'dialog');
  assert.ok(!places.includes('page') && !/browser,browser/.test(places.join()), places.join());
  await page.keyboard.press('Escape');
  await page.locator('dialog').waitFor({ state: 'detached' });
  assert.ok(await tab.evaluate((element) => element === document.activeElement));
});

test('a key means nothing to what is behind a dialog or a choice', async () => {
  await visitor.go('overview', '.heat');
  await page.locator('.labels button').first().click();
  const chosen = () => page.locator('.labels button[aria-pressed=true], .heat [aria-selected=true]').count();
  await until(async () => (await chosen()) > 0);
  const address = await page.evaluate(() => location.hash);
  const still = async () => assert.equal(await page.evaluate(() => location.hash), address);
  await page.keyboard.press('?');
  await page.getByRole('heading', { name: 'Keyboard shortcuts' }).waitFor();
  await page.keyboard.press('t');
  assert.equal(await page.locator('.heat').count(), 1);
  await page.keyboard.press('Escape');
  await page.locator('dialog').waitFor({ state: 'detached' });
  await still();
  // The key that opens them closes them.
  await page.keyboard.press('?');
  await page.getByRole('heading', { name: 'Keyboard shortcuts' }).waitFor();
  await page.keyboard.press('?');
  await page.locator('dialog').waitFor({ state: 'detached' });
  await page.getByLabel('Measure').focus();
  await page.keyboard.press('Escape');
  await still();
  await page.getByRole('heading', { name: 'Overview' }).click();
  await page.keyboard.press('Escape');
  await until(async () => (await chosen()) === 0);
  visitor.quiet();
});

test('what a comparison shows is in its address, and the keys of it are not for a dialog', async () => {
  const address = `compare?a=${profiled[0]}&b=${id}`;
  await visitor.go(`${address}&show=all`, '#waterfall');
  const only = page.getByRole('button', { name: 'Differences only' });
  assert.equal(await only.getAttribute('aria-pressed'), 'false');
  await page.keyboard.press('?');
  await page.getByRole('heading', { name: 'Keyboard shortcuts' }).waitFor();
  await page.keyboard.press('d');
  await page.keyboard.press('x');
  await page.keyboard.press('Escape');
  await page.locator('dialog').waitFor({ state: 'detached' });
  assert.equal(await page.evaluate(() => location.hash), `#/1/${address}&show=all`);
  await page.keyboard.press('d');
  await until(async () => (await only.getAttribute('aria-pressed')) === 'true');
  assert.equal(await page.evaluate(() => location.hash), `#/1/${address}&show=differences`);
  // The reader's last choice is how the next one begins; an address that says otherwise goes first.
  await page.keyboard.press('d');
  await visitor.go(address, '#waterfall');
  assert.equal(await only.getAttribute('aria-pressed'), 'false');
  await visitor.go(`${address}&show=differences`, '#waterfall');
  await until(async () => (await only.getAttribute('aria-pressed')) === 'true');
  visitor.quiet();
});
