// A team's hub in a browser: the same views over what members shared, read only, for whoever has a token.

import assert from 'node:assert/strict';
import { spawn, execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { accessible } from './support/axe.mjs';
import { Bobbin, binary, root } from './support/bobbin.mjs';
import { launch, screenshots, until } from './support/browser.mjs';
import { night } from './support/nights.mjs';
import { stacks } from './support/profiles.mjs';
import { Story } from './support/story.mjs';

const run = promisify(execFile);
const day = 86_400_000_000;
const now = Date.now() * 1000;
let home, hub, listening, browser, viewer, guest;
const laptops = [];
/** Of the two bundles, by who shared them; and of Vera, Gus and Mia where they lie and who they are. */
const bundles = {};
const people = {};

/** Runs a verb and gives the document that it prints. */
async function bobbin(...args) {
  const { stdout } = await run(binary, [...args, '--json']);
  return JSON.parse(stdout);
}

const atHub = (...args) => bobbin('hub', '--hub-dir', join(home, 'hub'), ...args);

async function member(name, role, ...more) {
  const dir = join(home, name);
  const { code } = await atHub('--account', 'blue', 'invite', 'new', name, '--role', role, ...more);
  const joined = await bobbin('join', code, '--data-dir', dir);
  return { dir, member: joined.member };
}

const tokenOf = (of) => atHub('--account', 'blue', 'token', 'new', of.member, '--device', 'browser', '--read');
const token = async (of) => (await tokenOf(of)).text;

/** A laptop of somebody who has run this, and shares all of it. */
async function share(name, batches) {
  const laptop = await Bobbin.start();
  laptops.push(laptop);
  for (const batch of batches) await laptop.post(batch);
  const data = join(laptop.home, 'data');
  const { code } = await atHub('--account', 'blue', 'invite', 'new', name, '--role', 'member');
  await bobbin('join', code, '--data-dir', data);
  const clusters = (await bobbin('clusters', '--data-dir', data)).rows.map((row) => String(row.id));
  const { stage } = await bobbin('stage', ...clusters, '--to', 'blue', '--data-dir', data);
  await bobbin('approve', stage.sha256, '--data-dir', data);
  const { sent } = await bobbin('push', '--data-dir', data);
  assert.deepEqual(sent, [stage.sha256]);
  bundles[name] = stage.sha256;
}

before(async () => {
  home = await mkdtemp(join(tmpdir(), 'bobbin-hub-'));
  hub = spawn(binary, ['hub', '--hub-dir', join(home, 'hub'), 'serve', '--listen', '127.0.0.1:0'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(createInterface({ input: hub.stdout }), 'line');
  listening = JSON.parse(line);
  await atHub('account', 'add', 'blue');
  const profiled = new Story('profiled', { name: 'profiled', user: 'ana', started: now - 2 * day, interval: 120_000_000, switches: { profile: true } });
  const ofAda = [0, 1, 2, 3].map((one) => night(`night-${one}`, now - (one + 1) * day, { name: `nightly-${one}`, erred: one === 1 ? 2 : 0 }));
  ofAda.push(profiled.batch([profiled.cluster(), stacks(profiled, now - 2 * day + 60_000_000, 'score', { seed: 3, samples: 600 })]));
  await share('Ada', ofAda);
  await share('Bea', [night('other', now - 2 * day, { name: 'weekly', user: 'bea' })]);
  for (const [name, role, ...more] of [['Vera', 'viewer'], ['Gus', 'guest', '--bundle', bundles.Ada], ['Mia', 'member']]) people[name] = await member(name, role, ...more);
  viewer = await token(people.Vera);
  guest = await token(people.Gus);
  browser = await launch();
});

after(async () => {
  await browser?.close();
  for (const laptop of laptops) await laptop.remove();
  const gone = once(hub, 'exit');
  hub.kill('SIGTERM');
  await gone;
  await rm(home, { recursive: true, force: true, maxRetries: 5 });
});

/** A browser that has been told to believe the hub's own certificate. */
async function enter(secret, options = {}) {
  const context = await browser.newContext({ ignoreHTTPSErrors: true, viewport: { width: 1280, height: 800 }, timezoneId: 'UTC', ...options });
  const page = await context.newPage();
  const complaints = [];
  page.on('console', (message) => ['error', 'warning'].includes(message.type()) && complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.stack));
  const origin = `https://${listening.tcp}`;
  await page.goto(`${origin}/`);
  await page.fill('#token', secret);
  const answered = page.waitForResponse((response) => response.request().method() === 'POST');
  await page.click('button');
  const status = (await answered).status();
  await page.waitForLoadState('load');
  return { context, page, origin, complaints, status };
}

test('a viewer reads overview, list and cluster, and finds nothing that changes or tells of the machine', async () => {
  const { context, page, origin, complaints } = await enter(viewer);
  for (const [address, name] of [['overview', 'overview'], ['clusters', 'clusters'], ['cluster/1', 'cluster'], ['costs', 'costs']]) {
    await page.goto(`${origin}/#/1/${address}`);
    await page.waitForSelector('h1');
    await page.waitForLoadState('networkidle').catch(() => {});
    for (const theme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme: theme });
      await page.screenshot({ path: join(screenshots, `hub-${name}-${theme}.png`), animations: 'disabled' });
    }
    await accessible(page);
    for (const word of ['Delete…', 'Share…', 'Close the cluster', 'Never store again', 'New price', 'New budget', 'Settings', 'SQL', 'Connect', 'Connect one'])
      assert.equal(await page.getByRole('button', { name: word }).or(page.getByRole('link', { name: word, exact: true })).count(), 0, `${name}: ${word}`);
    const told = await page.textContent('body');
    assert.ok(!told.includes(home), name);
  }
  await page.goto(`${origin}/#/1/clusters`);
  await until(async () => (await page.getByText('Ada').count()) > 0);
  for (const address of ['settings', 'sql', 'ledger', 'connect']) {
    await page.goto(`${origin}/#/1/${address}`);
    await page.reload();
    await until(async () => (await page.title()).length > 0 && (await page.getByRole('heading', { level: 1 }).count()) === 1);
    assert.ok(!(await page.textContent('body')).includes(home), address);
  }
  assert.deepEqual(complaints, []);
  await context.close();
});

test('a token that is none is said so, on a page of its own that needs nothing from elsewhere', async () => {
  const { context, page, status } = await enter('bobbin_token_x');
  assert.equal(status, 401);
  assert.match(await page.getByRole('alert').textContent(), /unknown, revoked/);
  await accessible(page);
  for (const theme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme: theme });
    await page.screenshot({ path: join(screenshots, `hub-sign-in-${theme}.png`), animations: 'disabled' });
  }
  await context.close();
});

test('a guest is told where their bundle is, and signed in nowhere', async () => {
  const { context, page, origin, status } = await enter(guest);
  assert.equal(status, 403);
  await until(async () => (await page.textContent('body')).includes('bobbin fetch'));
  await page.goto(`${origin}/`);
  assert.equal(await page.locator('#token').count(), 1);
  await context.close();
});

test('a guest fetches the one bundle, and knows of no other', async () => {
  const { dir } = people.Gus;
  assert.deepEqual((await bobbin('fetch', '--data-dir', dir)).map(({ sha256 }) => sha256), [bundles.Ada]);
  const fetched = join(home, 'fetched.bobbin');
  await bobbin('fetch', bundles.Ada, '--output', fetched, '--data-dir', dir);
  assert.ok((await readFile(fetched)).length > 0);
  await assert.rejects(bobbin('fetch', bundles.Bea, '--output', join(home, 'other.bobbin'), '--data-dir', dir));
});

test('a member sees who of the team used what, what failed, and where the time went', async () => {
  const { context, page, origin, complaints } = await enter(await token(people.Mia));
  const go = async (address, wait) => {
    await page.goto('about:blank');
    await page.goto(`${origin}/#/1/${address}`);
    await page.waitForSelector(wait);
  };
  await go('overview?by=user', 'svg.cells');
  await until(async () => {
    const rows = await page.locator('.labels .row').allInnerTexts();
    return rows.includes('Ada') && rows.includes('Bea');
  });
  await page.screenshot({ path: join(screenshots, 'hub-members-light.png'), animations: 'disabled', fullPage: true });
  await go('clusters', 'tbody tr');
  await until(async () => (await page.locator('tbody tr').count()) === 6);
  await go('exceptions', 'article');
  await until(async () => (await page.textContent('main')).includes('ZeroDivisionError'));
  const ask = (command, request) =>
    page.evaluate(
      async ([command, request]) => {
        const answer = await fetch(`/api/${command}`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(request) });
        return [answer.status, await answer.json()];
      },
      [command, request],
    );
  const [, { rows }] = await ask('clusters', {});
  const id = (name) => rows.find((row) => row.name === name).id;
  await go(`cluster/${id('nightly-1')}?tab=groups`, '#tabpanel tbody tr');
  await until(async () => (await page.textContent('main')).includes('read-parquet'));
  await go(`cluster/${id('profiled')}?tab=profile`, '.flame canvas');
  await page.screenshot({ path: join(screenshots, 'hub-flame-light.png'), animations: 'disabled' });
  await accessible(page);
  assert.deepEqual(complaints, []);

  // Whatever the page could ask: what changes something is refused, each by its name.
  const names = [...(await readFile(join(root, 'ui/src/generated/api.ts'), 'utf8')).matchAll(/^ {2}(\w+): \{ request: /gm)].map(([, name]) => name);
  assert.ok(names.length > 80, `${names.length} commands`);
  const refused = [];
  for (const name of names) {
    const [status, said] = await ask(name, {});
    if (status === 403 && said.code === 'read_only') refused.push(name);
  }
  const writes = /^(set|delete|undo|remove|add|mark|save|import|move|new|rotate|restore|unlock|lock|approve|stage|decide|discard|forget|close|cancel|load|decline|trust|reset|stand|own_words|sql|replay|salvage|report)/;
  for (const name of names.filter((name) => writes.test(name))) assert.ok(refused.includes(name), name);
  await context.close();
});

test('a viewer has nothing to write with: neither in the browser nor from a laptop', async () => {
  const { dir } = people.Vera;
  const seen = await bobbin('fetch', '--data-dir', dir);
  assert.equal(seen.length, 2);
  await bobbin('import', await saved(), '--data-dir', dir);
  const { stage } = await bobbin('stage', '1', '--to', 'blue', '--data-dir', dir);
  await bobbin('approve', stage.sha256, '--data-dir', dir);
  await assert.rejects(bobbin('push', '--data-dir', dir, '--attempts', '1'));
  assert.equal((await atHub('--account', 'blue', 'bundles')).length, 2);
  await assert.rejects(bobbin('recall', bundles.Ada, '--data-dir', dir));
  assert.equal((await bobbin('fetch', '--data-dir', dir)).every(({ recalled_micros }) => recalled_micros === null), true);
});

/** A bundle of the hub as a file. */
async function saved() {
  const path = join(home, 'saved.bobbin');
  await bobbin('fetch', bundles.Bea, '--output', path, '--data-dir', people.Vera.dir);
  return path;
}

test('a page that is open hears at once that its token was revoked', async () => {
  const { text, token: id } = await tokenOf(people.Mia);
  const { context, page } = await enter(text);
  await until(async () => (await page.getByText('Live', { exact: true }).count()) === 1);
  await atHub('--account', 'blue', 'token', 'revoke', id);
  await until(async () => (await page.getByText('Live', { exact: true }).count()) === 0, 60_000);
  await page.reload();
  assert.equal(await page.locator('#token').count(), 1);
  await context.close();
});
