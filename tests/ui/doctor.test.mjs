// Doctor as a page: the checks of `bobbin doctor` in the same order and words, the worst first; made again, copied as text, and reached
// from where somebody waits in vain.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { accessible } from './support/axe.mjs';
import { binary } from './support/bobbin.mjs';
import { until } from './support/browser.mjs';
import { sharedVisit } from './support/visit.mjs';

let bobbin, visitor, page;
sharedVisit({
  met: async (there) => {
    ({ bobbin, visitor, page } = there);
    await visitor.context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: bobbin.origin });
  },
});

const plugin = () => join(bobbin.home, 'data', 'plugin', 'bobbin.py');
const again = () => page.getByRole('button', { name: 'Check again' });

/** The verdict and name of each line that a shell prints. */
function lines(text) {
  return text.split('\n').flatMap((line) => /^ {2}(ok|note|WRONG) +(.{14})/.exec(line)?.slice(1).map((word) => word.trim()).join(' ') ?? []);
}

/** What the shell prints with the same folder and home. */
function printed() {
  const env = { ...process.env, HOME: bobbin.home, XDG_CONFIG_HOME: join(bobbin.home, 'config'), XDG_DATA_HOME: join(bobbin.home, 'share') };
  return new Promise((resolve) => execFile(binary, ['doctor', '--data-dir', join(bobbin.home, 'data')], { env }, (_, text) => resolve(text)));
}

test('the page and the shell give the same list', async () => {
  const { text, checkup } = await visitor.ask('doctor');
  assert.deepEqual(lines(text), lines(await printed()));
  assert.equal(checkup.healthy, true, text);
  for (const name of ['data folder', 'store', 'receiver', 'socket', 'connection', 'updates']) assert.ok(checkup.checks.some((one) => one.name === name), name);
  assert.ok(!text.includes(bobbin.home) && !text.includes(bobbin.token), text);
});

test('it is found by the palette, says that it looks, and what it found', async () => {
  await visitor.go('overview');
  const answer = await visitor.late('doctor');
  await page.keyboard.press('Control+k');
  await page.keyboard.type('why not report');
  await page.keyboard.press('Enter');
  await page.getByText('Bobbin reads all of it').waitFor();
  assert.equal(await page.getByRole('region', { name: 'Doctor' }).getAttribute('aria-busy'), 'true');
  assert.equal(await again().isDisabled(), true);
  await answer();
  await page.locator('.notice', { hasText: 'Everything looks good' }).waitFor();
  assert.equal(await page.getByRole('region', { name: 'Doctor' }).getAttribute('aria-busy'), 'false');
  // It is not connected, which is a note with the way there.
  const note = page.locator('[data-verdict=note]', { hasText: 'not connected' });
  await note.getByRole('link', { name: 'Open Connect' }).waitFor();
  visitor.quiet();
});

test('what is wrong comes first, is looked at again by key, and is copied as text', async () => {
  const source = await readFile(plugin());
  await writeFile(plugin(), 'old = True\n');
  await again().focus();
  await page.keyboard.press('Enter');
  await page.getByText('1 problem found').first().waitFor();
  const first = page.getByRole('list', { name: 'Checks' }).getByRole('listitem').first();
  assert.match(await first.innerText(), /Wrong\s+plugin\s+.*belongs to another version/s);
  await first.locator('code', { hasText: 'bobbin serve' }).waitFor();
  for (const [name, size] of [['', ''], ['-large', '200%']]) {
    await page.evaluate((size) => (document.documentElement.style.fontSize = size), size);
    for (const theme of ['light', 'dark']) {
      await visitor.shot(`settings-doctor-found${name}-${theme}`, theme, { fullPage: true });
      await accessible(page);
    }
  }
  await page.evaluate(() => (document.documentElement.style.fontSize = ''));
  await page.getByRole('button', { name: 'Copy as text' }).click();
  const copied = await until(() => page.evaluate(() => navigator.clipboard.readText()));
  assert.ok(copied.startsWith('Bobbin ') && copied.endsWith('Something is wrong; see the hints.\n'), copied);
  assert.deepEqual(lines(copied), lines(await printed()));
  await writeFile(plugin(), source);
  await again().click();
  await page.locator('.notice', { hasText: 'Everything looks good' }).waitFor();
  visitor.quiet();
});

test('what cannot be checked is said, and nothing stays of what was found before', async () => {
  await page.route('**/api/doctor', (route) => route.fulfill({ status: 500, contentType: 'application/json', body: '{"code":"store","message":"the store is gone","hint":null}' }));
  await again().click();
  await page.getByText('Bobbin could not check').waitFor();
  assert.equal(await page.getByRole('list', { name: 'Checks' }).count(), 0);
  assert.equal(await page.getByRole('button', { name: 'Copy as text' }).count(), 0);
  await accessible(page);
  await page.unroute('**/api/doctor');
  await again().click();
  await page.locator('.notice', { hasText: 'Everything looks good' }).waitFor();
});

test('who waits for a first report is sent there', async () => {
  await visitor.go('connect', '[data-waiting=yes]');
  // It says nothing of the kind to who has just begun to wait.
  const link = page.getByRole('link', { name: 'check this setup' });
  assert.equal(await link.count(), 0);
  await link.click({ timeout: 60_000 });
  await page.getByRole('heading', { name: 'Doctor' }).waitFor();
});
