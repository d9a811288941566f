// The cluster page: its verdict, its threads, a time that is chosen on one chart and narrows all, and the proof behind each.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { accessible } from './support/axe.mjs';
import { Bobbin } from './support/bobbin.mjs';
import { launch, until, Visitor } from './support/browser.mjs';
import { lost, Story } from './support/story.mjs';
import { training } from './support/training.mjs';

const second = 1_000_000;
const now = () => Date.now() * 1000;

let browser, bobbin, visitor, page, told, id;
before(async () => {
  browser = await launch();
  bobbin = await Bobbin.start();
  told = training(now());
  const earlier = training(now(), { key: 'old', name: 'last-month', ago: 30 * 86_400 });
  for (const batch of [...earlier.batches, ...told.batches]) await bobbin.post(batch);
  visitor = await Visitor.enter(browser, bobbin);
  page = visitor.page;
  page.setDefaultTimeout(10_000);
  id = (await visitor.ask('clusters', { text: 'train-model' })).rows[0].id;
});
after(async () => {
  await visitor?.context.close();
  await bobbin?.remove();
  await browser?.close();
});

const chart = (name) => page.locator('figure', { has: page.locator('h3', { hasText: new RegExp(`^${name}$`) }) });
const tab = (name) => page.getByRole('tab', { name });
const listed = (words) => page.getByRole('region', { name: 'Events', exact: true }).getByText(words);
const totals = (from, to) => visitor.ask('thread_use', { id, from_micros: from, to_micros: to, bins: 200 }).then((use) => use.totals);
const chosen = () => {
  const query = new URLSearchParams(page.url().split('?')[1] ?? '');
  return [query.get('from'), query.get('to')].map((text) => (text === null ? null : Number(text)));
};

test('the verdict is what core says, and each reason leads to its proof', async () => {
  await visitor.go(`cluster/${id}`, '[data-verdict]');
  const { kind, evidence, more } = await visitor.ask('verdict', { id });
  assert.equal(kind, 'failing');
  const panel = page.locator('[data-verdict]');
  assert.equal(await panel.getAttribute('data-verdict'), kind);
  assert.deepEqual(await panel.locator('li').allInnerTexts(), [...evidence.map(({ words }) => words), `and ${more} smaller reason`]);
  assert.deepEqual(evidence.map(({ about }) => about), ['erred_tasks', 'lost_workers', 'spilled_bytes']);
  await panel.getByRole('link', { name: 'the first with ZeroDivisionError in fit' }).click();
  await page.locator('article[id="exception-train-e"] .trace').waitFor();
  await accessible(page);
  visitor.quiet();
});

test('its charts are asked for beside its facts, and not after them', async () => {
  await visitor.go('clusters', 'tbody a');
  const asked = new Set();
  const hear = (request) => asked.add(request.url().split('/api/')[1]);
  page.on('request', hear);
  const letGo = await visitor.late('cluster');
  await page.goto(`${visitor.origin}/#/1/cluster/${id}`);
  await until(() => ['cluster', 'verdict', 'cluster_answers', 'task_groups', 'workers', 'thread_use', 'timeline'].every((name) => asked.has(name)));
  assert.equal(await page.locator('[data-totals]').count(), 0);
  await letGo();
  await chart('Memory').locator('.plot').waitFor();
  page.off('request', hear);
  visitor.quiet();
});

test('a muted verdict stays muted, and can be shown again', async () => {
  await visitor.go(`cluster/${id}`, '[data-verdict]');
  await page.getByRole('button', { name: 'Mute' }).click();
  await page.getByText('Failing: muted here').waitFor();
  await page.reload();
  await page.getByText('Failing: muted here').waitFor();
  assert.equal(await page.locator('[data-verdict]').count(), 0);
  await page.getByRole('button', { name: 'Show', exact: true }).click();
  await page.locator('[data-verdict]').waitFor();
});

test('the parts of cluster time make it up, and the chart has its table', async () => {
  await visitor.go(`cluster/${id}`, '[data-totals]');
  const { thread_seconds, seconds, idle_seconds } = await totals(null, null);
  const sum = Object.values(seconds).reduce((a, b) => a + b, idle_seconds);
  assert.ok(Math.abs(sum - thread_seconds) < 1e-6 * thread_seconds, `${sum} of ${thread_seconds}`);
  const words = await page.locator('[data-totals]').innerText();
  assert.match(words, new RegExp(`Idle\\s+${Math.round((idle_seconds / thread_seconds) * 100)} %`));
  assert.match(words, /1,440 tasks finished, 3 erred/);
  await page.keyboard.press('t');
  const table = chart('What threads did').locator('table');
  await table.waitFor();
  const heads = await table.locator('th').allInnerTexts();
  assert.deepEqual(heads, ['Time', 'fit', 'score', 'load-batch', 'mean', 'Transfer', 'Disk write', 'Deserialize', 'Idle']);
  // In each row the parts make up the whole.
  for (const row of (await table.locator('tbody tr').allInnerTexts()).slice(1, 120)) {
    const shares = row.split('\t').slice(1).map((text) => (text.startsWith('–') ? 0 : Number(text.replace(' %', ''))));
    const whole = shares.reduce((a, b) => a + b, 0);
    assert.ok(whole > 96 && whole < 104, row);
  }
  await accessible(page);
  await page.keyboard.press('t');
});

test('a time is chosen in the tables behind charts and heat-map, too', async () => {
  await visitor.go(`cluster/${id}`, '[data-totals]');
  await page.keyboard.press('t');
  const times = chart('Memory').locator('tbody td:first-child button');
  await times.first().waitFor();
  await times.nth(4).focus();
  await page.keyboard.press('Enter');
  await until(async () => (await times.nth(4).getAttribute('aria-pressed')) === 'true');
  // Taken back by Escape, and by the same time once more.
  await page.keyboard.press('Escape');
  await until(async () => (await times.nth(4).getAttribute('aria-pressed')) === 'false');
  const shown = await times.evaluateAll((all) => all.map((one) => one.innerText));
  await times.nth(9).click();
  await times.nth(3).click();
  await until(() => chosen().every((moment) => moment !== null));
  const [from, to] = chosen();
  assert.ok(to > from);
  await until(async () => (await times.count()) < shown.length && (await times.first().innerText()) === shown[3]);
  await page.keyboard.press('Escape');
  await until(() => chosen().every((moment) => moment === null));

  await visitor.go(`cluster/${id}?charts=prefixes`, '[data-totals]');
  const table = page.getByRole('region', { name: 'Computing by prefix' });
  const cells = table.locator('tbody tr').first().getByRole('button');
  await cells.first().waitFor();
  // Names stay in sight where the times go sideways.
  const name = table.locator('tbody th').first();
  const { x } = await name.boundingBox();
  assert.ok((await table.evaluate((box) => (box.scrollTo(200, 0), box.scrollLeft))) > 0);
  assert.equal((await name.boundingBox()).x, x);
  await table.evaluate((box) => box.scrollTo(0, 0));
  await accessible(page);
  await cells.nth(1).click();
  await page.getByText('Now click the end cell').waitFor();
  await cells.nth(3).click();
  await page.waitForURL(/tab=profile/);
  assert.ok(chosen()[1] > chosen()[0]);
  await page.keyboard.press('t');
  visitor.quiet();
});

test('a patch that is begun stays at its time while columns come in', async () => {
  const begun = now() - 800 * second;
  const story = new Story('moving', { name: 'moving', started: begun });
  const at = (i) => begun + i * 10 * second;
  const told = (first, last) => [
    ...Array.from({ length: last - first + 1 }, (_, i) => first + i).map((i) => story.sample(at(i), { totals: { compute: i * 60, thread_seconds: i * 160, tasks_completed: i * 10 } })),
    story.group(at(last), 'load', { states: { released: last * 10 }, seconds: { compute: last * 60 }, start: begun, stop: at(last) }),
  ];
  await bobbin.post(story.batch([story.cluster(), ...told(1, 40)]));
  const moving = (await visitor.ask('clusters', { text: 'name:moving' })).rows[0].id;
  await visitor.go(`cluster/${moving}?charts=prefixes`, 'figure');
  await page.keyboard.press('t');
  const row = page.getByRole('region', { name: 'Computing by prefix' }).locator('tbody tr').first();
  const cell = row.getByRole('button').nth(20);
  await cell.waitFor();
  await page.mouse.move(2, 2);
  await cell.focus();
  await page.keyboard.press('Enter');
  // Its name and its one figure come before the columns.
  const column = () => row.evaluate((line) => [...line.children].findIndex((one) => one.classList.contains('on')) - 2);
  await until(async () => (await column()) >= 0);
  const first = await column();
  const { from_micros, at_micros } = await visitor.ask('thread_use', { id: moving, bins: 60, prefixes: 12 });
  const middle = ((at_micros[first - 1] ?? from_micros) + at_micros[first]) / 2;
  await bobbin.post(story.batch(told(41, 79)));
  await until(async () => ![-3, first].includes(await column()));
  await row.locator('.on button').focus();
  await page.keyboard.press('Enter');
  await page.waitForURL(/tab=profile/);
  const [from, to] = chosen();
  assert.ok(from <= middle && middle <= to, `${from} to ${to} around ${middle}`);
  await page.keyboard.press('t');
  visitor.quiet();
});

test('its lists are named on one line in any window, with an arrow where there are more of them', async () => {
  const rail = page.getByRole('tablist', { name: 'Lists' });
  const arrows = { before: page.getByRole('button', { name: 'Previous lists' }), after: page.getByRole('button', { name: 'More lists' }) };
  const shown = async () => Promise.all([arrows.before.isVisible(), arrows.after.isVisible()]);
  const inSight = (name) =>
    until(async () => {
      const [line, one] = [await rail.boundingBox(), await tab(name).boundingBox()];
      return one.x >= line.x && one.x + one.width <= line.x + line.width;
    });
  try {
    for (const width of [1400, 900, 700, 480]) {
      await page.setViewportSize({ width, height: 900 });
      await visitor.go(`cluster/${id}?tab=groups`, '[role=tab]');
      await until(async () => (await shown()).join() === [false, width < 1000].join());
      const tops = await page.getByRole('tab').evaluateAll((all) => all.map((one) => one.getBoundingClientRect().top));
      assert.equal(new Set(tops).size, 1, `${width}: ${tops}`);
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
      if (width > 1000) continue;
      await arrows.after.click();
      await until(async () => (await shown())[0]);
      await tab('Task groups').focus();
      await page.keyboard.press('ArrowLeft');
      await inSight('Facts');
      await until(async () => (await shown()).join() === 'true,false');
      await page.keyboard.press('ArrowRight');
      await inSight('Task groups');
      // What an address means is in sight, and the page stays at its head.
      await page.goto('about:blank');
      await visitor.go(`cluster/${id}?tab=events`, '#numbers-title');
      await inSight('Events');
      assert.equal(await page.evaluate(() => scrollY), 0);
    }
    await accessible(page);
  } finally {
    await page.setViewportSize({ width: 1280, height: 800 });
  }
  visitor.quiet();
});

test('the list that is chosen does not fade, in large text either', async () => {
  const rail = page.getByRole('tablist', { name: 'Lists' });
  await visitor.go(`cluster/${id}?tab=activity`, '[role=tab]');
  try {
    await page.evaluate(() => localStorage.setItem('bobbin.textSize', '200'));
    await page.reload();
    await tab('Activity').waitFor();
    await until(async () => (await rail.getAttribute('data-more')) === 'left right');
    // What fades is 3rem wide.
    await until(async () => {
      const [line, one] = [await rail.boundingBox(), await tab('Activity').boundingBox()];
      return one.x + one.width <= line.x + line.width - 95;
    });
  } finally {
    await page.evaluate(() => localStorage.removeItem('bobbin.textSize'));
    await page.reload();
    await tab('Activity').waitFor();
  }
  visitor.quiet();
});

test('a time that is drawn on one chart narrows everything, and Esc takes it off', async () => {
  await visitor.go(`cluster/${id}`, '[data-totals]');
  const plot = chart('Memory').locator('.plot');
  await plot.scrollIntoViewIfNeeded();
  const box = await plot.boundingBox();
  await page.mouse.move(box.x + box.width * 0.2, box.y + 60);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.5, box.y + 60, { steps: 5 });
  await page.mouse.up();
  await page.locator('[data-window]').waitFor();
  await page.mouse.move(2, 2);
  const [from, to] = chosen();
  assert.ok(from > told.start && to < told.end && to > from);
  assert.match(await page.locator('[data-window]').getAttribute('title'), /UTC\. Press Esc to show the whole time/);
  const part = await totals(from, to);
  await until(async () => {
    const words = await page.locator('[data-totals]').innerText();
    return words.includes(`${part.groups} task groups`) && words.includes(`${part.events} events`);
  });
  assert.ok(part.groups < 4 && part.events < 60);
  await until(async () => (await tab('Task groups').innerText()).endsWith(String(part.groups)));
  await until(async () => (await page.locator('.box tbody tr:not([aria-hidden])').count()) >= part.groups);
  await tab('Exceptions').click();
  const { total } = await visitor.ask('exception_kinds', { id, from_micros: from, to_micros: to });
  assert.equal(total, 0);
  await page.getByText('No exceptions in the selected time').waitFor();
  await tab('Events').click();
  await listed(`${part.events} events`).waitFor();
  assert.deepEqual(chosen(), [from, to]);
  await page.keyboard.press('Escape');
  await listed('60 events').waitFor();
  assert.deepEqual(chosen(), [null, null]);
  await tab('Exceptions').click();
  await page.locator('article[id="exception-train-e"]').waitFor();
  visitor.quiet();
});

test('a time can be chosen by keys alone', async () => {
  await visitor.go(`cluster/${id}`, '[data-totals]');
  await chart('What threads did').locator('.plot').focus();
  for (const key of ['Home', 'ArrowRight', 'PageDown', 'Shift+PageDown', 'Shift+PageDown', 'Shift+ArrowLeft', 'Enter']) await page.keyboard.press(key);
  await page.locator('[data-window]').waitFor();
  const { from_micros, at_micros } = await visitor.ask('thread_use', { id, bins: 200 });
  // The moment before the first bin is the first of all.
  const at = [from_micros, ...at_micros];
  assert.deepEqual(chosen(), [at[11], at[30]]);
  // Esc lets go of the pointer first, and then of the time.
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await page.locator('[data-window]').waitFor({ state: 'detached' });
  assert.deepEqual(chosen(), [null, null]);
  // The keys of the part that has the focus stand first.
  await page.keyboard.press('?');
  await page.getByRole('heading', { name: 'Charts – current panel' }).waitFor();
  await page.keyboard.press('Escape');
  visitor.quiet();
});

test('what is pointed at is pinned by a click and by Enter, and Esc lets go', async () => {
  await visitor.go(`cluster/${id}`, '[data-totals]');
  const plot = chart('Memory').locator('.plot');
  const moment = plot.locator('.moment');
  await plot.scrollIntoViewIfNeeded();
  const box = await plot.boundingBox();
  await page.mouse.click(box.x + box.width * 0.4, box.y + 60);
  const pinned = await moment.innerText();
  await page.mouse.move(box.x + box.width * 0.8, box.y + 60);
  await page.mouse.move(2, 2);
  assert.equal(await moment.innerText(), pinned);
  // On the charts beside it, too, and whatever has the focus.
  assert.equal(await chart('Tasks').locator('.moment.pinned').innerText(), pinned);
  await page.getByText('at the pinned time').waitFor();
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press('Escape');
  await moment.waitFor({ state: 'detached' });
  assert.deepEqual(chosen(), [null, null]);
  // A second click lets go, too: the figures follow the pointer again.
  await page.mouse.click(box.x + box.width * 0.4, box.y + 60);
  await page.mouse.click(box.x + box.width * 0.6, box.y + 60);
  assert.equal(await plot.locator('.moment.pinned').count(), 0);
  await page.mouse.move(2, 2);
  await moment.waitFor({ state: 'detached' });
  await plot.focus();
  for (const key of ['Home', 'PageDown', 'Enter']) await page.keyboard.press(key);
  const kept = await moment.innerText();
  await page.keyboard.press('ArrowRight');
  assert.notEqual(await moment.innerText(), kept);
  await plot.evaluate((element) => element.blur());
  assert.equal(await plot.locator('.moment.pinned').count(), 1);
  await page.keyboard.press('Escape');
  await moment.waitFor({ state: 'detached' });
  visitor.quiet();
});

test('an address with a time opens the same view again', async () => {
  const address = `cluster/${id}?tab=computations&from=${told.start + 200 * second}&to=${told.start + 250 * second}`;
  await visitor.go(address, '[data-window]');
  // The first computation was over by then.
  await until(async () => (await page.locator('[id^="computation-"]').count()) === 1);
  assert.equal(await page.locator('[id^="computation-"]').getAttribute('id'), 'computation-train-c2');
});

test('a filter that no exception fits offers its own clearing', async () => {
  await visitor.go('exceptions?text=nothing-like-it', '.notice');
  await page.getByText('0 of 1 match').waitFor();
  await page.getByRole('button', { name: 'Clear the filter' }).click();
  await page.locator('article').waitFor();
  assert.equal(await page.getByLabel('Filter exceptions').inputValue(), '');
  visitor.quiet();
});

test('the same failure of several clusters is one, with the way to group, worker and code', async () => {
  await visitor.go('exceptions', 'article');
  assert.equal(await page.locator('article').count(), 1);
  await page.getByText(/2 clusters, first seen/).waitFor();
  await page.locator('article .head').click();
  assert.deepEqual(await page.locator('.places tbody a').allInnerTexts(), ['train-model', 'fit-train', 'last-month', 'fit-old']);
  await accessible(page);
  for (const [name, address, wait] of [
    ['Its task group', `cluster/${id}?item=train-fit`, 'tr.marked'],
    ['Its worker', `cluster/${id}?tab=workers&item=train-2`, '.life'],
    ['The code that called it', `cluster/${id}?tab=computations&item=train-c2`, 'article.chosen'],
  ]) {
    await visitor.go('connect', 'ol');
    await visitor.go('exceptions', 'article');
    await page.locator('article .head').click();
    await page.getByRole('link', { name }).click();
    await page.locator(wait).waitFor();
    assert.equal(page.url().split('#/1/')[1], address);
  }
  visitor.quiet();
});

test('a worker, a group and the code that called lead to what failed there', async () => {
  for (const [from, wait, name, item, words] of [
    ['tab=workers&item=train-2', '.life', 'Exceptions on this worker', 'train-2', 'All workers › worker-2'],
    ['tab=groups&item=train-fit', '.detail', 'Its exceptions', 'train-fit', 'All groups › fit'],
    ['tab=computations&item=train-c2', 'article.chosen', 'Exceptions', 'train-fit', 'All groups › fit'],
  ]) {
    await visitor.go(`cluster/${id}?${from}`, wait);
    await page.locator('#tabpanel').getByRole('link', { name, exact: true }).click();
    await page.getByText(words).waitFor();
    await page.locator('article').waitFor();
    const query = new URLSearchParams(page.url().split('?')[1]);
    assert.deepEqual([query.get('tab'), query.get('item')], ['exceptions', item]);
  }
  // Nothing failed on another one, and the way back is one click.
  await visitor.go(`cluster/${id}?tab=exceptions&item=train-1`);
  await page.getByText('No exceptions on this worker').waitFor();
  await page.getByRole('button', { name: 'Remove filter: selected worker' }).click();
  await page.locator('article').waitFor();
  visitor.quiet();
});

test('a worker that the list does not reach is told of, and narrows the exceptions', async () => {
  await page.route('**/api/workers', async (route) => {
    const response = await route.fetch();
    const answer = await response.json();
    if (route.request().postDataJSON().worker_id !== undefined) return route.fulfill({ response });
    const rows = answer.rows.filter(({ worker_id }) => worker_id !== 'train-1');
    await route.fulfill({ response, json: { ...answer, rows, truncated: true } });
  });
  await visitor.go('clusters', 'tbody a');
  await visitor.go(`cluster/${id}?tab=exceptions&item=train-1`);
  await page.getByText('All workers › worker-1').waitFor();
  await page.getByText('No exceptions on this worker').waitFor();
  await visitor.go(`cluster/${id}?tab=workers&item=train-1`, '.life');
  await page.getByText('Not all workers are shown').waitFor();
  await page.getByRole('region', { name: 'Worker worker-1' }).waitFor();
  await page.unrouteAll({ behavior: 'wait' });
  visitor.quiet();
});

test('a link to a failure opens it, also where its list is on the page already', async () => {
  const story = new Story('linked', { name: 'linked' });
  const types = ['KeyError', 'ValueError', 'OSError'];
  await bobbin.post(story.batch([story.cluster(), ...types.map((exception_type, i) => story.exception(now() - i * second, `x${i}`, { exception_type }))]));
  const linked = (await visitor.ask('clusters', { text: 'name:linked' })).rows[0].id;
  const open = (i) => page.locator(`#exception-x${i} .head`).getAttribute('aria-expanded');
  await visitor.go(`cluster/${linked}?tab=exceptions`, '#exception-x2');
  assert.deepEqual([await open(0), await open(2)], ['true', 'false']);
  await visitor.go(`cluster/${linked}?tab=exceptions&item=x2`, '#exception-x2.chosen');
  await until(async () => (await open(2)) === 'true');
  await page.locator('#exception-x2 .trace').waitFor();
  visitor.quiet();
});

test('the failures of a cluster are filtered by what they say and where they were', async () => {
  const linked = (await visitor.ask('clusters', { text: 'name:linked' })).rows[0].id;
  await visitor.go(`cluster/${linked}?tab=exceptions`, '#exception-x2');
  assert.equal(await page.locator('article').count(), 3);
  await page.getByLabel('Filter exceptions').fill('valueerr');
  await until(async () => (await page.locator('article').count()) === 1);
  await page.waitForURL(/text=valueerr/);
  await accessible(page);
  // Its own name is that of all.
  await page.getByLabel('Filter exceptions').fill('linked');
  await page.getByText('0 of 3 match').waitFor();
  await page.getByRole('button', { name: 'Clear the filter' }).click();
  await until(async () => (await page.locator('article').count()) === 3);
  visitor.quiet();
});

test('a copy of a failure hides folders and addresses, and says so', async () => {
  await visitor.context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: bobbin.origin });
  await visitor.go(`cluster/${id}?tab=exceptions`, 'article .trace');
  await page.locator('article').getByRole('button', { name: 'Copy' }).click();
  await page.getByText('Copied; masked 1 home folder, 1 address').waitFor();
  const text = await page.evaluate(() => navigator.clipboard.readText());
  assert.match(text, /3 times in 1 cluster/);
  assert.ok(!text.includes('/home/ana') && !text.includes('10.0.0.2'), text);
});

test('a copy of facts, code and failures gives no host away', async () => {
  const story = new Story('hpc', { name: 'hpc', user: 'ana', host: 'gpu-node-12.uni-x.edu', started: now() - 60 * second });
  const failure = story.exception(now(), 'h', { exception_type: 'OSError', traceback: '  File "/opt/x.py", line 4, in connect\nOSError: node-3 asked gpu-node-12:8786' });
  await bobbin.post(story.batch([story.cluster(), story.sample(now()), story.worker(now(), 3, 'joined'), failure]));
  const { id: hpc } = (await visitor.ask('clusters', { text: 'name:hpc' })).rows[0];
  await visitor.context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: bobbin.origin });
  const copied = async (name, more) => {
    await page.getByRole('button', { name, exact: true }).click(more);
    await page.getByRole('button', { name: /^Copied/ }).waitFor();
    return page.evaluate(() => navigator.clipboard.readText());
  };
  await visitor.go(`cluster/${hpc}?tab=facts`, '.cards');
  await visitor.settled();
  const facts = await copied('Copy as text');
  assert.match(facts, /Host:? *‹host›/);
  assert.doesNotMatch(facts, /gpu-node|\bana\b/);
  await visitor.go(`cluster/${hpc}?tab=exceptions`, 'article .trace');
  await visitor.settled();
  const text = await copied('Copy: OSError');
  assert.ok(text.includes('OSError: ‹host› asked ‹host›:8786'), text);
  await page.getByRole('button', { name: 'Copy: OSError', exact: true }).waitFor();
  assert.ok((await copied('Copy: OSError', { modifiers: ['Shift'] })).includes('node-3 asked gpu-node-12:8786'));
  visitor.quiet();
});

test('numbers in events are charts over the same axis, and words in them narrow the list', async () => {
  await visitor.go(`cluster/${id}?tab=events`, '#numbers-title');
  const { numbers } = await visitor.ask('event_fields', { id });
  assert.deepEqual(numbers.map(({ field, values }) => [field, values.length]), [['metrics.loss', 60], ['metrics.rows', 60]]);
  await chart('metrics.loss').locator('.plot').waitFor();
  await accessible(page);
  await page.getByRole('button', { name: 'warm-up 11' }).click();
  await listed('11 events').waitFor();
  assert.equal(await page.locator('.events tbody tr').count(), 11);
  // Its address opens the same view again.
  const there = page.url();
  await page.goto('about:blank');
  await page.goto(there);
  await listed('11 events').waitFor();
  await page.getByRole('button', { name: /Remove filter/ }).click();
  await listed('60 events').waitFor();
  visitor.quiet();
});

test('fields of events that are not shown are counted', async () => {
  const story = new Story('fields', { name: 'fields', switches: { events_allow: ['*'] } });
  const payload = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [[`loss-${i}`, i], [`stage-${i}`, 'warm']]).flat());
  await bobbin.post(story.batch([story.cluster(), story.event(now(), 'train', payload)]));
  const fields = (await visitor.ask('clusters', { text: 'name:fields' })).rows[0].id;
  await visitor.go(`cluster/${fields}?tab=events`, '#words-title');
  assert.equal(await page.getByText('the 12 fields with the most values, of 20').count(), 2);
  visitor.quiet();
});

test('numbers below zero, and below one, are charts like others', async () => {
  const story = new Story('rewards', { name: 'rewards', started: now() - 60 * second, switches: { events_allow: ['*'] } });
  const events = [[-3, 0.0001], [4, 0.0003], [-1, 0.0002]].map(([reward, rate], i) => story.event(now() - (3 - i) * second, 'train', { reward, rate }));
  await bobbin.post(story.batch([story.cluster(), ...events]));
  const rewards = (await visitor.ask('clusters', { text: 'name:rewards' })).rows[0].id;
  await visitor.go(`cluster/${rewards}?tab=events`, '#numbers-title');
  const ticks = (name) => chart(name).locator('svg text[text-anchor=end]').allTextContents();
  await until(async () => (await ticks('reward')).join() === '-5,0,5');
  assert.deepEqual(await ticks('rate'), ['0', '0.0001', '0.0002', '0.0003']);
  assert.match(await chart('rate').locator('.plot').getAttribute('aria-label'), /value 0\.0002, 0\.0001 to 0\.0003/);
  // The line stays in its plot.
  const { plot, line } = await chart('reward').evaluate((figure) => {
    const [plot, line] = [figure.querySelector('.plot'), figure.querySelector('path.line')].map((one) => one.getBoundingClientRect());
    return { plot: [plot.top, plot.bottom], line: [line.top, line.bottom] };
  });
  assert.ok(line[0] > plot[0] && line[1] < plot[1] && line[1] - line[0] > 50, JSON.stringify({ plot, line }));
  visitor.quiet();
});

test('the largest numbers are a chart, and those of one moment have a row each in its table', async () => {
  const story = new Story('extremes', { name: 'extremes', started: now() - 60 * second, switches: { events_allow: ['*'] } });
  const [before, after] = [now() - 2 * second, now() - second];
  const events = [[before, -1.7e308], [after, 1.7e308], [after, 1.6e308]].map(([at, loss], i) => story.event(at, 'train', { loss, step: i }));
  await bobbin.post(story.batch([story.cluster(), ...events]));
  const extremes = (await visitor.ask('clusters', { text: 'name:extremes' })).rows[0].id;
  await visitor.go(`cluster/${extremes}?tab=events`, '#numbers-title');
  await until(async () => (await chart('loss').locator('svg text[text-anchor=end]').allTextContents()).join() === '-1.8e+308,0,1.8e+308');
  assert.doesNotMatch(await chart('loss').locator('path.line').getAttribute('d'), /NaN|Infinity/);
  await page.keyboard.press('t');
  const table = page.getByRole('region', { name: 'loss over time, as a table' });
  await table.waitFor();
  assert.equal(await table.locator('tbody tr').count(), 3);
  await page.keyboard.press('t');
  visitor.quiet();
});

test('topics and fields that read alike side by side are two charts', async () => {
  const story = new Story('alike', { name: 'alike', switches: { events_allow: ['*'] } });
  await bobbin.post(story.batch([story.cluster(), story.event(now(), 'train loss', { 'of fold': 1 }), story.event(now(), 'train', { 'loss of fold': 2 })]));
  const alike = (await visitor.ask('clusters', { text: 'name:alike' })).rows[0].id;
  await visitor.go(`cluster/${alike}?tab=events`, '#numbers-title');
  assert.equal(await page.getByRole('region', { name: 'Numbers in events' }).locator('figure').count(), 2);
  visitor.quiet();
});

test('how charts are read is said of charts, and not of tables or a heat-map', async () => {
  const drag = page.getByText('drag across a chart to narrow the page');
  await visitor.go(`cluster/${id}`, '.plot');
  await drag.waitFor();
  await page.keyboard.press('t');
  await drag.waitFor({ state: 'detached' });
  await page.keyboard.press('t');
  await drag.waitFor();
  await visitor.go(`cluster/${id}?charts=prefixes`, 'svg[role=application]');
  await until(async () => (await drag.count()) === 0 && (await page.getByText(/figures are (the latest|the largest|where you point)/).count()) === 0);
  visitor.quiet();
});

test('what a chosen time or group does not narrow says so, and the rest obeys', async () => {
  const start = now() - 300 * second;
  const story = new Story('partly', { name: 'partly', started: start });
  await bobbin.post(
    story.batch([
      story.cluster(),
      story.sample(now(), { totals: { compute: 20, thread_seconds: 100, tasks_completed: 20 } }),
      story.group(now(), 'load', { states: { memory: 10 }, seconds: { compute: 10 }, start, stop: start + 60 * second }),
      story.group(now(), 'fit', { states: { memory: 10 }, seconds: { compute: 10 }, start: start + 120 * second, stop: now(), needs: ['load'] }),
      story.span(now(), 'reading', { start, stop: start + 60 * second, groups: ['load'] }),
      story.span(now(), 'training', { start: start + 120 * second, stop: now(), groups: ['fit'] }),
      story.metric(now(), 'execute', 'load', 'thread-cpu', 'seconds', 9),
      story.metric(now(), 'execute', 'fit', 'thread-cpu', 'seconds', 8),
    ]),
  );
  const partly = (await visitor.ask('clusters', { text: 'name:partly' })).rows[0].id;
  const said = () => page.locator('[data-partly]').innerText();
  const spans = () => page.locator('.spans .span').allInnerTexts();
  const sums = () => page.locator('.sum .name').allInnerTexts();
  await visitor.go(`cluster/${partly}?tab=activity`, '.spans .span');
  assert.deepEqual(await spans(), ['training', 'reading']);
  assert.equal(await page.locator('[data-partly]').count(), 0);
  await visitor.go(`cluster/${partly}?tab=activity&from=${start}&to=${start + 30 * second}`, '[data-partly]');
  await until(async () => (await spans()).join() === 'reading');
  assert.match(await said(), /^Spans are those of the selected time\..*whole run/);
  await until(async () => (await sums()).sort().join() === 'fit,load');
  await visitor.go(`cluster/${partly}?tab=activity&f-group=fit`, '[data-partly]');
  await until(async () => (await spans()).join() === 'training' && (await sums()).join() === 'fit');
  assert.match(await said(), /all groups of fit/);
  for (const [tab, words] of [['cost', /The whole run/], ['workers', /Workers present in the selected time/], ['graph', /stand out/]]) {
    await visitor.go(`cluster/${partly}?tab=${tab}&from=${start}&to=${start + 30 * second}`, '[data-partly]');
    await until(async () => words.test(await said()));
  }
  await until(async () => (await page.locator('.node.dim').count()) === 1);
  await accessible(page);
  visitor.quiet();
});

test('what was not collected, and why, stands in one place', async () => {
  await visitor.go(`cluster/${id}?tab=facts`, '[data-missing]');
  const rows = await page.locator('[data-missing] tbody tr').allInnerTexts();
  assert.equal(rows.length, 1);
  assert.match(rows[0], /Profiles\s+off at source since .+\s+set bobbin\.profile\.transmit: true/);
  await accessible(page);
});

test('what a rule removed is said where it is missed, with the way to the rule', async () => {
  const rows = [{ category: 'profiles', at_micros: now(), rule_days: 30, records: 12 }];
  await page.route('**/api/cluster_pruned', (route) => route.fulfill({ json: { rows } }));
  await visitor.go('clusters', 'tbody a');
  await visitor.go(`cluster/${id}?tab=profile`, '[data-pruned=profiles]');
  const notice = page.locator('[data-pruned=profiles]');
  assert.match(await notice.innerText(), /Profile removed by the 30-day rule; totals kept\s+12 records, last on/);
  await accessible(page);
  await notice.getByRole('link', { name: 'Change the rule' }).click();
  await page.waitForURL(/settings\/storage/);
  await page.unrouteAll({ behavior: 'wait' });
  visitor.quiet();
});

test('a list of groups that is cut off says so, and how many there are', async () => {
  await page.route('**/api/task_groups', async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), total: 2_400, truncated: true } });
  });
  await visitor.go('clusters', 'tbody a');
  await visitor.go(`cluster/${id}`, '.box tbody tr');
  await page.getByText('Not all groups are shown').waitFor();
  await page.getByText(/the 4 groups with the most compute time, of 2,400/).waitFor();
  await until(async () => (await tab('Task groups').innerText()).endsWith('2,400'));
  await page.unrouteAll({ behavior: 'wait' });
  visitor.quiet();
});

test('the graph and every other list that is cut off say so, and lead to more where there is more', async () => {
  for (const [name, command, words, next] of [
    ['graph', 'graph', /the \d+ groups with the most compute time, of 12,400/],
    ['workers', 'workers', /These are \d+ of 12,400/],
    ['computations', 'computations', /^The newest \d+ of 12,400\.$/, [25, 50]],
    ['exceptions', 'exception_kinds', /^The newest \d+ of 12,400\.$/, [100, 200]],
  ]) {
    await page.route(`**/api/${command}`, async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...(await response.json()), total: 12_400, truncated: true } });
    });
    await visitor.go('clusters', 'tbody a');
    await visitor.go(`cluster/${id}?tab=${name}`, '[role=tabpanel]');
    await page.getByText(words).waitFor();
    if (next !== undefined) {
      const [step, limit] = next;
      const asked = page.waitForRequest((request) => request.url().endsWith(`/api/${command}`) && request.postDataJSON().limit === limit);
      await page.getByRole('button', { name: `Show ${step} more` }).click();
      await asked;
    }
    await page.unrouteAll({ behavior: 'wait' });
  }
  visitor.quiet();
});

test('a failure of more groups than are told is found by each of them', async () => {
  const story = new Story('wide', { name: 'wide', started: now() - 300 * second });
  const groups = Array.from({ length: 60 }, (_, i) => `wide-${i}`);
  await bobbin.post(
    story.batch([
      story.cluster(),
      ...groups.map((group) => story.group(now(), group, { states: { erred: 1 } })),
      ...groups.map((group, i) => story.exception(now() - (60 - i) * second, `wide-e${i}`, { group_id: group, group })),
    ]),
  );
  const wide = (await visitor.ask('clusters', { text: 'wide' })).rows[0].id;
  const { rows } = await visitor.ask('exception_kinds', { id: wide });
  assert.ok(!rows[0].places.some(({ group_id }) => group_id === 'wide-3'));
  await visitor.go(`cluster/${wide}?tab=groups&item=wide-3`, '.detail');
  await tab('Exceptions').click();
  await page.getByText('All groups › wide-3').waitFor();
  await page.locator('article').first().waitFor();
  assert.equal(await page.getByText('Tasks of this group raised none').count(), 0);
  await visitor.go('exceptions?text=wide-3', 'article');
});

test('a lost cluster is marked finished, which can be taken back, outlives a restart, and ends when it reports again', async () => {
  const own = await Bobbin.start();
  let seen = null;
  try {
    const silent = lost(now());
    for (const batch of silent.batches) await own.post(batch);
    const enter = async () => {
      await seen?.context.close();
      seen = await Visitor.enter(browser, own);
      await seen.go('cluster/1', '.state, [data-verdict]');
    };
    const state = () => seen.ask('cluster', { id: 1 }).then(({ row }) => row.state);
    await enter();
    await until(async () => (await state()) === 'lost');
    const button = (name) => seen.page.getByRole('button', { name, exact: true });
    await seen.page.getByText('no shutdown reported: the scheduler may have died').waitFor();
    await accessible(seen.page);
    await button('Mark finished').click();
    await seen.page.getByText('it was marked finished by hand').waitFor();
    assert.equal(await state(), 'finished');
    await accessible(seen.page);
    await button('Undo').click();
    await button('Mark finished').click();
    await button('Undo').waitFor();
    seen.quiet();

    await own.restart();
    await enter();
    await button('Undo').waitFor();
    assert.equal(await state(), 'finished');
    // It was not dead after all.
    await own.post(silent.story.batch([silent.story.sample(now(), { workers: 6, tasks: { processing: 24 } })]));
    await button('Undo').waitFor({ state: 'detached' });
    // It reports no more: that is another silence.
    await until(async () => (await state()) === 'lost');
    await button('Mark finished').waitFor();
    const { page: last } = seen;
    await last.getByRole('link', { name: 'Its last ten minutes' }).click();
    await last.waitForURL(/from=\d+&to=\d+/);
    seen.quiet();
  } finally {
    await seen?.context.close();
    await own.remove();
  }
});
