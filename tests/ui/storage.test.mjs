// What the store keeps: rules with what they would remove, deletion with ten seconds to undo it, and what is said of what is gone.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { accessible } from './support/axe.mjs';
import { until } from './support/browser.mjs';
import { weeks } from './support/story.mjs';
import { sharedVisit } from './support/visit.mjs';

const themes = ['light', 'dark'];

let visitor, page;
sharedVisit({
  tell: async (bobbin) => {
    for (const batch of weeks(6, Date.now() * 1000)) await bobbin.post(batch);
    // As if all of it had come when it happened: what came lately stays its days after that.
    const store = join(bobbin.home, 'data', 'bobbin.sqlite');
    const came = 'import sqlite3, sys; db = sqlite3.connect(sys.argv[1], timeout=60); db.execute("update batch set received_micros = last_at_micros"); db.commit()';
    execFileSync('python3', ['-c', came, store]);
  },
  met: (there) => ({ visitor, page } = there),
});

const toast = () => page.locator('[data-deletions]');

test('rules say what they would remove before they do, and are taken back', async () => {
  await visitor.go('settings/storage', 'form');
  const size = page.getByLabel('Store size');
  await until(async () => (await size.inputValue()) === '5');
  assert.equal(await page.getByRole('button', { name: 'Save', exact: true }).isDisabled(), true);
  await page.getByLabel('Profiles').fill('0');
  await page.getByText('Profiles: not a valid number.').waitFor();
  await page.getByLabel('Profiles').fill('7');
  await page.getByLabel('Charts over time').fill('1');
  await page.getByText(/These rules would free ≈ .*clusters/).waitFor();
  await page.getByText('Which clusters', { exact: true }).click();
  for (const theme of themes) await visitor.shot(`settings-storage-${theme}-much`, theme, { fullPage: true });
  await accessible(page);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('button', { name: 'Undo' }).click();
  await until(async () => (await visitor.ask('storage')).rules.samples_days === 365);
  visitor.quiet();
});

test('a deletion is said before, undone by one word, and then carried out', async () => {
  const before = (await visitor.ask('clusters')).total;
  await visitor.go('clusters', 'tbody a');
  await page.locator('tbody input[type=checkbox]').first().check();
  await page.getByRole('button', { name: 'Delete…' }).click();
  await page.getByText(/This frees ≈/).waitFor();
  for (const theme of themes) await visitor.shot(`delete-${theme}-little`, theme);
  await accessible(page);
  await page.getByRole('button', { name: 'Delete 1 cluster' }).click();
  await toast().getByRole('button', { name: 'Undo' }).click();
  await until(async () => (await visitor.ask('storage')).deletions.length === 0);
  assert.equal((await visitor.ask('clusters')).total, before);

  const [row] = (await visitor.ask('clusters')).rows;
  await visitor.go(`cluster/${row.id}`, '.said');
  await page.getByRole('button', { name: 'Delete…' }).click();
  await page.getByRole('button', { name: 'Delete 1 cluster' }).click();
  await toast().getByText('will be deleted').waitFor();
  for (const theme of themes) await visitor.shot(`deleting-${theme}-little`, theme);
  // Whether anybody looks or not.
  await visitor.go('overview', '[data-figure]');
  await until(async () => (await visitor.ask('clusters')).total === before - 1, 30_000);
  await until(async () => (await toast().innerText()).trim() === '');
  visitor.quiet();
});
