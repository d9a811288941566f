// The questions of every view as SQL: each panel has its own, each is there to be copied, and what is opened runs.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from './support/browser.mjs';
import { sharedVisit } from './support/visit.mjs';

let visitor, page;
sharedVisit({ args: ['--demo'], met: (there) => ({ visitor, page } = there) });

// Each with what is there once it is drawn, and some of its panels.
const tabs = {
  groups: ['Task groups', 'Group costs'],
  graph: ['Graph'],
  computations: ['Computations'],
  exceptions: ['Exception kinds'],
  workers: ['Workers'],
  activity: ['Spans', 'Activity'],
  profile: ['Flame about', 'Flame'],
  cost: ['Cluster cost', 'Line costs'],
  events: ['Event fields', 'Topics'],
  facts: ['Findings', 'Cluster pruned'],
};
const views = [
  ['overview', 'table tbody tr', ['Overview', 'Heat map', 'Cluster uses']],
  ['clusters', 'table tbody tr', ['Clusters', 'Verdicts']],
  ['exceptions', 'article', ['Exception kinds']],
  ['connect', '[data-waiting=yes]', ['Reception']],
  ['costs', 'tfoot', ['Cost table']],
  ['prices', '.rate', ['Prices']],
  ['profile', 'canvas', ['Flame about', 'Flame']],
  ['compare?a=1&b=2', '#waterfall', ['Compare']],
  ['review', 'h1', ['Clusters', 'Secrets']],
  ['settings/storage', 'h2', ['Storage']],
  ['settings/prices', 'h2', ['Prices', 'Budgets']],
  ['settings/people', 'h2', ['Users']],
  ['settings/privacy', 'h2', ['Privacy']],
  ['settings/inbox', 'h2', ['Inbox files']],
  ...Object.entries(tabs).map(([tab, own]) => [
    `cluster/1?tab=${tab}`,
    `#tabpanel[aria-labelledby=tab-${tab}] > *`,
    ['Cluster', 'Cluster answers', 'Verdict', 'Timeline', 'Thread use', 'Task groups', 'Workers', ...own],
  ]),
];

const dialog = () => page.getByRole('dialog', { name: 'Queries as SQL' });
const names = () => dialog().getByRole('heading', { level: 3 }).allInnerTexts();
const editor = () => page.getByRole('textbox', { name: 'Query' });
const box = () => page.getByRole('combobox', { name: 'Search and actions' });

/** Opens the dialog by its key, once the page has asked for these panels. */
async function opened(panels) {
  await visitor.settled();
  await until(async () => {
    await page.evaluate(() => document.activeElement.blur());
    await page.keyboard.press('q');
    await dialog().waitFor();
    const all = await names();
    const missing = panels.filter((panel) => !all.some((name) => name === panel || name.startsWith(`${panel}, `)));
    if (missing.length > 0) {
      await closed();
      assert.fail(`no ${missing} among ${all}`);
    }
    return true;
  });
}

async function closed() {
  await page.keyboard.press('Escape');
  await dialog().waitFor({ state: 'detached' });
}

/** Whatever stands there has SQL. */
async function complete() {
  const open = page.getByRole('button', { name: /^Open / });
  const without = dialog().getByRole('listitem').filter({ hasNot: open });
  await until(async () => (assert.deepEqual(await without.allInnerTexts(), []), true), 60_000);
}

/** Opens one of the dialog, which runs. */
async function runs(name, part) {
  await dialog().getByRole('button', { name: `Open ${name}`, exact: true }).click();
  await page.getByRole('region', { name: /^Result/ }).first().waitFor();
  const sql = await editor().inputValue();
  assert.ok(sql.startsWith('-- Bobbin') && sql.includes(part), sql);
}

for (const [view, drawn, panels] of views) {
  test(`${view} has a query for each panel`, async () => {
    await visitor.go(view, drawn);
    await opened(panels);
    await complete();
    await closed();
    visitor.quiet();
  });
}

test('what the page asks by itself, and a filter by a part of a name, run as they were copied', async () => {
  for (const [view, drawn, name, part] of [
    ['connect', '[data-waiting=yes]', 'Reception', 'last_heard_micros'],
    ['clusters', 'table tbody tr', 'Verdicts', 'query for `verdicts`'],
    [`clusters?text=${encodeURIComponent('name:a')}`, 'table tbody tr', 'Clusters', "instr(lower(c.shown_name), lower('a')) > 0"],
  ]) {
    await visitor.go(view, drawn);
    await opened([name]);
    await runs(name, part);
  }
  visitor.quiet();
});

test('a search is copied from where it is typed', async () => {
  await visitor.go('overview', 'table tbody tr');
  await page.keyboard.press('Control+k');
  await box().waitFor();
  await page.keyboard.type('value');
  await page.getByRole('option', { name: /^Copy this search as SQL/ }).click();
  await dialog().waitFor();
  assert.deepEqual(await names(), ['Search, sealed false', 'Search, sealed true']);
  assert.equal(await box().count(), 0);
  await complete();
  await runs('Search, sealed false', 'cluster_text');
  visitor.quiet();
});
