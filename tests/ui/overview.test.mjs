// The overview in a real browser: the five questions and their proof, figures, and everything that the heat-map lets one do.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { accessible } from './support/axe.mjs';
import { Bobbin } from './support/bobbin.mjs';
import { launch, until, Visitor } from './support/browser.mjs';
import { hostile, idle, lost, past, stalled, Story } from './support/story.mjs';

const second = 1_000_000;
const hour = 3600 * second;
const day = 24 * hour;
const zone = 'Europe/Berlin';
const now = () => Date.now() * 1000;

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser?.close());

/** The local day so many days before today, and its moments, by the browser's own calendar. */
function localDay(page, ago) {
  return page.evaluate((ago) => {
    const d = new Date();
    const of = (n) => new Date(d.getFullYear(), d.getMonth(), d.getDate() - n);
    const begin = of(ago);
    const two = (n) => String(n).padStart(2, '0');
    return { name: `${begin.getFullYear()}-${two(begin.getMonth() + 1)}-${two(begin.getDate())}`, from: begin.getTime() * 1000, to: of(ago - 1).getTime() * 1000 };
  }, ago);
}

describe('a month of several people', () => {
  let bobbin, visitor, page, box;
  const people = ['ana', 'bo', 'chidi'];

  before(async () => {
    bobbin = await Bobbin.start();
    const post = (batch) => bobbin.post(batch);
    // Towards noon of each day, by the calendar of those who look: at night it is another day elsewhere.
    const today = new Intl.DateTimeFormat('sv-SE', { timeZone: zone }).format();
    const noon = Date.parse(`${today}T10:00:00Z`) * 1000;
    for (const [p, user] of people.entries())
      for (let ago = 1; ago <= 6; ago++)
        if ((ago + p) % 4 !== 0)
          await post(past(`${user}-${ago}`, { name: `${user}-${ago}`, user, host: `host-${p}`, project: p === 2 ? null : `project-${ago % 2}` }, { at: noon - ago * day, seconds: 600 * (p + 1), busy: ago === 2 ? 0 : 0.5, tasks: 100 * ago, erred: ago === 3 ? 2 : 0 }));
    await post(past('html', { name: hostile.html, user: hostile.bidi, project: hostile.html }, { at: noon - 2 * day, seconds: 60, busy: 0.5, tasks: 10 }));
    for (const story of [lost, idle, stalled]) for (const batch of story(now()).batches) await post(batch);
    visitor = await Visitor.enter(browser, bobbin, { timezoneId: zone, locale: 'de-DE', viewport: { width: 1280, height: 1000 } });
    page = visitor.page;
  });
  after(async () => {
    await visitor?.context.close();
    await bobbin?.remove();
  });

  /** The middle of a cell: row by its label, column from the right. */
  async function cell(label, fromRight) {
    const labels = await page.locator('.labels .row').allInnerTexts();
    const svg = page.locator('svg.cells');
    // Clear of the bar that stays on top.
    await svg.evaluate((element) => element.scrollIntoView({ block: 'center' }));
    box = await svg.boundingBox();
    const wide = box.width / 28;
    return { x: box.x + box.width - wide * (fromRight + 0.5), y: box.y + (labels.indexOf(label) + 0.5) * (box.height / labels.length) };
  }

  async function click(label, fromRight, modifiers = []) {
    const { x, y } = await cell(label, fromRight);
    for (const key of modifiers) await page.keyboard.down(key);
    await page.mouse.click(x, y);
    for (const key of modifiers) await page.keyboard.up(key);
  }

  const pick = () => new URL(page.url().replace('#/', '')).searchParams.get('pick');
  const listed = () => page.locator('section.list tbody tr td:first-child').allInnerTexts();
  const value = (key) => page.locator(`[data-figure=${key}] [data-value]`).innerText();

  async function fresh(address = 'overview?by=user') {
    await page.goto('about:blank');
    await visitor.go(address, 'svg.cells');
    await page.waitForSelector('section.list tbody tr');
    // They stand above the map, which is lower from then on.
    await page.waitForSelector('ul.answers');
  }

  test('the five questions lead to their proof', async () => {
    await fresh('overview');
    const asked = await page.locator('.answers h2').allInnerTexts();
    assert.deepEqual(asked, ['Did my computations finish?', 'Did any exceptions occur?', 'How much did that cost?', 'What is taking most of the time?', 'Why is that cluster still running?']);
    const door = await visitor.ask('overview');
    const said = await page.locator('.answers .answer').allInnerTexts();
    assert.match(said[1], /kinds? of exception, most often/);
    assert.match(said[2], /^≈ .*€$/);
    assert.match(said[4], /is stalled: no task finished for/);
    assert.equal(door.answers.length, 5);
    // Each number has its number's proof behind it.
    for (const [i, wait, address] of [[1, 'article', /exceptions\?text=.+&from=\d{4}-\d\d-\d\d$/], [2, '#whom-title', /#\/1\/costs/], [3, '.said', /cluster\/\d+\?text=/], [4, '.said', /cluster\/\d+$/]]) {
      await fresh('overview');
      await page.locator('.answers li').nth(i).getByRole('link').click();
      await page.waitForSelector(wait);
      await page.waitForURL(address);
    }
  });

  test('figures are the door’s, with what changed and since when', async () => {
    await fresh('overview?days=7');
    const from = (await localDay(page, 6)).from;
    const { period, before } = await visitor.ask('overview', { from_micros: from, to_micros: (await localDay(page, 0)).to });
    assert.equal(await value('tasks_completed'), period.tasks_completed.toLocaleString('en-GB'));
    assert.equal(await value('clusters'), String(period.clusters));
    assert.equal(before.clusters, 0);
    assert.match(await page.locator('[data-before]').innerText(), /^Nothing was reported in the period before, /);
    assert.equal(await page.locator('.change span').count(), 0);
    const { parts } = period;
    assert.equal(Object.values(parts).reduce((a, b) => a + b), Math.round(period.thread_seconds * 1e6));
    await page.getByText('Efficiency').first().hover();
    assert.match(await page.getByRole('tooltip').innerText(), /Compute time ÷ \(threads × up-time\)/);
    // What burns is on the strip: in all, and each.
    await page.getByText(/≈ .*€ an hour/).first().waitFor();
  });

  test('a cluster that is pointed at is outlined in the map', async () => {
    await fresh();
    const row = page.locator('section.list tbody tr', { hasText: 'ana-1' }).first();
    await row.hover();
    await page.locator('svg.cells .stays').waitFor();
    await page.mouse.move(2, 2);
    await page.locator('svg.cells .stays').waitFor({ state: 'detached' });
    await row.getByRole('link').focus();
    await page.locator('svg.cells .stays').waitFor();
  });

  test('each figure leads to the clusters behind it', async () => {
    await fresh('overview?days=7');
    const clusters = Number(await value('clusters'));
    await page.locator('[data-figure=compute_seconds]').getByRole('link', { name: /Compute time: show the clusters behind it/ }).click();
    await page.waitForURL(/clusters\?.*order=compute_seconds/);
    await page.locator('tbody a').first().waitFor();
    const { from, to } = { from: (await localDay(page, 6)).from, to: (await localDay(page, 0)).to };
    assert.equal((await visitor.ask('clusters', { from_micros: from, to_micros: to })).total, clusters);
    await page.goBack();
    await page.locator('[data-figure=idle_cost]').getByRole('link').click();
    await page.waitForURL(/order=efficiency&direction=ascending/);
    // Of what is chosen the clusters are below.
    await fresh();
    await click('ana', 1);
    await until(async () => (await listed()).join() === 'ana-1');
    const there = page.url();
    await page.locator('[data-figure=tasks_completed]').getByRole('button').click();
    await until(() => page.locator('#list-title').evaluate((title) => title.getBoundingClientRect().top < innerHeight));
    assert.equal(page.url(), there);
  });

  test('a cell, a rectangle, more of it, single cells, and nothing again: list, figures and address follow', async () => {
    await fresh();
    const whole = (await listed()).length;
    const [all, three, one] = [await value('clusters'), await localDay(page, 3), await localDay(page, 1)];
    await click('ana', 1);
    await until(() => pick() === `=ana@${one.name}`);
    await until(async () => (await listed()).join() === 'ana-1');
    await until(async () => (await value('clusters')) === '1');
    assert.ok(Number(await page.locator('[data-figure=clusters] [data-ever]').innerText()) >= Number(all));
    // The answers are of that one as well, and so is what proves them: its clusters, on this page.
    await page.locator('.answers li').first().getByRole('button', { name: 'Yes, the only cluster finished' }).click();
    await until(async () => (await page.locator('#list-title').boundingBox()).y < 950);
    assert.equal(pick(), `=ana@${one.name}`);
    // With Shift from there to another corner.
    await click('bo', 3, ['Shift']);
    await until(async () => (await listed()).length === 5);
    assert.equal(pick().split(';').toSorted().join(';'), `=ana@${three.name}..${one.name};=bo@${three.name}..${one.name}`);
    await page.getByText('5 clusters', { exact: true }).waitFor();
    // One cell less, and one elsewhere.
    await click('ana', 2, ['Control']);
    await until(async () => (await listed()).length === 4);
    await click('chidi', 4, ['Control']);
    await until(async () => (await listed()).length === 5);
    assert.ok((await listed()).includes('chidi-4'));
    assert.ok(!(await listed()).includes('ana-2'));
    await page.getByText('6 cells in 3 rows').waitFor();
    // The address alone shows the same.
    const address = page.url().split('#/1/')[1];
    const before = await listed();
    await fresh(address);
    await until(async () => (await listed()).join() === before.join());
    const cells = await visitor.ask('cluster_uses', { from_micros: (await localDay(page, 27)).from, to_micros: (await localDay(page, 0)).to, by: 'user', cells: [{ row: 'ana', from_micros: one.from, to_micros: one.to }] });
    assert.equal(cells.rows[0].cluster.name, 'ana-1');
    const { x, y } = await cell('ana', 8);
    await page.mouse.dblclick(x, y);
    await until(() => pick() === null);
    await until(async () => (await value('clusters')) === all && (await listed()).length === whole);
    // Drawn across.
    const [a, b] = [await cell('ana', 4), await cell('bo', 1)];
    await page.mouse.move(a.x, a.y);
    await page.mouse.down();
    await page.mouse.move(b.x, b.y, { steps: 4 });
    await page.mouse.up();
    await until(() => pick()?.includes('=ana@') && pick().includes('=bo@'));
    await until(async () => (await listed()).length === 6);
    // A chip taken off leaves the others; the days can be changed.
    await page.getByRole('button', { name: 'Remove filter: bo' }).click();
    await until(async () => (await listed()).every((name) => name.startsWith('ana')) && (await listed()).length === 3);
    await page.getByLabel('from', { exact: true }).fill(three.name);
    await page.getByLabel('from', { exact: true }).dispatchEvent('change');
    await until(() => pick() === `=ana@${three.name}..${one.name}`);
    await page.locator('.grid').focus();
    await page.keyboard.press('Escape');
    await until(() => pick() === null);
  });

  test('a name chooses its whole row, with Shift all rows up to it, with Ctrl one more', async () => {
    await fresh();
    const names = page.locator('.labels button');
    const name = (text) => page.locator('.labels').getByRole('button', { name: text, exact: true });
    const pressed = () => page.locator('.labels button[aria-pressed=true]').allInnerTexts();
    const rows = await names.allInnerTexts();
    const [first, last] = [await localDay(page, 27), await localDay(page, 0)];
    await name('ana').click();
    await until(async () => (await pressed()).join() === 'ana');
    await until(() => pick() === `=ana@${first.name}..${last.name}`);
    await until(async () => (await listed()).length > 1 && (await listed()).every((cluster) => cluster.startsWith('ana')));
    await name('bo').click({ modifiers: ['Shift'] });
    const [a, b] = ['ana', 'bo'].map((text) => rows.indexOf(text)).sort((one, two) => one - two);
    await until(async () => (await pressed()).join() === rows.slice(a, b + 1).join());
    await page.keyboard.press('Escape');
    await until(() => pick() === null);
    await name('ana').click();
    await until(async () => (await pressed()).join() === 'ana');
    await name('chidi').click({ modifiers: ['Control'] });
    await until(async () => (await pressed()).toSorted().join() === 'ana,chidi');
    // Once more takes it off again.
    await name('ana').click();
    await until(async () => (await pressed()).join() === 'chidi');
    await page.keyboard.press('Escape');
    await until(() => pick() === null);
  });

  test('by keyboard alone', async () => {
    await fresh();
    const one = await localDay(page, 1);
    await page.locator('.grid').focus();
    await page.keyboard.press('End');
    await page.keyboard.press('ArrowLeft');
    const row = await page.locator('.labels .row').first().innerText();
    await page.keyboard.press('Space');
    await until(() => pick() === `=${encodeURIComponent(row)}@${one.name}` || pick() === `=${row}@${one.name}`);
    await page.keyboard.press('Shift+ArrowLeft');
    await page.keyboard.press('Shift+ArrowDown');
    const two = await localDay(page, 2);
    await until(() => pick()?.split(';').length === 2 && pick().includes(`@${two.name}..${one.name}`));
    await page.keyboard.press('Control+Space');
    await until(() => pick()?.split(';').length === 2 && pick().endsWith(`@${one.name}`));
    assert.match(await page.locator('.frame [role=status]').innerText(), /UTC\+0[12]:00/);
    await page.keyboard.press('Escape');
    await until(() => pick() === null);
  });

  test('what is shown can be another measure, other rows, another bin and order', async () => {
    await fresh();
    await page.getByRole('combobox', { name: 'Measure' }).selectOption('failures');
    await page.locator('#heat-title').getByText('Erred tasks by user and day').waitFor();
    await page.getByRole('combobox', { name: 'Rows' }).selectOption('project');
    await page.getByText('no project').first().waitFor();
    await page.getByRole('button', { name: 'By name' }).click();
    await until(async () => {
      const names = (await page.locator('.labels .row').allInnerTexts()).slice(0, -1).map((name) => name.toLowerCase());
      return names.length > 2 && names.join() === names.toSorted().join();
    });
    await page.getByRole('button', { name: 'Hour', exact: true }).click();
    await page.locator('#heat-title').getByText('Erred tasks by project and hour').waitFor();
    await page.waitForURL(/by=project&measure=failures&bin=hour&rows=name/);
    // Hover gives exact bounds with their zone.
    await page.locator('svg.cells').evaluate((element) => element.scrollIntoView({ block: 'center' }));
    const svg = await page.locator('svg.cells').boundingBox();
    const frame = await page.locator('.frame').boundingBox();
    await page.mouse.move(frame.x + frame.width - 20, svg.y + 8);
    assert.match(await page.locator('.frame .card').innerText(), /\d\d:00:00 – .*\d\d:00:00 UTC\+0[12]:00/);
    // Weeks of a longer period: each row sums to what the door says of the whole of it.
    await page.getByRole('group', { name: 'Period' }).getByRole('button', { name: '13 weeks' }).click();
    await page.locator('#heat-title').getByText('Erred tasks by project and day').waitFor();
    const answered = page.waitForResponse((response) => response.url().endsWith('/api/heat_map') && response.request().postDataJSON().edges.length < 20);
    await page.getByRole('button', { name: 'Week', exact: true }).click();
    await page.locator('#heat-title').getByText('Erred tasks by project and week').waitFor();
    const response = await answered;
    const { edges } = response.request().postDataJSON();
    const { rows } = await response.json();
    assert.ok(edges.length >= 14, String(edges.length));
    const whole = await visitor.ask('heat_map', { by: 'project', measure: 'failures', edges: [edges[0], edges.at(-1)], order: 'name' });
    const sums = rows.map(({ values }) => values.reduce((sum, value) => sum + (value ?? 0), 0));
    assert.ok(sums.some((sum) => sum > 0), sums.join());
    assert.deepEqual(sums, whole.rows.map(({ total }) => total ?? 0));
    await until(async () => {
      const totals = await page.getByRole('list', { name: 'Totals' }).locator('li').allInnerTexts();
      return totals.map((text) => Number(text.replace(/\D/g, ''))).join() === sums.join();
    });
  });

  test('what stalled is a measure of the map, and what it cost a column where there is any', async () => {
    const stall = async (route) => {
      const response = await route.fetch();
      const uses = await response.json();
      for (const { used } of uses.rows) if (used.cost !== null) used.cost.stalled = { low_nanos: 1_000_000, high_nanos: 2_000_000 };
      await route.fulfill({ response, json: uses });
    };
    await page.route('**/api/cluster_uses', stall);
    await fresh('overview?by=user&measure=stalled');
    await page.locator('#heat-title').getByText('Stalled time by user and day').waitFor();
    await page.locator('section.list th', { hasText: 'Stalled' }).waitFor();
    // One may be on its way.
    await page.unrouteAll({ behavior: 'wait' });
  });

  test('a year of days, and hours of the week, choose like the map', async () => {
    await fresh('overview?form=week&measure=cluster');
    const cells = await visitor.ask('heat_map', { by: 'everything', measure: 'cluster', edges: [(await localDay(page, 27)).from, (await localDay(page, 0)).to] });
    const shown = await page.locator('[data-figure=thread_seconds] [data-value]').innerText();
    assert.ok(Math.abs(Number(shown.replaceAll(',', '')) / (cells.rows[0].total / 3600) - 1) < 0.01);
    await page.locator('.grid').focus();
    await page.keyboard.press('Space');
    await until(() => pick() === '*@0T0');
    await page.getByText('Mon 00:00, each week').waitFor();
    await page.getByRole('button', { name: 'Calendar' }).click();
    await until(() => pick() === null);
    await page.getByText('Last 52 weeks,').waitFor();
    assert.equal(await page.getByRole('group', { name: 'Period' }).locator('[aria-pressed=true]').innerText(), '52 weeks');
    const rows = await page.locator('.labels .row').allInnerTexts();
    assert.deepEqual([rows[0], rows.length], ['Mon', 7]);
  });

  test('the table behind it has the same figures and chooses the same', async () => {
    await fresh();
    await page.keyboard.press('t');
    await page.waitForSelector('.rows table');
    const [from, to] = [(await localDay(page, 27)).from, (await localDay(page, 0)).to];
    const edges = await page.evaluate(([from, to]) => {
      const out = [];
      for (const d = new Date(from / 1000); d.getTime() * 1000 <= to; d.setDate(d.getDate() + 1)) out.push(d.getTime() * 1000);
      return out;
    }, [from, to]);
    const map = await visitor.ask('heat_map', { by: 'user', edges });
    const body = await page.locator('.rows tbody tr').evaluateAll((rows) => rows.map((row) => [...row.cells].slice(1).map((cell) => cell.innerText.trim())));
    assert.equal(body.length, 29);
    const units = new Set(await page.locator('.rows thead .unit').allInnerTexts());
    assert.equal(units.size, 1, [...units].join());
    const size = { 'core-h': 3600, 'core-min': 60, 'core-s': 1 }[[...units][0]];
    map.rows.forEach((row, r) =>
      row.values.forEach((seconds, c) => {
        const text = body[c][r];
        if (seconds === null) return assert.equal(text, '–');
        if (text.startsWith('< ')) return assert.ok(seconds < 0.006 * size, `${text} for ${seconds} s`);
        assert.ok(Math.abs(Number(text.replaceAll(',', '')) * size - seconds) <= 0.006 * size, `${text} for ${seconds} s`);
      }),
    );
    await page.locator('.rows td button').first().click();
    await until(() => pick() !== null);
    await page.keyboard.press('t');
    await page.waitForSelector('.heat path.chosen');
    await page.keyboard.press('Escape');
  });

  test('a new report moves nothing that is read, and is there', async () => {
    await fresh();
    const names = await page.locator('.labels .row').allInnerTexts();
    const top = (await page.locator('#heat-title').boundingBox()).y;
    const before = Number(await value('clusters'));
    const story = new Story('late', { name: 'late', user: 'ana', started: now() - 60 * second });
    await bobbin.post(story.batch([story.cluster(), story.sample(now(), { totals: { thread_seconds: 100, compute: 50 } }), story.stop(now())]));
    await until(async () => Number(await value('clusters')) === before + 1);
    assert.deepEqual(await page.locator('.labels .row').allInnerTexts(), names);
    assert.equal((await page.locator('#heat-title').boundingBox()).y, top);
  });

  test('cards and columns that are read stay where they are', async () => {
    const strip = page.getByRole('region', { name: /^Running now/ });
    const cards = () => strip.locator('.top .name').allInnerTexts();
    const heads = () => page.locator('.rows thead .name').allInnerTexts();
    await fresh('overview?by=user');
    const before = await cards();
    await strip.getByRole('listitem').first().hover();
    const story = new Story('newest', { name: 'newest', user: 'zoe', started: now() });
    await bobbin.post(story.batch([story.cluster(), story.sample(now(), { totals: { thread_seconds: 1, compute: 1 } })]));
    await strip.getByRole('button', { name: /^Show 1 new|^Sort again/ }).waitFor();
    assert.deepEqual(await cards(), before);
    await strip.getByRole('button', { name: /^Show 1 new|^Sort again/ }).click();
    await until(async () => (await cards())[0] === 'newest');

    await page.keyboard.press('t');
    await page.waitForSelector('.rows thead .name');
    await until(async () => (await heads()).includes('zoe'));
    const users = await heads();
    await page.locator('.rows tbody td').first().hover();
    const most = page.locator('.rows tbody tr').last().locator('td').nth(users.indexOf('zoe'));
    const little = await most.innerText();
    await bobbin.post(story.batch([story.sample(now(), { totals: { thread_seconds: 100_000, compute: 100_000 } })]));
    await until(async () => (await most.innerText()) !== little);
    assert.deepEqual(await heads(), users);
    await page.mouse.move(2, 2);
    await until(async () => (await heads())[0] === 'zoe');
    await bobbin.post(story.batch([story.stop(now())]));
    await page.keyboard.press('t');
    await page.waitForSelector('svg.cells');
  });

  test('for those who do not see it well, in both themes and forms', async () => {
    for (const theme of ['light', 'dark'])
      for (const address of ['overview?by=user', 'overview?form=week&measure=cost&pick=*@0T0']) {
        await page.emulateMedia({ colorScheme: theme });
        await fresh(address).catch(() => {});
        await page.waitForSelector('svg.cells');
        await accessible(page);
      }
  });

  test('nothing was complained about', () => visitor.quiet());
});

test('alone on a laptop the rows are projects, and nothing is told where nothing is known', async () => {
  const bobbin = await Bobbin.start();
  try {
    const at = now() - 2 * day;
    await bobbin.post(past('one', { name: 'one', user: 'ana', project: 'thesis' }, { at, seconds: 600, busy: 0.5, tasks: 10 }));
    const story = new Story('dark', { name: 'dark', user: 'ana', project: 'quiet', started: at });
    const untold = { ...story.sample(at + 60 * second, { totals: { thread_seconds: 900, compute: 300 } }), memory_used_bytes: null, memory_limit_bytes: null, memory_managed_bytes: null, memory_unmanaged_bytes: null, memory_spilled_bytes: null };
    await bobbin.post(story.batch([story.cluster(), untold, story.stop(at + 61 * second)]));
    const visitor = await Visitor.enter(browser, bobbin, { timezoneId: zone });
    await visitor.go('overview?measure=memory_peak', 'svg.cells');
    assert.deepEqual((await visitor.page.locator('.labels .row').allInnerTexts()).toSorted(), ['quiet', 'thesis']);
    assert.equal(await visitor.page.locator('svg.cells .look-untold').count(), 1);
    // The legend has real values, and what is no value has its own look.
    const legend = await visitor.page.locator('.legend', { hasText: 'nothing reported' }).innerText();
    for (const words of ['≤ 4.00 GiB', 'reported, but none', 'not available']) assert.ok(legend.includes(words), `${words} in ${legend}`);
    await visitor.go('overview?days=7&pick=%3Dnobody@2020-01-01', 'svg.cells');
    await visitor.page.waitForSelector('section.list tbody tr');
    visitor.quiet();
    await visitor.context.close();
  } finally {
    await bobbin.remove();
  }
});

test('a team of many keeps the map to a height, each question is asked once, and what came before is one click away', async () => {
  const bobbin = await Bobbin.start();
  try {
    for (let i = 0; i < 20; i++)
      for (const ago of [3, 31])
        await bobbin.post(past(`of-${i}-${ago}`, { name: `of-${i}-${ago}`, user: `member-${i}`, project: 'one' }, { at: now() - ago * day - hour, seconds: 600 + i, busy: 0.5, tasks: 10 }));
    const visitor = await Visitor.enter(browser, bobbin, { timezoneId: zone });
    const { page } = visitor;
    await visitor.go('costs');
    const asked = [];
    page.on('request', (request) => /\/api\/(overview|cluster_uses)$/.test(request.url()) && asked.push(`${request.url().split('/').at(-1)} ${request.postData()}`));
    const letGo = await visitor.late('overview');
    await visitor.go('overview', 'svg.cells');
    const title = () => page.locator('#heat-title').boundingBox().then(({ y }) => Math.round(y));
    const before = await title();
    await letGo();
    await page.locator('[data-figure]').first().waitFor();
    // Nothing runs: what is below the answers stays within a line of where it was.
    assert.ok(Math.abs((await title()) - before) < 24, `${before} became ${await title()}`);
    await page.locator('section.list tbody tr').first().waitFor();
    // One question of each kind, however often it is asked anew.
    assert.equal(new Set(asked).size, 2, asked.join('\n'));
    const labels = page.locator('.labels .row');
    assert.equal(await labels.count(), 16);
    assert.equal(await labels.last().innerText(), '5 others');
    await page.getByRole('button', { name: 'Show the 5 others' }).click();
    await until(async () => (await labels.count()) === 20);
    await page.getByRole('button', { name: 'Show only the top 15' }).click();
    await until(async () => (await labels.count()) === 16);
    await page.locator('[data-figure=clusters] .change a').click();
    await page.waitForURL(/#\/1\/clusters\?/);
    await page.locator('tbody a').first().waitFor();
    await page.getByText('20 of 40').waitFor();
    visitor.quiet();
    await visitor.context.close();
  } finally {
    await bobbin.remove();
  }
});

test('clusters at work beyond the first are counted and opened, and what burns is of those with a price', async () => {
  const bobbin = await Bobbin.start();
  try {
    for (let i = 0; i < 11; i++) {
      const story = new Story(`live-${i}`, { name: `live-${i}`, user: 'ana', project: i < 3 ? 'priced' : null, started: now() - 60 * second, interval: 120 * second });
      await bobbin.post(story.batch([story.cluster(), story.sample(now(), { tasks: { processing: 4 }, totals: { compute: 100, thread_seconds: 900 } })]));
    }
    const visitor = await Visitor.enter(browser, bobbin, { viewport: { width: 600, height: 900 } });
    const { page } = visitor;
    const { prices } = await visitor.ask('prices');
    const [{ id, terms }] = prices;
    await visitor.ask('set_price', { id, terms: { ...terms, applies_to: { is: 'project', pattern: 'priced' } } });
    await visitor.go('overview', '[aria-labelledby=live-title] li');
    await page.getByText(/≈ .* an hour, of the 3 with a price/).waitFor();
    const cards = page.locator('[aria-labelledby=live-title] li');
    assert.equal(await cards.count(), 6);
    await page.getByRole('button', { name: 'Show 5 more' }).click();
    assert.equal(await cards.count(), 11);
    // None of them is cut off.
    assert.ok(await page.locator('[aria-labelledby=live-title] ul').evaluate((list) => list.scrollHeight <= list.clientHeight));

    // Of more than are shown, all are counted, and the oldest, with nothing to do, is among the cards. Nobody reads them now.
    await page.mouse.move(0, 0);
    for (let i = 0; i < 50; i++) {
      const story = new Story(`more-${i}`, { name: `more-${i}`, user: 'ana', project: null, started: now() - (i === 0 ? 600 : 30) * second, interval: 120 * second });
      await bobbin.post(story.batch([story.cluster(), story.sample(now(), { idle: i === 0 ? now() - 500 * second : null, tasks: { processing: i === 0 ? 0 : 4 } })]));
    }
    await visitor.go('overview', '[aria-labelledby=live-title] li');
    await page.locator('#live-title', { hasText: 'Running now 61' }).waitFor();
    await page.getByText('50 shown here, all in the list').waitFor();
    await page.getByText(/more-0 has had nothing to do/).waitFor();
    await until(async () => (await cards.count()) === 50);
    await cards.getByText('more-0', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'all in the list' }).click();
    await page.waitForURL(/states=running/);
    await visitor.context.close();
  } finally {
    await bobbin.remove();
  }
});
