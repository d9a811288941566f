// The page in a real browser on the real binary: what it says is what the door answers, it lives, and it takes names as text.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Bobbin } from './support/bobbin.mjs';
import { launch, until, Visitor } from './support/browser.mjs';
import { busy, code, hostile, idle, lost, past, Story, traceback, weeks } from './support/story.mjs';

const second = 1_000_000;
const now = () => Date.now() * 1000;
const number = (text) => Number(text.replaceAll(',', ''));

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser?.close());

describe('a first run', () => {
  let bobbin, visitor, page;
  before(async () => {
    bobbin = await Bobbin.start();
    visitor = await Visitor.enter(browser, bobbin);
    page = visitor.page;
  });
  after(async () => {
    await visitor?.context.close();
    await bobbin?.remove();
  });

  test('says where it listens and what to type, and copies it', async () => {
    await visitor.context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: bobbin.origin });
    const text = await page.innerText('main');
    for (const words of [bobbin.listening.tcp, 'Nothing has been sent anywhere', 'import bobbin\nbobbin.register()', 'bobbin connect', '--preload'])
      assert.ok(text.includes(words), `${words} in ${text}`);
    await page.locator('li', { hasText: 'from Python' }).getByRole('button', { name: 'Copy' }).click();
    await page.getByText('Copied').waitFor();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    assert.match(copied, /^import sys; sys\.path\.insert\(0, ".+\/plugin"\)\nimport bobbin\nbobbin\.register\(\)$/);
  });

  test('shows a cluster within a second of its first batch', async () => {
    const story = new Story('first', { name: 'my first' });
    await bobbin.post(story.batch([story.cluster(), story.sample(now(), { tasks: { processing: 1 } })]));
    const from = Date.now();
    await page.getByRole('link', { name: 'my first', exact: true }).waitFor({ timeout: 5000 });
    assert.ok(Date.now() - from < 1000, `${Date.now() - from} ms`);
    visitor.quiet();
  });

  test('an unknown cluster and an unknown address say so', async () => {
    await visitor.go('cluster/4711');
    await page.getByText('there is no cluster 4711', { exact: false }).waitFor();
    await visitor.go('nowhere');
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
    // The door's own 404 is the one thing that the browser itself complains of.
    visitor.complaints = visitor.complaints.filter((what) => !what.includes('status of 404'));
    visitor.quiet();
  });

  test('loss of contact has a name', async () => {
    // Whoever looks on while a first cluster reports is told of it, and stays: this one comes later.
    await page.reload();
    await visitor.go('overview', '[data-figure]');
    await page.getByText('my first').first().waitFor();
    visitor.quiet();
    await bobbin.stop();
    await page.getByText('No contact').first().waitFor();
    // What came last is still there to be read.
    assert.ok((await page.innerText('main')).includes('my first'));
  });
});

describe('a full house', () => {
  let bobbin, visitor, page, running;
  before(async () => {
    bobbin = await Bobbin.start();
    for (const batch of weeks(160, now())) await bobbin.post(batch);
    await bobbin.post(past('html', { name: hostile.html, user: hostile.html, project: hostile.bidi }, { at: now() - 3600 * second, seconds: 60, busy: 0.5, tasks: 10 }));
    await bobbin.post(past('bidi', { name: hostile.bidi, user: 'eve', project: hostile.long }, { at: now() - 7200 * second, seconds: 60, busy: 0.5, tasks: 10 }));
    for (const { batches } of [lost(now()), idle(now())]) for (const batch of batches) await bobbin.post(batch);
    running = busy(now());
    for (const batch of running.batches) await bobbin.post(batch);
    visitor = await Visitor.enter(browser, bobbin);
    page = visitor.page;
  });
  after(async () => {
    await visitor?.context.close();
    await bobbin?.remove();
  });

  const idOf = async (text) => (await visitor.ask('clusters', { text })).rows[0].id;

  test('the totals are the door’s', async () => {
    await visitor.go('overview', '[data-figure]');
    const { from_micros, to_micros } = await visitor.ask('overview');
    assert.ok(from_micros < to_micros);
    const today = new Date().toISOString().slice(0, 10);
    const from = (Date.parse(`${today}T00:00:00Z`) - 27 * 86_400_000) * 1000;
    const { period, ever } = await visitor.ask('overview', { from_micros: from, to_micros: from + 28 * 86_400 * second });
    const shown = (key) => page.locator(`[data-figure=${key}] [data-value]`).innerText();
    assert.equal(number(await shown('tasks_completed')), period.tasks_completed);
    assert.equal(number(await shown('tasks_erred')), period.tasks_erred);
    assert.equal(number(await shown('workers_peak')), period.workers_peak);
    assert.equal(number(await shown('clusters')), period.clusters);
    const data = page.locator('[data-figure=result_bytes]');
    const size = { KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30, TiB: 2 ** 40 }[await data.locator('.unit').first().innerText()];
    assert.ok(Math.abs((number(await shown('result_bytes')) * size) / period.result_bytes - 1) < 0.01, await data.innerText());
    // One bar of all cluster time, idleness included.
    const all = Object.values(period.parts).reduce((a, b) => a + b);
    const bar = await page.locator('section[aria-labelledby=time-title] [role=img]').getAttribute('aria-label');
    for (const [label, micros] of [['Compute', period.parts.compute_micros], ['Idle', period.parts.idle_micros]]) assert.ok(bar.includes(`${label} ${Math.round((micros / all) * 100)} %`), bar);
    assert.match(bar, /Transfer .+, Disk .+, Deserialize, other .+/);
    // What was ever is told where it is more.
    assert.equal(await page.locator('[data-figure=clusters] [data-ever]').count(), ever.clusters > period.clusters ? 1 : 0);
    assert.equal(await shown('efficiency'), `${Math.round((period.compute_seconds / period.thread_seconds) * 100)} %`);
    const hours = number(await shown('thread_seconds'));
    assert.ok(Math.abs(hours / (period.thread_seconds / 3600) - 1) < 0.006, `${hours} core-h, ${period.thread_seconds} s`);
    // The formula is on hover.
    await page.getByText('Efficiency').first().hover();
    assert.match(await page.getByRole('tooltip').innerText(), /Compute time ÷ \(threads × up-time\)/);
  });

  test('the list sorts, filters and reaches its last row', async () => {
    await visitor.go('clusters', 'tbody a');
    const names = () => page.locator('tbody td:first-child a').allInnerTexts();
    await page.mouse.move(5, 5);
    await page.getByRole('button', { name: 'Tasks' }).click();
    const sorted = await visitor.ask('clusters', { order: 'tasks_completed', direction: 'descending' });
    await until(async () => (await names())[0] === sorted.rows[0].name);
    assert.deepEqual((await names()).slice(0, 10), sorted.rows.slice(0, 10).map((row) => row.name));
    const heads = await page.locator('thead th').allInnerTexts();
    const tasks = heads.findIndex((text) => text.split('\n')[0].trim() === 'Tasks');
    assert.equal(await page.locator('tbody tr').nth(0).locator('td').nth(tasks).innerText(), sorted.rows[0].tasks_completed.toLocaleString('en-GB'));
    assert.equal(await page.locator('th[aria-sort=descending]').innerText().then((text) => text.split('\n')[0].trim()), 'Tasks');

    await page.locator('.scroll').evaluate((box) => box.scrollTo(0, box.scrollHeight));
    const last = await visitor.ask('clusters', { order: 'tasks_completed', direction: 'descending', offset: sorted.total - 1 });
    await until(async () => (await names()).at(-1) === last.rows[0].name);

    await page.keyboard.press('/');
    await page.keyboard.type('eun-ji');
    const filtered = await visitor.ask('clusters', { text: 'eun-ji' });
    await page.getByText(`${filtered.total} of ${sorted.total} match`).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Lost' }).click();
    await until(async () => (await names()).join() === 'killed-by-oom');
    await page.waitForURL(/states=lost/);
    await page.getByRole('button', { name: 'Running', exact: true }).click();
    await page.getByRole('button', { name: 'Clear', exact: true }).click();
    await page.getByText(`${sorted.total} clusters`).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('no such thing');
    await page.getByText(`0 of ${sorted.total} match`).first().waitFor();
    visitor.quiet();
  });

  test('the header and the names stay where they are while the table scrolls', async () => {
    await page.setViewportSize({ width: 800, height: 800 });
    await visitor.go('clusters', 'tbody a');
    const box = page.getByRole('region', { name: 'Table of clusters' });
    const at = async (one) => {
      const { x, y } = await one.boundingBox();
      return [Math.round(x), Math.round(y)];
    };
    const heads = page.getByRole('columnheader');
    const names = page.locator('tbody tr.row td:first-child');
    const [corner, second, name] = [await at(heads.first()), await at(heads.nth(1)), await at(names.first())];
    const [left, top] = await box.evaluate((one) => {
      one.scrollTo(100, 300);
      return [one.scrollLeft, one.scrollTop];
    });
    assert.ok(left > 0 && top > 0, `${left}, ${top}`);
    assert.deepEqual(await at(heads.first()), corner);
    assert.deepEqual(await at(heads.nth(1)), [second[0] - left, second[1]]);
    assert.equal((await at(names.nth(5)))[0], name[0]);
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  test('a new cluster does not push the rows under the pointer away', async () => {
    await visitor.go('clusters', 'tbody a');
    const first = page.locator('tbody td:first-child a').first();
    await first.hover();
    const name = await first.innerText();
    const story = new Story('pushy', { name: 'pushy' });
    await bobbin.post(story.batch([story.cluster(), story.sample(now(), {}), story.stop(now())]));
    const show = page.getByRole('button', { name: 'Show 1 new' });
    await show.waitFor();
    assert.equal(await first.innerText(), name);
    await show.click();
    await until(async () => (await first.innerText()) === 'pushy');
  });

  test('names are text, whatever they hold', async () => {
    await visitor.go(`clusters?text=${encodeURIComponent('img src')}`, 'tbody a');
    const link = page.locator('tbody a', { hasText: '<img' }).first();
    // A row that is drawn anew may be another's for a moment.
    await until(async () => (await link.innerText()) === hostile.html);
    assert.equal(await page.locator('main img').count(), 0);
    await link.click();
    await page.waitForSelector('.said');
    assert.equal(await page.locator('h1').innerText(), hostile.html);
    await until(async () => (await page.title()) === `${hostile.html} – Bobbin`);
    await visitor.go(`cluster/${await idOf('eve')}`, '.said');
    assert.equal(await page.locator('h1').evaluate((h) => getComputedStyle(h).unicodeBidi), 'isolate');
    await until(async () => /^live ‹U\+202E›txt/.test(await page.title()));
    assert.equal(await page.locator('main img').count(), 0);
    visitor.quiet();
  });

  test('a cluster’s page says its state with evidence, and what is missing', async () => {
    const id = await idOf('nightly 2026');
    await visitor.go(`cluster/${id}`, '.said');
    const { losses } = await visitor.ask('cluster', { id });
    // Its words count seconds: the page and the door are asked until they say the same.
    await until(async () => {
      const { row } = await visitor.ask('cluster', { id });
      return (await page.innerText('main')).includes(row.state_evidence);
    });
    assert.equal(losses.missing_records, 3);
    for (const words of ['Running', 'Why is it still running?', '2 kinds of exception in 3 failed tasks', '3 records between batches that arrived are missing', '1 gap in the record'])
      await until(async () => (await page.innerText('main')).includes(words) || assert.fail(`no ${words}`));
    await visitor.go(`cluster/${await idOf('killed-by-oom')}`, '.said');
    await page.getByText('the scheduler may have died').first().waitFor();
    await visitor.go(`cluster/${await idOf('notebook')}`, '.said');
    await page.getByText('and still up').waitFor();
  });

  test('charts have a table behind them with the door’s samples', async () => {
    const id = await idOf('nightly 2026');
    await visitor.go(`cluster/${id}`, '.plot path.gap, .plot rect.gap');
    await page.mouse.move(5, 5);
    await page.keyboard.press('t');
    const { at_micros, workers } = await visitor.ask('timeline', { id, points: 600 });
    const table = page.locator('figure', { hasText: 'Workers' }).locator('tbody tr');
    assert.equal(await table.count(), at_micros.length);
    const column = await table.evaluateAll((rows) => rows.map((row) => row.cells[1].innerText));
    assert.deepEqual(column.map(number), workers);
    await page.keyboard.press('t');
    // Drawing across a chart narrows the time, in the address too.
    const plot = page.locator('.plot').first();
    await plot.evaluate((element) => element.scrollIntoView({ block: 'center' }));
    const box = await plot.boundingBox();
    await page.mouse.move(box.x + 120, box.y + 40);
    await page.mouse.down();
    await page.mouse.move(box.x + 220, box.y + 40, { steps: 4 });
    await page.mouse.up();
    await until(() => /from=\d+&to=\d+/.test(page.url()));
    await page.getByRole('button', { name: 'Remove filter: time' }).click();
    await until(() => !page.url().includes('from='));
  });

  test('task groups: every number is the door’s', async () => {
    const id = await idOf('nightly 2026');
    await visitor.go(`cluster/${id}`, 'tbody tr .pick');
    const { rows, total } = await visitor.ask('task_groups', { id });
    assert.equal(total, 40);
    const shown = await page.locator('.box tbody tr').evaluateAll((list) => list.filter((row) => row.cells.length > 1).map((row) => [...row.cells].map((cell) => cell.innerText)));
    // Groups with errors stand first.
    const erred = (row) => (row.states.erred ?? 0) > 0;
    const inOrder = [...rows.filter(erred), ...rows.filter((row) => !erred(row))];
    shown.slice(0, 10).forEach((cells, i) => {
      const row = inOrder[i];
      assert.equal(cells[0], row.name);
      assert.equal(number(cells[1]), Object.values(row.states).reduce((a, b) => a + b, 0));
      assert.ok(Math.abs(number(cells[4]) * 60 - row.seconds.compute) < 0.31, `${cells[4]} ${row.seconds.compute}`);
      assert.ok(Math.abs(number(cells[5]) * 60 - row.seconds.transfer) < 0.31, `${cells[5]} ${row.seconds.transfer}`);
    });
    assert.equal(await page.locator('.box .bad').first().innerText(), '3');
    // Rounded times tell the exact ones: compute, transfer and disk.
    const exact = await page.locator('.box tbody tr:not([aria-hidden])').first().locator('td').evaluateAll((all) => all.slice(4, 7).map((cell) => cell.title));
    assert.deepEqual(exact.map((title) => /^[\d,.]+ seconds of one thread$/.test(title)), [true, true, true], exact.join());
    // Errors are told apart without their color, and rounded bytes are exact on hover.
    assert.match(await page.locator('.box .states .part.hatched').first().evaluate((part) => getComputedStyle(part).backgroundImage), /repeating-linear-gradient/);
    const titles = await page.locator('.box tbody td.number').evaluateAll((cells) => cells.map((cell) => cell.title));
    assert.ok(titles.includes(`${inOrder[0].result_bytes.toLocaleString('en-GB')} bytes`), titles.slice(0, 12).join());
    await page.keyboard.press('/');
    await page.keyboard.type('merge');
    await page.getByText(`${rows.filter((row) => row.name.includes('merge')).length} of 40 match`).waitFor();
  });

  test('computations show the code with the calling line marked, or why there is none', async () => {
    const id = await idOf('nightly 2026');
    await visitor.go(`cluster/${id}?tab=computations`, '.code');
    const { rows } = await visitor.ask('computations', { id });
    assert.equal(await page.locator('article').count(), rows.length);
    const marked = page.locator('article').first().locator('.marked');
    assert.equal((await marked.locator('code').innerText()).trim(), code.split('\n')[8].trim());
    assert.equal(await marked.locator('.number').first().innerText(), '49');
    assert.ok((await page.locator('article .keyword').count()) > 5);
    // The other frame is the cell that called it.
    await page.locator('article').first().getByRole('button', { name: 'ipython' }).click();
    assert.match(await page.locator('article').first().locator('.marked code').innerText(), /summary = nightly/);
    assert.match(await page.locator('article').last().innerText(), /No code was captured/);
    await page.locator('article').first().getByRole('link', { name: 'all in the table' }).click();
    await page.getByText('3 of 40 match').waitFor();
  });

  test('exceptions: traceback as sent, and a copy that masks', async () => {
    const id = await idOf('nightly 2026');
    await visitor.context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: bobbin.origin });
    await visitor.go(`cluster/${id}?tab=exceptions`, 'article');
    const { rows } = await visitor.ask('exceptions', { id });
    assert.deepEqual(await page.locator('article .type').allInnerTexts(), rows.map((row) => row.exception_type));
    const mine = page.locator('article', { hasText: 'ZeroDivisionError' });
    if ((await mine.locator('.trace').count()) === 0) await mine.getByRole('button').first().click();
    assert.equal(await mine.locator('.trace').evaluate((pre) => pre.textContent), traceback);
    await mine.getByRole('button', { name: 'Copy' }).click();
    await page.getByText('Copied; masked').waitFor();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    assert.ok(copied.includes('~/etl/clean.py') && !copied.includes('/home/ana') && !copied.includes('127.0.0.1'), copied);
    await mine.getByRole('link', { name: 'Its task group' }).click();
    await page.waitForSelector('tr.marked');
    await visitor.go(`cluster/${id}?tab=events`, '.notice');
    await page.getByText('Events are off at source').waitFor();
  });

  test('a batch is drawn within a second of its receipt, unless the page is paused', async () => {
    const id = await idOf('nightly 2026');
    await visitor.go(`cluster/${id}`, '.said');
    const { story } = running;
    const beat = (tasks) => story.batch([story.sample(now(), { workers: 8, tasks: { processing: 9, released: tasks }, totals: { compute: 4000, thread_seconds: 9600, tasks_completed: tasks } })]);
    const said = page.locator('.said li').first();
    const times = [];
    for (let i = 0; i < 5; i++) {
      await bobbin.post(beat(5000 + i));
      const from = Date.now();
      await until(async () => (await said.innerText()).includes(`${(5000 + i).toLocaleString('en-GB')} tasks finished`), 3000);
      times.push(Date.now() - from);
    }
    // A machine that is busy with something else may miss one.
    const usual = times.toSorted((a, b) => a - b)[2];
    assert.ok(usual < 1000, `${times} ms`);
    await page.mouse.move(5, 5);
    await page.keyboard.press('p');
    await bobbin.post(beat(6001));
    await page.getByText('1 new').waitFor();
    assert.ok(!(await said.innerText()).includes('6,001'));
    const corner = page.locator('button.live');
    assert.match(await corner.innerText(), /Paused/);
    await page.keyboard.press('p');
    await until(async () => (await said.innerText()).includes('6,001 tasks finished'), 2000);
    await until(async () => /Live[^]*(\bnow\b|\d+ s ago)/.test(await corner.innerText()));
  });

  test('a link to what is looked at is copied, with the place in words', async () => {
    await visitor.context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: bobbin.origin });
    const { rows } = await visitor.ask('clusters');
    await visitor.go(`cluster/${rows[0].id}?tab=workers&from=5&to=9`, '.said');
    await page.keyboard.press('l');
    await page.getByRole('status').getByText('Link copied').waitFor({ state: 'attached' });
    const [words, link] = (await page.evaluate(() => navigator.clipboard.readText())).split('\n');
    assert.match(words, / – Bobbin$/);
    assert.equal(link, `bobbin://cluster/${rows[0].scheduler_id}?tab=workers&from=5&to=9`);
    // Several are named as one is, once it is known what they are called elsewhere.
    await visitor.go(`compare?a=${rows[1].id}&b=${rows[0].id}`, '#title');
    await until(async () => {
      await page.keyboard.press('l');
      return (await page.evaluate(() => navigator.clipboard.readText())).endsWith(`\nbobbin://compare?a=${rows[1].scheduler_id}&b=${rows[0].scheduler_id}`);
    }, 10_000);
    // Where something is run no link leads.
    await visitor.go('sql', 'textarea');
    assert.equal(await page.getByRole('button', { name: 'Copy a link to this view' }).count(), 0);
  });

  test('keys: help, theme, and focus that can be seen', async () => {
    await visitor.go('overview', '.heat');
    await page.keyboard.press('?');
    await page.getByRole('heading', { name: 'Keyboard shortcuts' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { name: 'Keyboard shortcuts' }).waitFor({ state: 'detached' });
    await page.keyboard.press('g');
    await page.keyboard.press('c');
    await page.getByRole('heading', { name: 'Clusters', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Dark' }).click();
    const dark = await page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    await page.getByRole('button', { name: 'Light', exact: true }).click();
    const light = await page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    assert.notEqual(dark, light);
    await page.getByRole('button', { name: 'System', exact: true }).click();
    await page.keyboard.press('Tab');
    assert.notEqual(await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle), 'none');
  });

  test('large text and narrow windows cut nothing off sideways', async () => {
    const id = await idOf('nightly 2026');
    // Each with what is there once it is drawn, and was not in the one before.
    const views = [
      ['overview', '.heat'],
      ['clusters', 'tbody a'],
      [`cluster/${id}`, '.box .pick'],
      [`cluster/${id}?tab=computations`, '.code'],
      [`cluster/${id}?tab=workers&item=busy-3`, '.box .pick'],
      [`cluster/${id}?tab=activity`, '.spans tbody tr'],
      [`cluster/${id}?tab=profile`, 'canvas'],
      [`cluster/${id}?tab=events`, '.topics'],
      [`cluster/${id}?tab=facts&charts=hardware`, '.cards'],
      [`cluster/${id}?charts=workers`, 'path.thread'],
      [`cluster/${id}?tab=cost`, '[data-cost]'],
      [`cluster/${id}?tab=graph`, '.node'],
      ['prices', '#book-title'],
      ['costs', 'tfoot'],
      [`compare?a=${await idOf('killed-by-oom')}&b=${id}`, '#waterfall'],
      [`profile?ids=${id}`, '.from'],
      ['exceptions', 'article'],
      ['connect', 'li.panel'],
    ];
    for (const [width, size] of [[900, '100%'], [1280, '200%'], [640, '100%']]) {
      // In this order: Chromium looks at container queries again when the container's size changes, not when a rem does.
      await page.evaluate((s) => document.documentElement.style.setProperty('font-size', s), size);
      await page.setViewportSize({ width, height: 800 });
      for (const [view, drawn] of views) {
        await visitor.go(view, drawn);
        const { over, wide } = await page.evaluate(() => {
          const { scrollWidth, clientWidth } = document.documentElement;
          const held = (e) => e.closest('body > *') === e || getComputedStyle(e.parentElement).overflowX === 'visible' && held(e.parentElement);
          const beyond = [...document.querySelectorAll('body *')].filter((e) => e.getBoundingClientRect().right > clientWidth && held(e));
          return { over: scrollWidth - clientWidth, wide: beyond.slice(-3).map((e) => e.outerHTML.slice(0, 200)) };
        });
        assert.ok(over <= 0, `${view} at ${width} px and ${size} is ${over} px too wide: ${wide}`);
      }
    }
    await page.evaluate(() => document.documentElement.style.removeProperty('font-size'));
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  test('what is drawn in pixels grows with the text at once', async () => {
    const id = await idOf('nightly 2026');
    const larger = async (action) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Search and actions' }).fill(action);
      await page.getByRole('option', { name: action, selected: true }).waitFor();
      await page.keyboard.press('Enter');
      await page.locator('dialog').waitFor({ state: 'detached' });
    };
    for (const [view, drawn, high] of [
      ['overview?by=user', 'svg.cells', (one) => one.getBoundingClientRect().height],
      [`cluster/${id}`, '.plot svg', (one) => one.getBoundingClientRect().height],
      [`cluster/${id}?tab=profile`, '.flame', (one) => parseFloat(one.style.getPropertyValue('--row'))],
    ]) {
      await visitor.go(view, drawn);
      const size = () => page.locator(drawn).first().evaluate(high);
      const before = await size();
      await larger('Larger type for presenting');
      await until(async () => Math.abs((await size()) / before - 1.35) < 0.02);
      await larger('Normal type size');
      await until(async () => (await size()) === before);
    }
  });

  test('nothing was complained about', () => visitor.quiet());
});

test('the page draws where the locale is called C', async () => {
  const bobbin = await Bobbin.start();
  try {
    const visitor = await Visitor.enter(browser, bobbin);
    await visitor.context.addInitScript(() => {
      Object.defineProperty(Navigator.prototype, 'language', { get: () => 'C', configurable: true });
    });
    await visitor.page.reload();
    await visitor.page.getByText('Connect a cluster').waitFor();
    assert.equal(await visitor.page.evaluate(() => navigator.language), 'en-US');
    visitor.quiet();
    await visitor.context.close();
  } finally {
    await bobbin.remove();
  }
});

test('views with a file of their own come while the page rests; one that is late waits calmly, and one that does not come is said', async () => {
  const bobbin = await Bobbin.start();
  try {
    const story = new Story('apart', { name: 'apart' });
    await bobbin.post(story.batch([story.cluster(), story.sample(now())]));
    const visitor = await Visitor.enter(browser, bobbin);
    const { page } = visitor;
    const came = (name) => page.evaluate((name) => performance.getEntriesByType('resource').some((entry) => entry.name.includes(`/assets/${name}-`)), name);
    for (const name of ['Compare', 'Settings', 'GraphTab']) await until(() => came(name), 60_000);
    visitor.quiet();
    let come;
    const gate = new Promise((resolve) => (come = resolve));
    await page.route('**/assets/Settings-*.js', async (route) => {
      await gate;
      await route.continue();
    });
    // It is not there until the page is loaded once more: a page that rests fetches it, too.
    let loads = 0;
    page.on('request', (request) => (loads += request.isNavigationRequest()));
    await page.route('**/assets/Costs-*.js', (route) => (loads > 1 ? route.continue() : route.fulfill({ status: 404 })));
    await page.reload();
    await visitor.go('settings', 'main [aria-busy=true]');
    await page.getByText('Loading…').waitFor();
    come();
    await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor({ timeout: 60_000 });
    await visitor.go('costs', 'main .notice');
    const again = page.getByRole('button', { name: 'Reload the page' });
    await again.click();
    await page.getByRole('heading', { name: 'Costs', level: 1 }).waitFor({ timeout: 60_000 });
    await page.unrouteAll({ behavior: 'wait' });
    // The browser itself complains of the file that did not come.
    visitor.complaints = visitor.complaints.filter((what) => !what.includes('404'));
    visitor.quiet();
    await visitor.context.close();
  } finally {
    await bobbin.remove();
  }
});
