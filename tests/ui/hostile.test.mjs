// 120 polyglots in every text that a cluster can send, through the real receiver, drawn by every view: all of it stays text.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Bobbin } from './support/bobbin.mjs';
import { launch, until, Visitor } from './support/browser.mjs';
import { polyglots } from './support/polyglots.mjs';
import { Story } from './support/story.mjs';

const second = 1_000_000;
const at = (i) => polyglots[((i % polyglots.length) + polyglots.length) % polyglots.length];

let browser, bobbin, visitor, page;

before(async () => {
  assert.equal(polyglots.length, 120);
  browser = await launch();
  bobbin = await Bobbin.start();
  const now = Date.now() * 1000;
  for (let i = 0; i < polyglots.length; i++) {
    const story = new Story(`c${i}`, { name: at(i), user: at(i + 1), host: at(i + 2), project: at(i + 3), tags: { [at(i + 4)]: at(i + 5) }, started: now - (200 + i) * second });
    const about = {
      ...story.cluster(),
      cluster_class: at(i + 6),
      scheduler_address: at(i + 7),
      dashboard_url: at(i + 8),
      python_version: at(i + 9),
      python_path: at(i + 10),
      os: at(i + 11),
      architecture: at(i + 12),
      versions: { [at(i + 13)]: at(i + 14) },
    };
    about.switches.events_allow = [at(i + 15)];
    const records = [about, story.sample(now - 100 * second, { tasks: { [at(i + 16)]: 3 } }), story.exception(now, `e${i}`, exception(i))];
    if (i % 2) records.push(story.stop(now, at(i + 17)));
    await bobbin.post(story.batch(records));
  }
  await bobbin.post(everything(now));
  visitor = await Visitor.enter(browser, bobbin);
  page = visitor.page;
});

after(async () => {
  await visitor?.context.close();
  await bobbin?.remove();
  await browser?.close();
});

const exception = (i) => ({
  exception_type: at(i),
  message: at(i + 1),
  traceback: `${at(i + 2)}\n${at(i + 3)}`,
  group: at(i + 4),
  worker: at(i + 5),
});

/** One cluster with as many groups, computations, exceptions and events as there are polyglots. */
function everything(now) {
  const story = new Story('everything', { name: 'everything', started: now - 500 * second, interval: 120 * second });
  const about = story.cluster();
  about.switches.events_allow = ['*'];
  const records = [about, story.sample(now, { tasks: { processing: 1 } })];
  polyglots.forEach((text, i) => {
    records.push(
      { ...story.group(now, `g${i}`, { states: { memory: 1, [at(i + 1)]: 2 }, seconds: { compute: 120 - i }, needs: [`g${(i + 1) % 120}`] }), name: text, prefix: at(i + (i % 2)), types: [at(i + 2)] },
      story.computation(now, `c${i}`, { start: now - i * second, groups: [`g${i}`], states: {}, code: [{ code: `${text}\n${at(i + 1)}`, filename: at(i + 2), line_relative: 0, line: 1 }] }),
      story.exception(now, `x${i}`, exception(i)),
      { kind: 'event', at_micros: now - i, topic: at(i + 3), payload: { [at(i + 4)]: at(i + 5) } },
    );
  });
  return story.batch(records);
}

/** Nothing ran, nothing became an element, and no view lost its footing. */
async function unharmed(where) {
  const found = await page.evaluate(() => ({
    canary: 'canary' in window,
    title: document.title,
    // The page's own picture is the logo; its own scripts and styles are the build's.
    odd: [...document.querySelectorAll('iframe,object,embed,form,base,template,math,video,details,main img,main script,main style,main link,main meta,animate')].map((e) => e.outerHTML),
    handlers: [...document.querySelectorAll('*')].flatMap((e) => e.getAttributeNames().filter((name) => name.startsWith('on'))),
    links: [...document.querySelectorAll('[href],[src]')].map((e) => (e.getAttribute('href') ?? e.getAttribute('src')).replace(location.origin, '')).filter((url) => !/^(#\/1\/|\.?\/assets\/)/.test(url)),
    fault: document.querySelector('#fault')?.textContent ?? null,
    invisible: document.body.innerText.match(/.{0,30}[\u202a-\u202e\u2066-\u2069\u200b\u0000-\u0008].{0,30}/)?.[0] ?? null,
  }));
  assert.equal(found.canary, false, where);
  assert.match(found.title, /– Bobbin$/, where);
  assert.deepEqual({ odd: found.odd, handlers: found.handlers, links: found.links, fault: found.fault, invisible: found.invisible }, { odd: [], handlers: [], links: [], fault: null, invisible: null }, where);
}

test('lists', async () => {
  await visitor.go('overview', '.heat');
  await unharmed('overview');
  await page.keyboard.press('t');
  await page.waitForSelector('.rows table');
  await unharmed('overview as a table');
  await page.keyboard.press('t');
  for (const button of await page.locator('.labels button').all()) await button.click();
  await unharmed('overview, chosen');
  await visitor.go('clusters', 'tbody a');
  for (let i = 0; i < 5; i++) {
    await page.locator('.scroll').evaluate((box, share) => box.scrollTo(0, box.scrollHeight * share), i / 4);
    await page.waitForTimeout(80);
    await unharmed('clusters');
  }
  await visitor.go('exceptions', 'article');
  await page.getByRole('button', { name: 'more' }).click();
  await until(async () => (await page.locator('article').count()) > 150);
  await unharmed('exceptions');
});

test('every cluster’s head and facts', async () => {
  const { rows } = await visitor.ask('clusters', { limit: 1000 });
  assert.equal(rows.length, 121);
  for (const { id } of rows) {
    await visitor.go(`cluster/${id}?tab=facts`, '.cards');
    await unharmed(`cluster ${id}`);
  }
});

test('one cluster with everything', async () => {
  const { rows } = await visitor.ask('clusters', { text: 'everything' });
  const id = rows[0].id;
  await visitor.go(`cluster/${id}`, '.box');
  for (let i = 0; i < 5; i++) {
    await page.locator('.scroll').evaluate((box, share) => box.scrollTo(0, box.scrollHeight * share), i / 4);
    await page.waitForTimeout(80);
    await page.locator('.pick').last().click();
    await unharmed('groups');
  }
  for (const [tab, wait] of [['computations', 'article'], ['exceptions', 'article'], ['events', 'tbody td']]) {
    await visitor.go(`cluster/${id}?tab=${tab}`, wait);
    for (let more = 0; more < 6; more++) {
      const button = page.getByRole('button', { name: /^Show \d+ more$/ });
      if ((await button.count()) === 0) break;
      const before = await page.locator(wait).count();
      await button.click();
      await until(async () => (await page.locator(wait).count()) > before);
    }
    assert.ok((await page.locator(wait).count()) >= 120, tab);
    await page.locator('article .head[aria-expanded=false]').evaluateAll((heads) => heads.forEach((head) => head.click()));
    await unharmed(tab);
  }
  await visitor.go(`nowhere/${encodeURIComponent(at(0))}`);
  await unharmed('an address');
});

test('nothing was complained about, and nothing was asked of anyone else', () => visitor.quiet());
