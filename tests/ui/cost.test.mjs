// The price book and what a cluster costs, in a real browser.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { accessible } from './support/axe.mjs';
import { until } from './support/browser.mjs';
import { busy, hostile, past, secretive } from './support/story.mjs';
import { sharedVisit } from './support/visit.mjs';

const second = 1_000_000;
const now = () => Date.now() * 1000;

describe('costs', () => {
  let bobbin, visitor, page;
  sharedVisit({
    tell: async (bobbin) => {
      for (const batch of busy(now()).batches) await bobbin.post(batch);
      for (const batch of secretive(now()).batches) await bobbin.post(batch);
      await bobbin.post(past('old', { name: 'old', project: 'etl' }, { at: now() - 20 * 86_400 * second, seconds: 3600, busy: 0.25, tasks: 10 }));
    },
    options: { timezoneId: 'Europe/Berlin' },
    met: (there) => ({ bobbin, visitor, page } = there),
  });

  const idOf = async (text) => (await visitor.ask('clusters', { text })).rows[0].id;
  const costOf = async (text) => (await visitor.ask('cluster_cost', { id: await idOf(text) })).cost;
  const write = async (fill) => {
    await fill();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
  };

  test('before anybody writes a price, it is the electricity of one’s own machine', async () => {
    await visitor.go('prices', '.box');
    await page.getByText('4–12 W per core at 0.15–0.40 € per kilowatt-hour').waitFor();
    await page.getByText('Assumed, not measured').waitFor();
    // 16 core-hours at 4 W and 0.15.
    assert.equal((await costOf('old')).total.low_nanos, 9_600_000);
  });

  test('a price is written, corrected, dated and removed, and clusters follow', async () => {
    await visitor.go('prices', '.box');
    await page.getByRole('button', { name: 'New price' }).click();
    // One may begin with a list price, which says where it is from, and in what currency.
    await page.getByLabel('Start from a list price').selectOption('AWS Fargate');
    await page.getByText('These figures are in USD and the price book is in EUR').waitFor();
    // Nothing of one form is left in the next.
    await page.getByRole('button', { name: /^Change from a date/ }).first().click();
    assert.equal(await page.getByLabel('Start from a list price').inputValue(), '-1');
    assert.equal(await page.getByText('These figures are in USD').count(), 0);
    await page.getByRole('button', { name: 'New price' }).click();
    await page.getByLabel('Start from a list price').selectOption('AWS Fargate');
    assert.equal(await page.getByRole('textbox', { name: 'Core, at least' }).inputValue(), '0.04048');
    assert.match(await page.getByLabel('Source of the figures').inputValue(), /2026/);
    await page.getByRole('textbox', { name: 'Memory, at least' }).fill('0');
    await page.getByRole('textbox', { name: 'Memory, at most' }).fill('0');
    await page.getByRole('textbox', { name: 'Core, at most' }).fill('');
    await write(async () => {
      await page.getByLabel('Name').fill(hostile.html);
      await page.getByRole('textbox', { name: 'Core, at least' }).fill('cheap');
    });
    await page.getByRole('alert').filter({ hasText: '“cheap” is not a number' }).waitFor();
    await write(async () => {
      await page.getByRole('textbox', { name: 'Core, at least' }).fill('0,5');
      await page.getByRole('textbox', { name: 'Core, at most' }).fill('0.25');
    });
    await page.getByText('0.5 to 0.25 cannot be used').waitFor();
    // The refusal is the one thing that the browser itself complains of.
    visitor.complaints = visitor.complaints.filter((what) => !what.includes('status of 400'));
    await write(async () => {
      await page.getByRole('textbox', { name: 'Core, at most' }).fill('0.75');
      await page.getByRole('button', { name: 'Project' }).click();
      await page.getByLabel('Project', { exact: false }).last().fill('e*');
      await page.getByLabel('Valid from').fill('2020-01-01');
    });
    await page.locator('.rate').getByText('0.50–0.75 € per core-hour').waitFor();
    await page.getByText('For project e*, from 1 Jan 2020').waitFor();
    assert.equal(await page.locator('main img').count(), 0);
    assert.deepEqual((await costOf('old')).total, { low_nanos: 8_000_000_000, high_nanos: 12_000_000_000 });
    // Three quarters of it were idle, but for what was moved.
    const idle = (await costOf('old')).idle.low_nanos;
    assert.ok(idle > 5_000_000_000 && idle < 6_000_000_000, String(idle));

    await page.getByRole('button', { name: /^Edit/ }).first().click();
    await write(() => page.getByRole('textbox', { name: 'Core, at least' }).fill('0.25'));
    await page.locator('.rate').getByText('0.25–0.75 € per core-hour').waitFor();
    await page.getByText('2 versions').click();
    await page.locator('details').getByText('0.50–0.75 € per core-hour').waitFor();
    await page.getByRole('button', { name: 'Change currency' }).click();
    await page.getByLabel('Currency').fill('USD');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('0.25–0.75 $ per core-hour').first().waitFor();
    assert.equal((await costOf('old')).currency, 'USD');
    await page.getByRole('button', { name: /^Remove/ }).first().click();
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByRole('heading', { name: 'Removed' }).waitFor();
    assert.equal((await costOf('old')).total.low_nanos, 9_600_000);
    assert.equal((await visitor.ask('prices')).changes.length, 6);
  });

  test('operations sum to the cluster, idleness among them, and lines of code have a price with its error', async () => {
    const id = await idOf('nightly 2026');
    await visitor.go(`cluster/${id}?tab=cost`, '[data-cost]');
    const door = await visitor.ask('cluster_cost', { id });
    const sum = (of) => door.operations.reduce((total, row) => total + of(row), 0);
    assert.equal(sum(({ money }) => money.high_nanos), door.cost.total.high_nanos);
    assert.equal(sum(({ thread_micros }) => thread_micros), door.thread_micros);
    const labels = await page.locator('#operations-title >> xpath=ancestor::section >> tbody td.label').allInnerTexts();
    assert.equal(labels.length, door.operations.length);
    assert.ok(labels.includes('Idle'));
    await page.getByRole('button', { name: 'merge-shuffle' }).click();
    await page.waitForSelector('tr.group a');
    await page.waitForURL(/item=prefix/);
    await page.locator('tr.group a').first().click();
    await page.waitForSelector('#tab-groups[aria-selected=true]');
    await page.goBack();
    const lines = page.getByRole('region', { name: 'Most expensive lines of code' });
    await lines.getByText('_get_join_indexers').waitFor();
    const told = await lines.locator('tbody tr').allInnerTexts();
    // A line of one's own code by its number, with its share of all; a function whose lines were not counted by its first.
    assert.ok(told.some((row) => /joined = views\.merge[\s\S]*clean\.py:42[\s\S]*\d+–\d+ %/.test(row)), told.join());
    assert.ok(told.some((row) => /first seen at: return dataset\.read[\s\S]*core\.py:1793/.test(row)), told.join());
    await page.keyboard.press('t');
    assert.equal(await page.locator('td.meter').count(), 0);
    await page.keyboard.press('t');
    await page.getByRole('tabpanel').getByText('it is costing').waitFor();
  });

  test('costs are told by whom and by tag, saved as CSV, and by line over many clusters', async () => {
    await visitor.go('costs?by=project', 'tfoot');
    const rows = page.getByRole('region', { name: 'Costs by Project' }).locator('tbody tr');
    assert.ok((await rows.count()) >= 2);
    const whole = await visitor.ask('cost_table', { from_micros: now() - 27 * 86_400 * second, to_micros: now() + 1, by: { is: 'project' } });
    const dear = (row) => row.used.cost.total.high_nanos;
    assert.deepEqual(whole.rows.map(dear), whole.rows.map(dear).sort((a, b) => b - a));
    assert.ok(Math.abs(whole.rows.reduce((sum, row) => sum + dear(row), 0) - whole.all.cost.total.high_nanos) <= whole.rows.length);
    await page.getByRole('button', { name: 'Save costs' }).click();
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('menuitem', { name: /^CSV/ }).click()]);
    const text = await readFile(await download.path(), 'utf8');
    assert.match(text, /^label,used_clusters,used_thread_seconds/);
    assert.equal(text.trim().split('\r\n').length, (await rows.count()) + 1);
    await page.getByText(/^Saved cost_table\.csv, \d+ rows/).waitFor();
    // Parted by a second question, every row sums to what it was.
    await page.getByLabel('Columns are').selectOption('user');
    const parted = page.getByRole('region', { name: 'Costs by Project and User' });
    await parted.waitFor();
    await page.waitForURL(/across=user/);
    const cells = await visitor.ask('cost_table', { from_micros: now() - 27 * 86_400 * second, to_micros: now() + 1, by: { is: 'project' }, across: { is: 'user' } });
    for (const row of cells.rows) {
      const sum = cells.cells.filter((cell) => cell.row === row.label).reduce((all, cell) => all + cell.cost.high_nanos, 0);
      assert.ok(Math.abs(sum - dear(row)) <= cells.columns.length);
    }
    await until(async () => (await parted.locator('thead th').count()) === cells.columns.length + 2);
    await accessible(page);
    await page.getByLabel('Columns are').selectOption('');
    await page.getByLabel('Rows are').selectOption('user');
    await page.getByRole('region', { name: 'Costs by User' }).waitFor();
    await page.waitForURL(/costs$/);
    const lines = page.getByRole('region', { name: 'Most expensive lines of code' });
    await lines.getByRole('button', { name: 'Price the lines of these clusters' }).click();
    await lines.getByText('_get_join_indexers').waitFor();
    assert.match(await lines.innerText(), /samples from the profiles of \d+ clusters that reported in/);
    await accessible(page);
    await page.keyboard.press('t');
    assert.equal(await page.locator('td.meter').count(), 0);
    await page.keyboard.press('t');
  });

  test('a table is called what it is of while another is on its way', async () => {
    await visitor.go('costs?by=project', 'tfoot');
    const of = (by) => page.getByRole('region', { name: `Costs by ${by}` });
    await of('Project').waitFor();
    const letGo = await visitor.late('cost_table', ({ by }) => by.is === 'user');
    await page.getByLabel('Rows are').selectOption('user');
    await page.waitForURL(/costs$/);
    assert.equal(await of('Project').count(), 1);
    await letGo();
    await of('User').waitFor();
  });

  test('costs keep their places while they are read', async () => {
    await visitor.go('costs?by=project', 'tfoot');
    // The rows of another question are there until those of this one are.
    await page.locator('[aria-labelledby=whom-title][aria-busy=false]').waitFor();
    const table = page.getByRole('region', { name: 'Costs by Project' });
    const labels = () => table.locator('td.label').allInnerTexts();
    const before = await labels();
    await table.locator('td.label').first().hover();
    await bobbin.post(past('dear', { name: 'dear', project: 'dearest' }, { at: now() - 9 * 86_400 * second, seconds: 360_000, busy: 0.5, tasks: 10 }));
    await page.getByRole('button', { name: 'Show 1 new' }).waitFor();
    assert.deepEqual(await labels(), before);
    await page.getByRole('button', { name: 'Show 1 new' }).click();
    await until(async () => (await labels())[0] === 'dearest');
  });

  test('where profiles are off, it says so', async () => {
    await visitor.go(`cluster/${await idOf('quiet')}?tab=cost`, '#lines-title');
    await page.locator('[data-off]').filter({ hasText: 'Profiles are off at source' }).waitFor();
  });

  test('by keyboard, and for those who do not see it well', async () => {
    const id = await idOf('nightly 2026');
    for (const theme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme: theme });
      await visitor.go(`cluster/${id}?tab=cost&item=prefix lambda`, '[data-cost]');
      await accessible(page);
      await visitor.go('prices', '.box');
      await page.getByRole('button', { name: 'New price' }).focus();
      await page.keyboard.press('Enter');
      await until(() => page.evaluate(() => document.activeElement?.tagName === 'INPUT'));
      await accessible(page);
      await page.keyboard.press('Escape');
      await page.getByRole('heading', { name: 'New price' }).waitFor({ state: 'detached' });
    }
  });

  test('nothing was complained about', () => visitor.quiet());
});
