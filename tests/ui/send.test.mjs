// Sending from the window: to a team's hub and to a folder, with a receipt, and back; Local only sends nothing.

import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { accessible } from './support/axe.mjs';
import { Bobbin, binary } from './support/bobbin.mjs';
import { launch, until, Visitor } from './support/browser.mjs';
import { Story } from './support/story.mjs';

const run = promisify(execFile);
const themes = ['light', 'dark'];
const second = 1_000_000;
let home, data, hub, bobbin, browser, visitor, page;

/** Runs a verb and gives the document that it prints. */
async function shell(...args) {
  const { stdout } = await run(binary, [...args, '--json']);
  return JSON.parse(stdout);
}

const atHub = (...args) => shell('hub', '--hub-dir', join(home, 'hub'), '--account', 'blue', ...args);
const state = (of) => page.locator(`[data-send-state=${of}]`);

before(async () => {
  home = await mkdtemp(join(tmpdir(), 'bobbin-send-'));
  hub = spawn(binary, ['hub', '--hub-dir', join(home, 'hub'), 'serve', '--listen', '127.0.0.1:0'], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(createInterface({ input: hub.stdout }), 'line');
  await shell('hub', '--hub-dir', join(home, 'hub'), 'account', 'add', 'blue');
  bobbin = await Bobbin.start();
  data = join(bobbin.home, 'data');
  const now = Date.now() * 1000;
  const story = new Story('nightly', { name: 'nightly', user: 'maria', started: now - 60 * second });
  await bobbin.post(story.batch([story.cluster(), story.sample(now - 30 * second), story.stop(now)]));
  browser = await launch();
  visitor = await Visitor.enter(browser, bobbin);
  page = visitor.page;
});

after(async () => {
  await browser?.close();
  await bobbin?.remove();
  const gone = once(hub, 'exit');
  hub.kill('SIGTERM');
  await gone;
  await rm(home, { recursive: true, force: true, maxRetries: 5 });
});

/** A stage of the one cluster, for somebody, in the page. */
async function look(destination) {
  const { rows } = await visitor.ask('clusters', {});
  await visitor.go(`review?ids=${rows[0].id}&for=${encodeURIComponent(destination)}`, 'ul input[type=checkbox]');
  await page.getByRole('button', { name: 'Review the bytes of 1 cluster' }).click();
  await page.waitForSelector('[data-bytes]');
  await page.locator('[data-blockers="0"]').waitFor({ state: 'attached', timeout: 20_000 });
}

test('where no team is joined the page says how to join one', async () => {
  for (const [from, link] of [['review', 'join one'], ['settings/privacy', 'join a team or add a destination']]) {
    await visitor.go(from, 'main p a');
    await page.getByRole('link', { name: link }).click();
    await page.getByText('None yet.').waitFor();
    await page.getByLabel('Join a team’s account').waitFor();
  }
  await look('file');
  assert.equal(await page.locator('[data-send]').count(), 0);
  await page.locator('[data-send-to]').click();
  await page.getByText('No team joined yet').waitFor();
  await page.getByLabel('Join a hub account').waitFor();
  await page.getByLabel('Add a folder').waitFor();
  await page.getByText('Until then, sharing is Local only').waitFor();
  assert.equal((await visitor.ask('sends', {})).sharing, 'local');
  for (const theme of themes) await visitor.shot(`send-none-${theme}`, theme);
  await accessible(page);
  visitor.quiet();
});

test('what is for a hub is approved, sent in the background, and has a signed receipt', async () => {
  const { code } = await atHub('invite', 'new', 'Maria', '--role', 'member');
  assert.equal((await shell('join', code, '--data-dir', data)).sharing, 'ask');
  // A stage of a file is looked at once more for the hub.
  await look('file');
  await page.locator('[data-send-to]').click();
  await page.getByRole('button', { name: /Review for blue/ }).click();
  await page.getByRole('heading', { name: 'Share 1 cluster with blue' }).waitFor();
  await page.locator('[data-blockers="0"]').waitFor({ state: 'attached', timeout: 20_000 });
  assert.deepEqual(await atHub('bundles'), []);
  assert.match(await page.locator('[data-send]').innerText(), /^Send 1 cluster to blue, /);
  // While somebody looks, the hub is asked who they are.
  const audience = /^blue is an account on the hub .+:\d+, certificate SHA-256 [0-9a-f]{12}…\. As of .+, its \d+ viewers?, \d+ members?, and \d+ admins? can read what you send, until someone recalls it\. It takes at most “.+”\. The hub does not state/;
  await until(async () => audience.test(await page.locator('[data-audience]').innerText()), 30_000);
  for (const theme of themes) await visitor.shot(`send-${theme}`, theme);
  await accessible(page);
  await page.locator('[data-send]').click();
  await state('sent').waitFor({ timeout: 30_000 });
  await page.getByText(/signed by the hub: row \d+ of blue/).waitFor();
  await visitor.context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: bobbin.origin });
  await page.getByRole('button', { name: /^Copy link: .+ to blue$/ }).click();
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  assert.match(await page.evaluate(() => navigator.clipboard.readText()), /^https:\/\/127\.0\.0\.1:\d+\/$/);
  const [shared] = await atHub('bundles');
  assert.equal(shared.member_name, 'Maria');
  for (const theme of themes) await visitor.shot(`send-sent-${theme}`, theme);
  await accessible(page);
  // The shell says the same, and has nothing left to send.
  const { bundles } = await shell('queue', '--data-dir', data);
  assert.deepEqual(bundles.map((one) => [one.sha256, one.state]), [[shared.sha256, 'sent']]);
  assert.deepEqual((await shell('push', '--data-dir', data)).sent, []);
  visitor.quiet();
});

test('what was sent is listed and recalled, and stays here', async () => {
  await visitor.go('review', '[data-send-state=sent]');
  for (const theme of themes) await visitor.shot(`send-list-${theme}`, theme, { fullPage: true });
  await accessible(page);
  await page.getByRole('button', { name: /^Recall .* from blue/ }).click();
  await page.getByRole('dialog', { name: 'Recall from blue?' }).waitFor();
  await accessible(page);
  await page.getByRole('button', { name: 'Recall', exact: true }).click();
  await state('recalled').waitFor({ timeout: 30_000 });
  assert.equal(typeof (await atHub('bundles'))[0]?.recalled_micros ?? 0, 'number');
  assert.equal((await visitor.ask('clusters', {})).total, 1);
  // Every connection to the hub is counted on the page of the ledger.
  await visitor.go('ledger', '[data-place]');
  const { places, connections } = await visitor.ask('ledger');
  assert.deepEqual([places.length, places[0].connections], [1, connections]);
  const place = page.locator('[data-place]');
  assert.match(await place.getAttribute('data-place'), /^127\.0\.0\.1:\d+$/);
  await until(async () => Number(await place.locator('td.number').innerText()) >= connections);
  // An address has one line, however long it is, and all of it on hover.
  const addresses = await page.locator('[data-kind] td.to[title]').evaluateAll((cells) =>
    cells.map((cell) => {
      const words = document.createRange();
      words.selectNodeContents(cell);
      // What is cut off has a box of its own, on the same line.
      return [new Set([...words.getClientRects()].map(({ top }) => top)).size, cell.title === cell.textContent];
    }),
  );
  assert.ok(addresses.length > 0);
  for (const address of addresses) assert.deepEqual(address, [1, true]);
  for (const theme of themes) await visitor.shot(`ledger-places-${theme}`, theme);
  await accessible(page);
  visitor.quiet();
});

test('paused nothing goes to a folder, then it does', async () => {
  const team = join(home, 'team');
  await shell('destination', 'add', team, '--account', 'data', '--name', 'maria', '--data-dir', data);
  await visitor.go('review', '[data-send-state]');
  await page.getByRole('button', { name: 'Pause sending' }).click();
  await page.getByRole('button', { name: 'Resume sending' }).waitFor();
  await look(team);
  await page.locator('[data-send]').click();
  await state('waiting').getByText('queued, paused').waitFor();
  await new Promise((later) => setTimeout(later, 1_000));
  assert.deepEqual(await readdir(team).catch(() => []), []);
  // Cancelled, its approval is withdrawn: a shell does not send it either.
  const [{ sha256 }] = (await visitor.ask('sends', {})).sends;
  await page.getByRole('button', { name: /^Cancel send: / }).click();
  await page.locator('[data-send]').waitFor();
  assert.deepEqual((await visitor.ask('sends', {})).sends[0].state, 'withdrawn');
  await assert.rejects(shell('destination', 'share', sha256, team, '--data-dir', data), (failed) => /new approval/.test(failed.stderr));
  await page.locator('[data-send]').click();
  await state('waiting').waitFor();
  await visitor.go('review', '[data-send-state=waiting]');
  await page.getByRole('button', { name: 'Resume sending' }).click();
  await state('sent').waitFor({ timeout: 30_000 });
  assert.equal((await readdir(join(team, 'bundles'))).length, 1);
  visitor.quiet();
});

test('Local only sends nothing, from the page or a shell, and says how that is changed', async () => {
  await visitor.go('settings/privacy', 'input[name=sharing]');
  assert.equal(await page.getByRole('radio', { name: /Ask each time/ }).isChecked(), true);
  await page.getByRole('radio', { name: /Local only/ }).check();
  await until(async () => (await visitor.ask('sends', {})).sharing === 'local');
  await assert.rejects(shell('push', '--data-dir', data), (failed) => /Local only/.test(failed.stderr) && /settings\.toml/.test(failed.stderr));
  await look('blue');
  await page.getByText('Saved as a file and sent nowhere').waitFor();
  assert.equal(await page.locator('[data-send]').count(), 0);
  await page.locator('[data-send-to]').click();
  await page.getByText('Sharing is Local only').waitFor();
  await visitor.shot('send-local-light', 'light');
  await accessible(page);
  await page.getByRole('link', { name: 'settings', exact: true }).click();
  await page.getByRole('radio', { name: /Ask each time/ }).check();
  await until(async () => (await visitor.ask('sends', {})).sharing === 'ask');
  await visitor.go('settings/team', 'h2');
  await page.getByText('blue').first().waitFor();
  await visitor.shot('settings-team-joined-light', 'light');
  await accessible(page);
  visitor.quiet();
});
