// The review desk: nothing is chosen, each category and value is decided, secrets block, and what is saved is what was shown.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { accessible } from './support/axe.mjs';
import { until } from './support/browser.mjs';
import { busy, hostile, Story } from './support/story.mjs';
import { sharedVisit } from './support/visit.mjs';

const themes = ['light', 'dark'];
const second = 1_000_000;
const token = `ghp_${'Zq3vT8xN1bK6wR9mD4sF7hJ2cL5pY0aE8uG1'}`;

let bobbin, visitor, page;

/** A cluster whose code holds what nobody meant to tell. */
function secretive(now) {
  const story = new Story('secretive', { name: hostile.html, user: 'maria', host: 'marias-laptop', started: now - 60 * second });
  const code = [{ code: `TOKEN = "${token}"\nprint(load("/home/maria/data"))`, filename: '/home/maria/run.py', line_relative: 0, line: 3 }];
  return story.batch([
    story.cluster(),
    story.sample(now - 30 * second),
    story.computation(now - 20 * second, '9f230dd9-9b5b-4a88-a03f-f03d49a3b367', { start: now - 40 * second, stop: now - 20 * second, code }),
    story.exception(now - 10 * second, 'e7a785ff8fc04a2d89fbc291d3176e45', { message: 'cannot reach db.internal as maria' }),
    story.stop(now),
  ]);
}

sharedVisit({
  tell: async (bobbin) => {
    const now = Date.now() * 1000;
    for (const batch of [secretive(now), ...busy(now).batches]) await bobbin.post(batch);
  },
  options: { acceptDownloads: true },
  met: (there) => ({ bobbin, visitor, page } = there),
});

const box = (category) => page.locator(`[data-category=${category}] input[type=checkbox]`);
const button = () => page.locator('[data-save]');
const written = () => page.locator('[data-blockers="0"]').waitFor({ state: 'attached', timeout: 20_000 });

async function stageOf() {
  const id = Number(new URL(page.url().replace('#', '')).searchParams.get('stage'));
  return visitor.ask('stage', { id });
}

test('that code holds a secret is said on its cluster, without the secret', async () => {
  const { rows } = await visitor.ask('clusters', { text: 'name:img' });
  assert.equal(rows.length, 1);
  await visitor.go(`cluster/${rows[0].id}`, 'h1');
  const note = page.locator('details', { hasText: 'It is encrypted in your store.' });
  const title = note.locator('summary');
  await title.waitFor();
  assert.match(await title.innerText(), /secret/);
  await title.click();
  await note.getByText('GitHub').waitFor();
  await accessible(page);
  assert.ok(!(await page.content()).includes(token));
  // Another cluster has its own.
  const other = (await visitor.ask('clusters', { text: 'nightly' })).rows[0];
  await visitor.go(`cluster/${other.id}`, '.box .pick');
  await title.getByText('Exceptions hold what looks like a secret').waitFor();
  visitor.quiet();
});

test('where code is shown, a secret in it is hidden until somebody asks for it', async () => {
  const { rows } = await visitor.ask('clusters', { text: 'name:img' });
  await visitor.go(`cluster/${rows[0].id}?tab=computations`, 'h1');
  const code = page.getByRole('region', { name: /^Code/ });
  await until(async () => (await code.innerText()).includes('TOKEN = "‹secret›"'));
  assert.ok(!(await page.content()).includes(token));
  await page.getByRole('button', { name: 'Show 1 possible secret', exact: true }).click();
  await until(async () => (await code.innerText()).includes(token));
  await page.getByRole('button', { name: 'Hide 1 possible secret', exact: true }).click();
  await until(async () => !(await code.innerText()).includes(token));
  // A search that meets it shows no more.
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Search and actions' }).fill('TOKEN =');
  await page.getByRole('group', { name: 'Code', exact: true }).getByRole('option').filter({ hasText: 'TOKEN = "‹secret›"' }).waitFor();
  assert.ok(!(await page.content()).includes(token));
  await page.keyboard.press('Escape');
  visitor.quiet();
});

test('nothing is chosen by itself, and the list is filtered', async () => {
  await visitor.go('review', 'ul input[type=checkbox]');
  assert.equal(await page.locator('ul input[type=checkbox]:checked').count(), 0);
  assert.equal(await page.getByRole('button', { name: 'Choose clusters first' }).isDisabled(), true);
  assert.equal(await page.getByRole('radio', { name: /Metrics and names/ }).isChecked(), true);
  assert.equal(await page.getByRole('radio', { name: /Aliases/ }).isChecked(), true);
  await page.getByRole('combobox', { name: 'Filter clusters' }).fill('user:maria');
  await until(async () => (await page.locator('ul input[type=checkbox]').count()) === 1);
  // What completes the filter lies over the list until one goes on.
  await page.keyboard.press('Tab');
  await page.locator('ul input[type=checkbox]').check();
  await page.getByRole('heading', { name: 'Share 1 cluster as a file' }).waitFor();
  for (const theme of themes) await visitor.shot(`review-choose-${theme}`, theme);
  await accessible(page);
  visitor.quiet();
});

test('what is told by default has no code, no message and no identity; the bytes are the staged ones', async () => {
  await page.getByRole('button', { name: 'Review the bytes of 1 cluster' }).click();
  await page.waitForSelector('[data-bytes]');
  await written();
  assert.match(await button().innerText(), /^Save 1 cluster, /);
  for (const theme of themes) await visitor.shot(`review-${theme}`, theme, { fullPage: true });
  await accessible(page);
  const stage = await stageOf();
  const { base64 } = await visitor.ask('stage_bytes', { id: stage.id });
  const packed = Buffer.from(base64, 'base64');
  assert.equal(createHash('sha256').update(packed).digest('hex'), stage.sha256);
  assert.equal(packed.length, stage.bytes);
  const text = gunzipSync(packed).toString();
  for (const secret of [token, 'maria', 'db.internal', '/home/']) assert.ok(!text.includes(secret), secret);
  // While a category is closed, its longest and rarest values are seen.
  assert.ok((await page.locator('[data-glance]').count()) > 0);
  // What the pane shows is each line of it.
  const { lines, total } = await visitor.ask('stage_text', { id: stage.id, limit: 500 });
  assert.equal(total, text.trimEnd().split('\n').length);
  assert.equal(lines[1].text.slice(0, 300), text.split('\n')[1].slice(0, 300));
  visitor.quiet();
});

test('a box includes code at once, secrets in it block, and what was decided holds', async () => {
  assert.equal(await page.locator('[data-off=code] input').isChecked(), false);
  await page.locator('[data-off=code] input').click();
  await page.locator('[data-category=code]').waitFor({ timeout: 20_000 });
  assert.equal(await box('code').isChecked(), true);
  // What was not asked for stays off.
  await until(async () => !(await box('messages').isChecked()), 20_000);
  await page.locator('[data-finding=open]').first().waitFor({ timeout: 20_000 });
  assert.equal(await button().isDisabled(), true);
  await page.getByText(/possible secrets? needs? a decision/).click();
  assert.equal(await page.evaluate(() => document.activeElement.closest('[data-finding]')?.dataset.finding), 'open');
  for (const theme of themes) await visitor.shot(`review-blocked-${theme}`, theme, { fullPage: true });
  await accessible(page);
  while ((await page.locator('[data-finding=open]').count()) > 0) {
    const before = await page.locator('[data-finding=open]').count();
    await page.locator('[data-finding=open]').first().getByRole('button', { name: 'Replace' }).click();
    await until(async () => (await page.locator('[data-finding=open]').count()) < before, 20_000);
  }
  await written();
  const stage = await stageOf();
  assert.equal(stage.open_findings, 0);
  const { lines, matches } = await visitor.ask('stage_text', { id: stage.id, text: 'TOKEN' });
  assert.ok(matches > 0 && !lines.some((line) => line.text.includes(token)), JSON.stringify(lines));
  visitor.quiet();
});

test('each value is kept, masked or dropped, and the bytes follow', async () => {
  await page.getByRole('button', { name: 'users: values' }).click();
  const item = page.locator('[data-category=users] [data-item]').first();
  await item.getByRole('button', { name: 'Keep' }).click();
  await page.locator('[data-category=users] [data-item=keep]').waitFor();
  await written();
  const { id } = await stageOf();
  await until(async () => (await visitor.ask('stage_text', { id, text: 'maria' })).matches > 0, 20_000);
  await page.getByRole('combobox', { name: 'Search the bytes' }).or(page.getByRole('searchbox', { name: 'Search the bytes' })).or(page.getByLabel('Search the bytes')).first().fill('maria');
  await page.getByText(/^[1-9]\d* of \d+ lines$/).waitFor();
  await visitor.shot('review-items-light', 'light', { fullPage: true });
  await accessible(page);
  await page.locator('[data-category=users] [data-item]').first().getByRole('button', { name: 'Mask' }).click();
  await until(async () => (await visitor.ask('stage_text', { id, text: '"user":"maria"' })).matches === 0, 20_000);
  visitor.quiet();
});

test('what is saved is what was approved, byte for byte, and the ledger says so; nothing here changed', async () => {
  await written();
  const stage = await stageOf();
  const download = page.waitForEvent('download');
  await button().click();
  const saved = await download;
  assert.match(saved.suggestedFilename(), /^1-cluster-\d{4}-\d\d-\d\d\.bobbin$/);
  const bytes = await readFile(await saved.path());
  assert.equal(createHash('sha256').update(bytes).digest('hex'), stage.sha256);
  await page.getByText('Approved and saved').waitFor();
  await page.getByRole('link', { name: 'The ledger' }).click();
  await page.locator('[data-kind=approved]').waitFor();
  const [, approval] = (await visitor.ask('ledger')).rows;
  assert.deepEqual([approval.kind, approval.to], ['approved', 'file']);
  assert.equal(await page.locator('[data-connections]').innerText(), 'none, since install');
  for (const theme of themes) await visitor.shot(`ledger-${theme}`, theme);
  await accessible(page);
  const [row] = (await visitor.ask('clusters', { text: 'user:maria' })).rows;
  assert.equal(row.user, 'maria');
  visitor.quiet();
});

test('of one cluster less is shared than of another, and the bytes say so', async () => {
  const rows = (await visitor.ask('clusters', {})).rows.slice(0, 2);
  await visitor.go(`review?ids=${rows.map((row) => row.id).join(',')}&level=errors`, 'ul input[type=checkbox]:checked');
  const levels = page.getByRole('combobox', { name: /^Level of / });
  assert.equal(await levels.count(), 2);
  await levels.first().selectOption('metrics');
  await until(async () => /levels=\d+-metrics/.test(page.url()));
  const less = Number(/levels=(\d+)-metrics/.exec(page.url())[1]);
  for (const theme of themes) await visitor.shot(`review-levels-${theme}`, theme);
  await accessible(page);
  await page.getByRole('button', { name: 'Review the bytes of 2 clusters' }).click();
  await page.waitForSelector('[data-bytes]');
  await written();
  await page.locator('[data-range]').getByText(/^Together: .+ to .+\.$/).waitFor();
  await page.getByText(/, less of 1 cluster; as of /).waitFor();
  const stage = await stageOf();
  const wanted = stage.clusters.map(({ id }) => (id === less ? 'metrics' : 'errors'));
  assert.deepEqual([stage.clusters.map((one) => one.level), wanted.filter((level) => level === 'metrics').length], [wanted, 1]);
  const { base64 } = await visitor.ask('stage_bytes', { id: stage.id });
  const [manifest] = gunzipSync(Buffer.from(base64, 'base64')).toString().split('\n', 1).map((line) => JSON.parse(line));
  assert.deepEqual(manifest.clusters.map((one) => one.level ?? manifest.choice.level), wanted);
  // Whoever chooses again begins with the same.
  await page.getByRole('link', { name: /Choose again/ }).click();
  await page.waitForSelector('ul input[type=checkbox]:checked');
  assert.equal(await levels.first().inputValue(), 'metrics');
  visitor.quiet();
});

test('whoever is named in a message has an alias, waits for no decision, and can be kept', async () => {
  const now = Date.now() * 1000;
  const story = new Story('named', { name: 'named', user: 'cleo', started: now - 60 * second });
  const message = 'no mail for ops@corp.example and dev@corp.example via 10.1.2.3';
  await bobbin.post(story.batch([story.cluster(), story.exception(now - 10 * second, 'a7a785ff8fc04a2d89fbc291d3176e47', { message })]));
  const [row] = (await visitor.ask('clusters', { text: 'name:named' })).rows;
  const stage = await visitor.ask('stage_clusters', { ids: [row.id], choice: { level: 'errors', identities: 'aliases' }, destination: 'ops', accept_fields: [] });
  assert.deepEqual([stage.open_findings, stage.blockers.length], [0, 0]);
  await visitor.go(`review?stage=${stage.id}&level=errors&for=ops`, '[data-bytes]');
  const panel = page.getByRole('region', { name: 'Addresses and national IDs' });
  await panel.getByText('3 replaced by aliases').waitFor();
  const told = (text) => visitor.ask('stage_text', { id: stage.id, text });
  assert.equal((await told('@corp.example')).matches, 0);
  for (const theme of themes) await visitor.shot(`review-named-${theme}`, theme, { fullPage: true });
  await accessible(page);
  await panel.locator('[data-rule=ip_address]').getByRole('button', { name: 'Keep' }).click();
  await panel.getByText('1 of 3 kept').waitFor();
  await until(async () => (await told('via 10.1.2.3')).matches === 1, 20_000);
  await panel.getByRole('button', { name: 'Replace all' }).click();
  await panel.getByText('3 replaced by aliases').waitFor();
  await until(async () => (await told('10.1.2.3')).matches === 0, 20_000);
  visitor.quiet();
});

test('a value that is cut is opened to its end by keys, a piece at a time', async () => {
  const now = Date.now() * 1000;
  const story = new Story('longwinded', { name: 'longwinded', user: 'ben', started: now - 60 * second });
  const code = [{ code: `start = 1\n${'x = 2  # and so on\n'.repeat(3_000)}end = 3`, filename: '/srv/long.py', line_relative: 0, line: 1 }];
  await bobbin.post(story.batch([story.cluster(), story.computation(now - 20 * second, '0f230dd9-9b5b-4a88-a03f-f03d49a3b368', { start: now - 40 * second, stop: now - 20 * second, code })]));
  const [row] = (await visitor.ask('clusters', { text: 'name:longwinded' })).rows;
  const stage = await visitor.ask('stage_clusters', { ids: [row.id], choice: { level: 'everything', identities: 'aliases' }, destination: 'file', accept_fields: [] });
  await visitor.go(`review?stage=${stage.id}&level=everything&category=code`, '[data-item]');
  const open = page.getByRole('button', { name: /^Show all of start = 1/ });
  await open.focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog');
  await dialog.getByText(/^Characters 1 to 32,000 of 5\d,\d{3}$/).waitFor();
  assert.match(await dialog.locator('pre').innerText(), /^start = 1/);
  await accessible(page);
  await dialog.getByRole('button', { name: 'Next' }).focus();
  await page.keyboard.press('Enter');
  await dialog.getByText(/^Characters 32,001 to/).waitFor();
  assert.match(await dialog.locator('pre').innerText(), /end = 3$/);
  assert.equal(await dialog.getByRole('button', { name: 'Next' }).isDisabled(), true);
  await dialog.getByRole('button', { name: 'Previous' }).click();
  await dialog.getByText(/^Characters 1 to 32,000/).waitFor();
  await dialog.getByRole('button', { name: 'As shared' }).click();
  await dialog.locator('[data-letters]').waitFor();
  await page.keyboard.press('Escape');
  await until(async () => (await dialog.count()) === 0);
  // A line of the bytes, too.
  await visitor.go(`review?stage=${stage.id}&level=everything&find=and%20so%20on`, '[data-bytes] .line');
  await page.locator('[data-bytes] .line').first().click();
  await page.getByRole('button', { name: 'Show all', exact: true }).click();
  await dialog.getByText(/^Characters 1 to 32,000 of/).waitFor();
  assert.match(await dialog.locator('pre').innerText(), /^\{/);
  await page.keyboard.press('Escape');
  visitor.quiet();
});

test('older clusters are paged to, and those of a policy are offered and not chosen', async () => {
  const now = Date.now() * 1000;
  for (let i = 0; i < 201; i++) {
    const story = new Story(`many-${i}`, { name: `many-${i}`, started: now - (1_000 + i) * second });
    await bobbin.post(story.batch([story.cluster()]));
  }
  await writeFile(`${bobbin.home}/data/bobbin-policy.toml`, "team = 'data'\npropose = 'name:many-20'\n");
  await visitor.go('review?text=name%3Amany-', 'ul input[type=checkbox]');
  const listed = () => page.locator('ul[aria-label=Clusters] input[type=checkbox]').count();
  await page.getByText('1 to 200 of 201, newest first').waitFor();
  assert.equal(await listed(), 200);
  await page.getByRole('button', { name: 'Older' }).click();
  await page.getByText('201 to 201 of 201').waitFor();
  await until(async () => (await listed()) === 1);
  await page.locator('ul[aria-label=Clusters] input[type=checkbox]').check();
  await page.getByRole('heading', { name: 'Share 1 cluster as a file' }).waitFor();
  // What is typed begins with the newest.
  await page.getByRole('combobox', { name: 'Filter clusters' }).fill('name:many-1');
  await until(async () => (await listed()) > 1);
  await page.getByRole('heading', { name: 'The policy of data proposes 2 clusters' }).waitFor();
  await accessible(page);
  await page.getByRole('button', { name: /^Choose \d clusters?$/ }).click();
  await page.getByRole('heading', { name: /^Share [23] clusters as a file/ }).waitFor();
  await page.getByRole('button', { name: 'All chosen' }).waitFor();
  await rm(`${bobbin.home}/data/bobbin-policy.toml`);
  visitor.quiet();
});

test('narrow, with large text and switched off, the desk is whole', async () => {
  await visitor.go('review', 'ul input[type=checkbox]');
  await page.setViewportSize({ width: 480, height: 900 });
  await visitor.shot('review-choose-narrow', 'light', { fullPage: true });
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  await page.getByRole('link', { name: /Share 1 cluster as a file/ }).first().click();
  await page.waitForSelector('[data-bytes]');
  await visitor.shot('review-narrow', 'light', { fullPage: true });
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.evaluate(() => (document.documentElement.style.fontSize = '200%'));
  await visitor.shot('review-large', 'dark', { fullPage: true });
  await accessible(page);
  await page.evaluate(() => (document.documentElement.style.fontSize = ''));
  await visitor.go('settings/privacy', 'input[type=radio]');
  // No team is joined.
  assert.equal(await page.getByRole('radio', { name: /^Local only/ }).isChecked(), true);
  await page.getByRole('radio', { name: /^Off/ }).check();
  await until(async () => (await visitor.ask('sends', {})).sharing === 'off');
  await visitor.go('review', '.notice');
  await page.getByText('Sharing is off').waitFor();
  await visitor.go('settings/privacy', 'input[type=radio]');
  await page.getByRole('radio', { name: /^Local only/ }).check();
  await until(async () => (await visitor.ask('sends', {})).sharing === 'local');
  visitor.quiet();
});
