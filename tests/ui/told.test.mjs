// What a reader tells Bobbin, and what it finds for them: people, budgets, code to forget, findings, verdicts of rows, counts of
// views, the heat-map of one cluster, and results of SQL as charts.

import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { accessible } from './support/axe.mjs';
import { until } from './support/browser.mjs';
import { busy, hostile, past } from './support/story.mjs';
import { sharedVisit } from './support/visit.mjs';

const second = 1_000_000;
const now = () => Date.now() * 1000;
const themes = ['light', 'dark'];

async function shoot(visitor, name) {
  for (const theme of themes) await visitor.shot(`${name}-${theme}-much`, theme, { fullPage: true });
}

describe('what a reader tells', () => {
  let visitor, page;
  sharedVisit({
    tell: async (bobbin) => {
      for (const batch of busy(now()).batches) await bobbin.post(batch);
      const at = now() - 3 * 3600 * second;
      await bobbin.post(past('hpc', { name: 'on the big one', user: 'am1234', host: 'login-7', project: 'etl' }, { at, seconds: 3600, busy: 0.5, tasks: 10 }));
      await bobbin.post(past('odd', { name: 'odd', user: hostile.html, host: 'h', project: 'etl' }, { at, seconds: 600, busy: 0.5, tasks: 10 }));
    },
    options: { timezoneId: 'Europe/Berlin' },
    met: (there) => ({ visitor, page } = there),
  });
  beforeEach(() => visitor.page.keyboard.press('Escape'));
  const nightly = async () => (await visitor.ask('clusters')).rows.find((row) => row.name.startsWith('nightly')).id;

  test('two names become one person everywhere, and two again', async () => {
    await visitor.go('settings/people', '#people-title');
    const names = page.getByRole('region', { name: 'People' });
    await names.getByRole('checkbox', { name: 'ana', exact: true }).check();
    await names.getByRole('checkbox', { name: 'am1234' }).check();
    await names.getByLabel('2 names count as').fill('Ana');
    await names.getByRole('button', { name: 'Merge' }).click();
    await names.getByRole('button', { name: 'Split am1234 from Ana' }).waitFor();
    await accessible(page);
    await shoot(visitor, 'people');
    const found = async (text) => (await visitor.ask('clusters', { text })).total;
    assert.deepEqual([await found('user:Ana'), await found('user:am1234')], [2, 2]);
    await visitor.go('clusters', 'table');
    await until(async () => (await page.getByRole('cell', { name: 'Ana', exact: true }).count()) === 2);
    await visitor.go('settings/people', '#people-title');
    await names.getByRole('button', { name: 'Split am1234 from Ana' }).click();
    await until(async () => (await found('user:Ana')) === 1 && (await found('user:am1234')) === 1);
  });

  test('a budget is written, told on the overview, corrected and removed', async () => {
    await visitor.go('costs', '#budgets-title');
    await page.getByText('No budgets yet').waitFor();
    await page.getByRole('button', { name: 'New budget' }).click();
    await page.getByLabel('Per month').fill('plenty');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('“plenty” is not an amount').waitFor();
    await page.getByLabel('Per month').fill('0.000001');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    const budgets = page.getByRole('region', { name: 'Budgets' });
    await budgets.getByText('Over:').waitFor();
    await page.getByRole('button', { name: 'New budget' }).click();
    await page.locator('form select').selectOption('project');
    await page.getByLabel('Name', { exact: true }).fill('etl');
    await page.getByLabel('Per month').fill('250,50');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await budgets.getByText('project etl').waitFor();
    await accessible(page);
    await shoot(visitor, 'budgets');
    await visitor.go('overview', 'h1');
    await page.getByRole('region', { name: 'Budgets' }).getByText('every cluster').waitFor();
    await visitor.go('costs', '#budgets-title');
    await page.getByRole('button', { name: 'Edit the budget of every cluster' }).click();
    await page.getByLabel('Per month').fill('1000');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await until(async () => (await budgets.getByText('Over:').count()) === 0);
    for (const what of ['every cluster', 'project etl']) await page.getByRole('button', { name: `Remove the budget of ${what}` }).click();
    await page.getByText('No budgets yet').waitFor();
  });

  test('a row says its verdict and why, and a kept view how many it lists', async () => {
    await visitor.go('clusters?columns=state,verdict,user', 'table');
    await page.getByText('Failing').first().waitFor();
    await shoot(visitor, 'clusters-verdict');
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByLabel('Save the current view').fill('All of it');
    await page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('dialog').getByTitle('3 clusters').waitFor();
    await accessible(page);
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
  });

  test('findings have their figure, what to do, and a way to the proof', async () => {
    const id = await nightly();
    await visitor.go(`cluster/${id}`, '[data-findings]');
    await page.getByText('What you can improve').click();
    const findings = page.locator('[data-findings]');
    await findings.getByText('Install the same versions everywhere').waitFor();
    await accessible(page);
    await shoot(visitor, 'findings');
    await findings.getByRole('link', { name: /have different versions/ }).click();
    await until(() => /tab=facts/.test(page.url()));
  });

  test('a patch of the heat-map is what the profile is made of', async () => {
    const id = await nightly();
    await visitor.go(`cluster/${id}?charts=prefixes`, 'svg[role=application]');
    await shoot(visitor, 'cluster-heat');
    await accessible(page);
    await page.getByRole('application').focus();
    for (const key of ['ArrowRight', 'ArrowRight', 'Shift+ArrowRight', 'Shift+ArrowRight', 'Enter']) await page.keyboard.press(key);
    await until(() => [/tab=profile/, /from=\d+/, /item=/].every((part) => part.test(page.url())));
    await page.keyboard.press('t');
    await page.getByRole('region', { name: 'Computing by prefix' }).waitFor();
    await page.keyboard.press('t');
  });

  test('code is never stored again once a reader says so', async () => {
    const id = await nightly();
    await visitor.go(`cluster/${id}?tab=computations`, 'article');
    await page.getByRole('button', { name: 'Never store again…' }).first().click();
    await accessible(page);
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Never store again…' }).first().click();
    await page.getByRole('dialog').getByRole('button', { name: 'Never store it again' }).click();
    await page.getByText('You removed this code, and Bobbin does not store it again.').first().waitFor();
    await page.getByRole('button', { name: 'Store it again from now on' }).first().click();
    await page.getByText('Bobbin stores it if it comes in again.').first().waitFor();
  });

  test('a result of SQL is drawn as bars or a line', async () => {
    await visitor.go('sql', 'textarea');
    await page.getByRole('textbox', { name: 'Query' }).fill("select 'a' as word, 3 as n, 1 as x union all select 'b', 5, 2 union all select 'c', null, 3");
    await page.keyboard.press('Control+Enter');
    await page.getByRole('button', { name: 'Chart this' }).click();
    await page.getByLabel('Values').selectOption({ label: 'n' });
    await page.getByRole('list', { name: 'n by word' }).getByText('5').waitFor();
    await shoot(visitor, 'sql-chart');
    await page.getByRole('radio', { name: 'Line' }).or(page.getByRole('button', { name: 'Line' })).first().click();
    const chart = page.getByRole('img', { name: /2 points from 0 to 5/ });
    await chart.waitFor();
    // The axis goes beyond the largest value, and all of its words are in the picture.
    const beyond = () =>
      chart.evaluate((svg) => {
        const { top, left, bottom } = svg.getBoundingClientRect();
        return [...svg.querySelectorAll('text')].filter((one) => {
          const box = one.getBoundingClientRect();
          return box.top < top - 1 || box.left < left - 1 || box.bottom > bottom + 1;
        }).length;
      });
    const words = await chart.locator('text').allTextContents();
    assert.deepEqual(words, ['0', '2', '4', '6', 'a', 'b']);
    assert.equal(await beyond(), 0);
    await accessible(page);
  });

  test('nothing was complained about', () => visitor.quiet());
});
