// The palette: every action, place, view and cluster, and what a search finds; by keyboard alone.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accessible } from './support/axe.mjs';
import { until } from './support/browser.mjs';
import { busy, Story, weeks } from './support/story.mjs';
import { sharedVisit } from './support/visit.mjs';

const now = () => Date.now() * 1000;

let bobbin, visitor, page;
sharedVisit({
  tell: async (bobbin) => {
    for (const batch of [...weeks(3, now()), ...busy(now()).batches]) await bobbin.post(batch);
  },
  met: (there) => ({ bobbin, visitor, page } = there),
});

const box = () => page.getByRole('combobox', { name: 'Search and actions' });
const chosen = () => page.locator('[role=option][aria-selected=true] .label').innerText();

async function open() {
  // One that was just left is gone first.
  await page.locator('dialog').waitFor({ state: 'detached' });
  await page.keyboard.press('Control+k');
  await box().waitFor();
}

test('an action is done and a setting set without a mouse', async () => {
  await visitor.go('overview');
  await open();
  await accessible(page);
  // What a key does as well says which.
  const keys = (name) => page.getByRole('option', { name }).locator('kbd').innerText();
  assert.deepEqual(await Promise.all([/^Overview/, /^Show tables/, /^Copy a link/, /^Keyboard shortcuts/].map(keys)), ['g o', 't', 'l', '?']);
  await page.keyboard.type('theme dark');
  await until(async () => (await chosen()) === 'Theme: dark');
  await page.keyboard.press('Enter');
  await until(async () => (await page.locator('html').getAttribute('data-theme')) === 'dark');
  assert.equal(await box().count(), 0);
  await open();
  await page.keyboard.type('theme system');
  await page.keyboard.press('Enter');
  await open();
  await page.keyboard.type('exceptions');
  await until(async () => (await chosen()) === 'Exceptions');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Exceptions', exact: true }).waitFor();
  visitor.quiet();
});

test('clusters, prefixes, exceptions, messages and code are found, with the match shown', async () => {
  const { rows } = await visitor.ask('clusters', { text: 'nightly 2026' });
  const id = rows[0].id;
  const { rows: groups } = await visitor.ask('task_groups', { id });
  const { rows: failed } = await visitor.ask('exceptions', { id });
  await visitor.go('overview');
  await open();
  await page.keyboard.type(rows[0].name.slice(2, 6));
  await until(async () => (await page.locator('[role=option] mark').allInnerTexts()).includes(rows[0].name.slice(2, 6)));
  await box().fill(groups[0].prefix);
  await page.getByRole('group', { name: 'Prefixes' }).getByRole('option').first().waitFor();
  await box().fill('_join_index');
  await page.getByRole('group', { name: 'Functions in profiles' }).getByRole('option').filter({ hasText: '_get_join_indexers' }).waitFor();
  await box().fill(failed[0].exception_type);
  await page.getByRole('group', { name: 'Exceptions', exact: true }).getByRole('option').first().waitFor();
  const message = failed.map((one) => one.message.text).find((text) => text !== undefined).slice(0, 12);
  await box().fill(message);
  const hit = page.getByRole('group', { name: 'Exception messages' }).getByRole('option').first();
  await hit.waitFor();
  await hit.click();
  await until(async () => page.url().includes('tab=exceptions'));
  visitor.quiet();
});

test('what finds nothing says what was looked through, and the list is one key away', async () => {
  await visitor.go('overview');
  await open();
  await page.keyboard.type('zzz-not-there');
  await page.getByText(/^\s*Nothing found in .*notes.*code\./).waitFor();
  assert.equal(await chosen(), 'Filter the clusters by “zzz-not-there”');
  await page.keyboard.press('Enter');
  await until(async () => page.url().includes('clusters?text=zzz-not-there'));
  await open();
  await page.keyboard.press('Escape');
  await until(async () => (await box().count()) === 0);
  visitor.quiet();
});

test('Enter does what belongs to the words that are there, not to those of before', async () => {
  const { rows } = await visitor.ask('clusters', { text: 'nightly 2026' });
  const { rows: groups } = await visitor.ask('task_groups', { id: rows[0].id });
  await visitor.go('overview');
  await open();
  await page.keyboard.type(groups[0].prefix);
  await page.getByRole('group', { name: 'Prefixes' }).getByRole('option').first().waitFor();
  const letGo = await visitor.late('search');
  await page.keyboard.type('-not-there');
  assert.equal(await page.locator('[role=option] mark').count(), 0);
  await page.keyboard.press('Enter');
  await until(async () => page.url().includes(`clusters?text=${groups[0].prefix}-not-there`));
  await letGo();
  visitor.quiet();
});

test('what is found late moves no choice, and nothing is missing before all was looked through', async () => {
  const { rows } = await visitor.ask('clusters', { text: 'nightly 2026' });
  const { rows: failed } = await visitor.ask('exceptions', { id: rows[0].id });
  const message = failed.map((one) => one.message.text).find((text) => text?.startsWith('Attempted')).slice(0, 24);
  const status = () => page.getByRole('dialog').getByRole('status').innerText();
  await visitor.go('overview');
  await open();
  let letGo = await visitor.late('search', ({ sealed }) => sealed);
  const plain = () => page.waitForResponse((response) => response.url().endsWith('/api/search') && !response.request().postDataJSON().sealed);
  let first = plain();
  await page.keyboard.type('zzz-not-there');
  await (await first).finished();
  assert.equal(await status(), 'Searching…');
  await letGo();
  await until(async () => /^Nothing found in .*code\.$/.test((await status()).trim()));
  letGo = await visitor.late('search', ({ sealed }) => sealed);
  first = plain();
  await box().fill(message);
  await (await first).finished();
  const before = await chosen();
  assert.equal(before, `Filter the clusters by “${message.trim()}”`);
  await letGo();
  await page.getByRole('group', { name: 'Exception messages' }).getByRole('option').first().waitFor();
  assert.equal(await chosen(), before);
  // Also with something found the foot says which keys there are.
  await page.getByRole('dialog').getByText('select,').waitFor();
  await page.keyboard.press('Enter');
  await until(async () => page.url().includes('clusters?text=Attempted'));
  visitor.quiet();
});

test('what is looked for is kept as a view of the list', async () => {
  await visitor.go('overview', 'h1');
  await open();
  await page.keyboard.type('merge (');
  await page.getByRole('option', { name: /^Save “merge \(” as a view/ }).click();
  await page.waitForURL(/clusters\?text=/);
  const { rows } = await visitor.ask('views');
  assert.deepEqual(rows.map(({ view }) => [view.name, view.filter]), [['merge (', '"merge ("']]);
  await open();
  await page.keyboard.type('merge (');
  await page.getByRole('group', { name: 'Views' }).getByRole('option', { name: /^merge \(/ }).waitFor();
  await page.keyboard.press('Escape');
  // A text that is no filter is refused before it is kept by its words.
  visitor.complaints = visitor.complaints.filter((what) => !/status of 400/.test(what));
  visitor.quiet();
});

test('what is older than the newest messages and code is looked for step by step', async () => {
  const story = new Story('long', { name: 'long' });
  const code = (i) => [{ code: i === 0 ? 'needle_of_long_ago = 1' : `straw_${i} = 1`, filename: '/home/ana/a.py', line_relative: 0, line: 1 }];
  await bobbin.post(story.batch([story.cluster(), ...Array.from({ length: 260 }, (_, i) => story.computation(now() + i, `old-${i}`, { start: now(), code: code(i) }))]));
  const { sealed } = await visitor.ask('search', { text: 'needle_of_long_ago', sealed: true });
  const total = sealed.reduce((sum, one) => sum + one.total, 0);
  const done = sealed.reduce((sum, one) => sum + one.looked, 0);
  assert.ok(done < total, `${done} of ${total}`);
  const status = () => page.getByRole('dialog').getByRole('status').innerText();
  await visitor.go('overview');
  await open();
  await page.keyboard.type('needle_of_long_ago');
  await until(async () => (await status()).includes(`Searched the newest ${done} of ${total} messages and code snippets.`));
  // The way on is the last entry.
  await page.keyboard.press('ArrowUp');
  await until(async () => (await chosen()) === 'Look further back');
  await page.keyboard.press('Enter');
  await page.getByRole('group', { name: 'Code' }).getByRole('option').first().waitFor();
  assert.match(await page.locator('[role=option] mark').last().innerText(), /needle_of_long_ago/);
  // Enter once more means nothing else.
  await until(async () => (await chosen()) === 'Nothing older');
  await page.keyboard.press('Enter');
  assert.equal(await box().count(), 1);
  await accessible(page);
  await page.keyboard.press('Escape');
  visitor.quiet();
});

test('what can be done on the page in sight stands first, and only while it is in sight', async () => {
  const here = page.getByRole('group', { name: 'This page' });
  const offered = () => here.locator('.label').allInnerTexts();
  const { rows } = await visitor.ask('clusters', { states: ['finished'] });
  const { id } = rows[0];
  await visitor.go(`cluster/${id}`, '[data-totals]');
  await open();
  const whatever = ['Privacy lens', 'Copy a link to this view', 'Copy as SQL'];
  const cluster = ['Compare this cluster', 'Share this cluster', 'Report of this cluster', 'Delete this cluster', 'Pin this cluster', 'Name, tags, note', 'Replay this cluster', 'Make a demo of this cluster'];
  const tabs = (await page.getByRole('tab', { includeHidden: true }).allInnerTexts()).map((text) => text.replace(/\s*[\d,]+$/, '').trim());
  assert.equal(tabs.length, 10);
  // What stands on many pages, as this one has it: each way to save, and each filter.
  const common = async () => [
    ...(await page.locator('[aria-haspopup=menu][aria-label^="Save "]').evaluateAll((all) => all.map((one) => `${one.getAttribute('aria-label')}…`))),
    ...(await page.locator('input[data-filter]').evaluateAll((all) => all.map((one) => one.getAttribute('aria-label')))),
  ];
  const all = async (own) => [...whatever, ...own, ...(await common())].toSorted();
  await until(async () => (assert.deepEqual((await offered()).toSorted(), await all([...cluster, ...tabs])), true));
  assert.ok((await common()).includes('Save task groups…') && (await common()).includes('Filter task groups'));

  // What is not listed is counted.
  const meant = (await here.getByRole('option').allInnerTexts()).filter((text) => /this/i.test(text) && /cluster/i.test(text)).length;
  assert.ok(meant > 4, String(meant));
  await page.keyboard.type('this cluster');
  await until(async () => (await here.locator('.title').innerText()) === `This page, 4 of ${meant}`);
  assert.equal((await offered()).length, 4);
  await box().fill('filter task');
  await until(async () => (await chosen()) === 'Filter task groups');
  await page.keyboard.press('Enter');
  await until(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label') === 'Filter task groups'));
  await page.evaluate(() => document.activeElement.blur());
  await open();

  await page.keyboard.type('pin this');
  await until(async () => (await chosen()) === 'Pin this cluster');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Pinned', pressed: true }).waitFor();
  await open();
  await page.keyboard.type('workers');
  await until(async () => (await chosen()) === 'Workers');
  await page.keyboard.press('Enter');
  await page.waitForURL(/tab=workers/);
  await open();
  await page.keyboard.type('delete this');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: /^Delete/ }).waitFor();
  await page.keyboard.press('Escape');

  // The order to close is there where the scheduler still runs, and the rest goes with its page.
  const running = await visitor.ask('clusters', { states: ['running'], text: 'nightly' });
  await visitor.go(`cluster/${running.rows[0].id}`, '[data-totals]');
  await open();
  await until(async () => (await offered()).includes('Close this cluster'));
  await page.keyboard.press('Escape');
  await visitor.go('overview', 'ul.answers');
  await page.waitForSelector('svg.cells');
  await open();
  const choices = [
    ...['7 days', '28 days', '13 weeks', '52 weeks'].map((words) => `Period: ${words}`),
    ...['over time', 'calendar', 'hours of the week'].map((words) => `Form: ${words}`),
    ...['compute time', 'cluster time', 'cost', 'idle time', 'stalled time', 'erred tasks', 'peak memory'].map((words) => `Measure: ${words}`),
    ...['user', 'project', 'host', 'cluster', 'span'].map((words) => `Rows: ${words}`),
    ...['hour', 'day'].map((words) => `Columns: ${words}`),
    ...['by total', 'by name'].map((words) => `Row order: ${words}`),
    // Until the offer is answered.
    'Show recovery key',
  ];
  await until(async () => {
    const own = (await offered()).filter((label) => !/^Show (all|fewer) rows$/.test(label));
    return own.toSorted().join() === (await all(choices)).join();
  });
  await page.keyboard.type('measure cost');
  await until(async () => (await chosen()) === 'Measure: cost');
  await page.keyboard.press('Enter');
  await page.locator('#heat-title').getByText(/Cost by \w+ and day/).waitFor();
  // Where a word begins the name of another page, that is meant.
  await open();
  await page.keyboard.type('clusters');
  await until(async () => (await chosen()) === 'Clusters');
  await page.keyboard.press('Escape');

  for (const [address, drawn, actions] of [
    [`compare?a=${rows[0].id}&b=${rows[1].id}`, '#waterfall', ['Swap A and B', 'Show everything', 'Show constant columns', 'Report of this comparison']],
    [`cluster/${running.rows[0].id}?tab=profile`, 'canvas', ['Profile: flame', 'Profile: sandwich', 'Profile: table', 'Profile: difference']],
    [`cluster/${running.rows[0].id}?tab=graph`, '.node', ['Fit the whole graph', 'Zoom in', 'Zoom out', 'Top down', 'Show the critical path', 'Area: data', 'Save the graph…']],
    ['exceptions?from=2020-01-01', 'article', ['Clear the filter', 'Filter exceptions', 'Save exceptions…']],
    [`review?ids=${id}`, 'ul input[type=checkbox]', ['Review the bytes of 1 cluster', 'Filter clusters']],
    ['ledger', '#chain', ['Save the ledger…']],
    ['connect', 'li.panel', ['Connect this machine', 'Open samples']],
    ['settings/receiver', '#setting-token', ['Show the token', 'Replace the token']],
    ['settings/privacy', '#key-title', ['Lock', 'Show recovery key', 'Replace key']],
    ['settings/appearance', '#setting-theme', ['Reset appearance']],
    ['settings/doctor', '#doctor-title', ['Check again']],
    ['costs', '#budgets-title', ['New budget']],
    ['sql', 'textarea', ['Run the query']],
    ['prices', '.box', ['New price', 'Change currency']],
  ]) {
    await visitor.go(address, drawn);
    await open();
    await until(async () => {
      const here = await offered();
      return actions.every((action) => here.includes(action));
    });
    await page.keyboard.press('Escape');
  }
  await open();
  await page.keyboard.type('new price');
  await until(async () => (await chosen()) === 'New price');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'New price' }).waitFor();
  await page.keyboard.press('Escape');
  await visitor.go(`cluster/${running.rows[0].id}?tab=graph`, '.node');
  await open();
  await page.keyboard.type('top down');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Top down', pressed: true }).waitFor();
  await visitor.go('ledger', '#chain');
  await open();
  await page.keyboard.type('save the ledger');
  await page.keyboard.press('Enter');
  await page.getByRole('menu', { name: 'Save the ledger' }).getByRole('menuitem').first().waitFor();
  await page.keyboard.press('Escape');
  visitor.quiet();
});
