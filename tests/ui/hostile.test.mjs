// 120 polyglots in every text that a cluster can send, through the real receiver, drawn by every view: all of it stays text.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from './support/browser.mjs';
import { polyglots } from './support/polyglots.mjs';
import { Story } from './support/story.mjs';
import { sharedVisit } from './support/visit.mjs';

const second = 1_000_000;
const at = (i) => polyglots[((i % polyglots.length) + polyglots.length) % polyglots.length];

let visitor, page;
/** Reads that a busy machine did not end in time: not the doing of any text. */
let interrupted = 0;

sharedVisit({
  tell: async (bobbin) => {
    assert.equal(polyglots.length, 120);
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
        host_versions: { [at(i + 18)]: at(i + 19) },
        mismatches: [{ package: at(i + 20), where: 'worker', version: at(i + 21), count: 2 }],
        unavailable: [at(i + 22)],
        plugin_version: at(i + 23),
      };
      about.switches.events_allow = [at(i + 15)];
      const records = [about, story.sample(now - 100 * second, { tasks: { [at(i + 16)]: 3 } }), story.exception(now, `e${i}`, exception(i))];
      if (i % 2) records.push(story.stop(now, at(i + 17)));
      await bobbin.post(story.batch(records));
    }
    await bobbin.post(everything(now));
  },
  met: (there) => {
    ({ visitor, page } = there);
    page.on('response', async (response) => {
      if (response.status() === 500 && (await response.text()).includes('SQLite: interrupted')) interrupted += 1;
    });
  },
});

const exception = (i) => ({
  exception_type: at(i),
  message: at(i + 1),
  traceback: `${at(i + 2)}\n${at(i + 3)}`,
  details: `${at(i + 6)}\n${at(i + 7)}`,
  origin: i % 2 ? 'dask' : 'user',
  group: at(i + 4),
  worker: at(i + 5),
});

/** One cluster with as many groups, computations, exceptions and events as there are polyglots. */
function everything(now) {
  const story = new Story('everything', { name: 'everything', started: now - 500 * second, interval: 120 * second });
  const about = story.cluster();
  about.switches.events_allow = ['*'];
  about.switches.profile = true;
  // Lines begin with the second sample.
  const records = [about, story.sample(now - 60 * second, { tasks: { processing: 1 } }), story.sample(now, { tasks: { processing: 1 } })];
  polyglots.forEach((text, i) => {
    records.push(
      { ...story.group(now, `g${i}`, { states: { memory: 1, [at(i + 1)]: 2 }, seconds: { compute: 120 - i }, needs: [`g${(i + 1) % 120}`] }), name: text, prefix: at(i + (i % 2)), types: [at(i + 2)] },
      story.computation(now, `c${i}`, { start: now - i * second, groups: [`g${i}`], states: {}, code: [{ code: `${text}\n${at(i + 1)}`, filename: at(i + 2), line_relative: 0, line: 1 }] }),
      story.exception(now, `x${i}`, exception(i)),
      { kind: 'event', at_micros: now - i, topic: at(i + 3), payload: { [at(i + 4)]: at(i + 5) } },
      story.event(now, at(i + 7), null, i + 1),
      story.worker(now - (i + 1) * second, i, 'joined', { name: text, address: at(i + 1), host: at(i + 2), cause: at(i + 3), resources: { [at(i + 4)]: 1 } }),
      story.worker(now - i, i, i % 3 ? 'left' : 'killed', { name: text, address: at(i + 1), host: at(i + 2), cause: at(i + 3), expected: false }),
      story.metric(now, at(i + 1), text, at(i + 2), i % 4 ? 'seconds' : at(i + 3), 120 - i, `s${i}`),
      story.span(now, `s${i}`, { parent: i % 5 ? `s${i - 1}` : null, name: text, tags: [at(i + 1), text], start: now - i * second }),
      story.profile(now - i, i % 2 ? text : null, [[text, at(i + 1), i, at(i + 2), 10], [at(i + 3), at(i + 4), null, null, 120 - i]], { from: now - i - 1 }),
    );
  });
  return story.batch(records);
}

/** Nothing ran, nothing became an element, and no view lost its footing. */
async function unharmed(where) {
  const found = await page.evaluate(() => ({
    canary: 'canary' in window,
    title: document.title,
    // The page's own picture is the logo, what it folds are findings and what went on meanwhile; its own scripts and styles are the build's.
    odd: [...document.querySelectorAll('iframe,object,embed,form,base,template,math,video,details:not([data-findings],[data-meanwhile]),main img,main script,main style,main link,main meta,animate')].map((e) => e.outerHTML),
    handlers: [...document.querySelectorAll('*')].flatMap((e) => e.getAttributeNames().filter((name) => name.startsWith('on'))),
    links: [...document.querySelectorAll('[href],[src]')].map((e) => (e.getAttribute('href') ?? e.getAttribute('src')).replace(location.origin, '')).filter((url) => !/^(#\/1\/|\.?\/assets\/|https:\/\/(docs|distributed)\.dask\.org\/en\/stable\/)/.test(url)),
    fault: document.querySelector('#fault')?.textContent ?? null,
    invisible: document.body.innerText.match(/.{0,30}[\u202a-\u202e\u2066-\u2069\u200b\u0000-\u0008].{0,30}/)?.[0] ?? null,
  }));
  assert.equal(found.canary, false, where);
  assert.match(found.title, /– Bobbin$/, where);
  assert.deepEqual({ odd: found.odd, handlers: found.handlers, links: found.links, fault: found.fault, invisible: found.invisible }, { odd: [], handlers: [], links: [], fault: null, invisible: null }, where);
}

/** Takes a list to a part of its length: the rows there are drawn, and their contents have come. */
async function scrolled(list, share) {
  await list.evaluate((box, share) => box.scrollTo(0, (box.scrollHeight - box.clientHeight) * share), share);
  await until(() =>
    list.evaluate((box) => {
      const sight = box.getBoundingClientRect();
      const holes = [...box.querySelectorAll('.gap')].map((gap) => gap.getBoundingClientRect()).filter(({ top, bottom }) => bottom > sight.top + 1 && top < sight.bottom - 1);
      return box.querySelectorAll('tbody a, tbody button').length > 0 && holes.length === 0 && ![...box.querySelectorAll('td[colspan]')].some((cell) => cell.textContent === '…');
    }),
  );
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
    await scrolled(page.locator('.scroll'), i / 4);
    await unharmed('clusters');
  }
  await visitor.go('exceptions', 'article');
  await page.getByRole('button', { name: 'more' }).click();
  const { total } = await visitor.ask('exception_kinds', { limit: 1 });
  assert.ok(total >= 120, total);
  // That many take their time on a busy machine.
  await until(async () => (await page.locator('article').count()) === total, 60_000);
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
    await scrolled(page.locator('.scroll'), i / 4);
    await page.locator('.pick').last().click();
    await unharmed('groups');
  }
  for (const [tab, wait] of [['computations', 'article'], ['exceptions', 'article'], ['events', '.events td']]) {
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
  // Views that keep only the rows in sight, or open on a click.
  const walked = async (where) => {
    for (let i = 0; i < 5; i++) {
      await scrolled(page.locator('.box .scroll'), i / 4);
      await unharmed(where);
    }
  };
  await visitor.go(`cluster/${id}?tab=workers`, '.box .pick');
  await walked('workers');
  for (let i = 0; i < 4; i++) {
    await page.locator('.pick').nth(i * 3).click();
    await unharmed('a worker');
  }
  for (const sum of ['prefix', 'span', 'context']) {
    await visitor.go(`cluster/${id}?tab=activity&sum=${sum}`, '.sum');
    if (sum === 'prefix') await page.getByRole('button', { name: 'Show all 120' }).click();
    await until(async () => (await page.locator('.sum').count()) >= 100);
    await unharmed(`activity by ${sum}`);
    await page.locator('.sum').nth(5).click();
    await unharmed('one of it');
  }
  assert.ok((await page.locator('.spans tbody tr').count()) >= 100);
  await visitor.go(`cluster/${id}?tab=profile&f-as=table`, '.box tbody tr');
  await walked('profile');
  const prefixes = page.getByLabel('while running');
  assert.ok((await prefixes.locator('option').count()) > 50);
  await prefixes.selectOption({ index: 7 });
  await unharmed('profile of a prefix');
  await visitor.go(`cluster/${id}?tab=events`, '.topics');
  await page.getByRole('button', { name: /^Show all \d+ topics$/ }).click();
  await unharmed('topics');
  await visitor.go(`cluster/${id}?tab=exceptions`, 'article');
  await page.locator('article .head[aria-expanded=false]').evaluateAll((heads) => heads.forEach((head) => head.click()));
  await page.locator('article .fold[aria-expanded=false]').evaluateAll((folds) => folds.forEach((fold) => fold.click()));
  await until(async () => (await page.locator('.packet').count()) > 90);
  await unharmed('packets');
  await visitor.go(`cluster/${id}`, '.mark');
  const mark = await page.locator('.mark').last().boundingBox();
  await page.mouse.move(mark.x + 3, mark.y + 3);
  await page.waitForSelector('.happened');
  await unharmed('marks');
  await page.mouse.move(5, 5);
  await page.getByRole('button', { name: 'Closing is off' }).click();
  await page.getByRole('dialog').waitFor();
  await unharmed('the dialog');
  await page.keyboard.press('Escape');
  await visitor.go(`nowhere/${encodeURIComponent(at(0))}`);
  await unharmed('an address');
});

test('views of several clusters, and the palette', async () => {
  const { rows } = await visitor.ask('clusters', { limit: 1000 });
  const { id } = rows.find(({ name }) => name === 'everything');
  const other = rows.find((row) => row.id !== id).id;
  const views = [
    [`compare?a=${other}&b=${id}`, '#waterfall'],
    ['profile', '.from'],
    ...['user', 'project', 'host'].map((by) => [`costs?by=${by}`, '[aria-labelledby=whom-title][aria-busy=false]']),
    ['costs?by=project&across=user', '[aria-labelledby=whom-title][aria-busy=false]'],
    [`cluster/${id}?tab=cost`, '#lines-title'],
    [`cluster/${id}?tab=graph`, '.node'],
    [`cluster/${id}?tab=profile&f-as=difference&f-against=ids%3D${other}`, '[aria-label=Profile] .tools'],
    [`cluster/${id}?charts=prefixes`, '[data-totals], figure, .notice'],
  ];
  for (const [view, drawn] of views) {
    await visitor.go(view, drawn);
    // The view before it may have had the same.
    await page.locator(drawn).first().waitFor();
    await unharmed(view);
    await page.keyboard.press('t');
    await unharmed(`${view} as a table`);
    await page.keyboard.press('t');
  }
  await visitor.go(`compare?a=${other}&b=${id}`, '#waterfall');
  for (const key of ['d', 'h', 'x']) {
    await page.keyboard.press(key);
    await page.waitForSelector('#waterfall');
    await unharmed(`compare, ${key}`);
  }
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Search and actions' }).waitFor();
  await page.keyboard.type('script');
  await until(async () => /Searched (all|the newest) /.test(await page.getByRole('dialog').innerText()));
  await unharmed('the palette');
  await page.keyboard.press('Escape');
});

test('nothing was complained about, and nothing was asked of anyone else', () => {
  visitor.complaints = visitor.complaints.filter((text) => !(text.includes('status of 500') && interrupted-- > 0));
  visitor.quiet();
});
