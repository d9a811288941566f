// The first run: from an empty store to a cluster that reports, by the page's own buttons and lines, with real Dask.

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { accessible } from './support/axe.mjs';
import { Bobbin } from './support/bobbin.mjs';
import { launch, Visitor } from './support/browser.mjs';
import { localCluster, noDask, scheduler } from './support/dask.mjs';
import { Story } from './support/story.mjs';

const patience = { timeout: 60_000 };
const themes = ['light', 'dark'];

let browser;
before(async () => (browser = await launch()));
after(() => browser?.close());

/** The page of a Bobbin that nothing ever reported to. */
function firstRun() {
  const here = {};
  before(async () => {
    here.bobbin = await Bobbin.start();
    here.visitor = await Visitor.enter(browser, here.bobbin);
    here.page = here.visitor.page;
  });
  after(async () => {
    await here.visitor?.context.close();
    await here.bobbin?.remove();
  });
  return here;
}

describe('this machine', () => {
  const here = firstRun();
  let cluster;
  after(() => cluster?.end());

  test('costs that there are none of lead here', async () => {
    const { page, visitor } = here;
    await visitor.go('costs', '.notice');
    await page.getByText('No cluster has reported yet').waitFor();
    await page.getByRole('link', { name: 'Connect one' }).click();
    await page.getByRole('heading', { name: 'Connect a cluster' }).waitFor();
    await visitor.go('overview', 'ol');
  });

  test('one button writes what bobbin connect writes, and shows it', async () => {
    const { page, bobbin, visitor } = here;
    await page.getByText('Waiting for the first report').waitFor();
    for (const theme of themes) await visitor.shot(`first-run-${theme}-full`, theme, { fullPage: true });
    await accessible(page);
    await page.getByRole('button', { name: 'Connect this machine' }).click();
    await page.getByText('Connected.').waitFor();
    const file = join(bobbin.home, '.config/dask/zz-bobbin.yaml');
    await page.getByText(file).first().waitFor();
    await page.getByText('Show what was written').click();
    assert.equal((await page.getByLabel('The file').innerText()).trim(), (await readFile(file, 'utf8')).trim());
    assert.equal((await visitor.ask('status')).connected, true);
    await accessible(page);
  });

  test('a script that knows nothing of Bobbin reports, and the page says so and leads there', { skip: noDask }, async () => {
    const { page, bobbin, visitor } = here;
    cluster = localCluster(bobbin.home);
    const link = page.locator('[data-waiting]').getByRole('link', { name: 'my-first' });
    await link.waitFor(patience).catch((error) => assert.fail(`${error.message}\n${cluster.talk}`));
    await page.getByText('reports', { exact: false }).first().waitFor();
    await page.waitForURL(/#\/1\/connect$/, patience);
    await accessible(page);
    for (const theme of themes) await visitor.shot(`first-run-arrived-${theme}`, theme);
    await link.click();
    await page.getByRole('heading', { name: 'my-first' }).waitFor();
    visitor.quiet();
  });

  test('its button closes that very cluster, and the page says so when it is over', { skip: noDask }, async () => {
    const { page, visitor } = here;
    await page.getByRole('button', { name: 'Close cluster' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Close cluster' }).click();
    await page.getByText('Closed from here', { exact: true }).waitFor(patience);
    const [row] = (await visitor.ask('clusters')).rows;
    assert.equal(row.state, 'finished');
    assert.match(cluster.talk, /closing the cluster at its user's request/);
    visitor.quiet();
  });

  test('undo takes the file away, and nothing else', async () => {
    const { page, bobbin, visitor } = here;
    await visitor.go('connect', 'ol');
    await page.getByRole('button', { name: 'Undo: remove the file' }).click();
    await page.getByRole('button', { name: 'Connect this machine' }).waitFor();
    assert.ok(!existsSync(join(bobbin.home, '.config/dask/zz-bobbin.yaml')));
    visitor.quiet();
  });

  test('a file of somebody else in its place is refused, by its name', async () => {
    const { page, bobbin, visitor } = here;
    await mkdir(join(bobbin.home, '.config/dask'), { recursive: true });
    const file = join(bobbin.home, '.config/dask/zz-bobbin.yaml');
    await writeFile(file, 'mine: 1\n');
    await page.getByRole('button', { name: 'Connect this machine' }).click();
    await page.getByRole('alert').filter({ hasText: 'is not Bobbin' }).waitFor();
    assert.equal(await readFile(file, 'utf8'), 'mine: 1\n');
    visitor.complaints = visitor.complaints.filter((what) => !what.includes('the server responded with'));
    visitor.quiet();
  });
});

describe('another machine', { skip: noDask }, () => {
  const here = firstRun();
  let home;
  let lines;
  let plugin;
  const running = [];
  before(async () => (home = await mkdtemp(join(tmpdir(), 'bobbin-far-'))));
  after(async () => {
    for (const one of running) await one.end();
    await rm(home, { recursive: true, force: true, maxRetries: 5 });
  });
  const start = (given) => {
    const one = scheduler(home, plugin, given);
    running.push(one);
    return one;
  };
  const told = () => here.page.locator('#remote [data-waiting]');

  test('what ssh would not take for a machine is refused by its name', async () => {
    const { page, visitor } = here;
    await page.getByLabel('Where the scheduler starts').fill('-oProxyCommand=x');
    await page.getByRole('button', { name: 'Generate commands' }).click();
    await page.getByRole('alert').filter({ hasText: '-oProxyCommand=x cannot be used' }).waitFor();
    visitor.complaints = visitor.complaints.filter((what) => !what.includes('the server responded with'));
  });

  test('the lines hold the port, the pin and a key that may only send', async () => {
    const { page, bobbin, visitor } = here;
    await page.getByLabel('Where the scheduler starts').fill('ada@far.example.org');
    await page.getByLabel('Jump host').fill('login');
    await page.getByRole('button', { name: 'Generate commands' }).click();
    const port = bobbin.listening.tcp.split(':')[1];
    const tunnel = await page.getByLabel('The tunnel').innerText();
    assert.equal(tunnel.trim(), `ssh -N -o ExitOnForwardFailure=yes -o ServerAliveInterval=30 -J login -R ${port}:127.0.0.1:${port} ada@far.example.org`);
    plugin = /^scp -J login (\S+) ada@far\.example\.org:bobbin\.py$/.exec((await page.getByLabel('Copy the plugin').innerText()).trim())[1];
    // As the first line does: there it knows nothing of a folder of this Bobbin's.
    await copyFile(plugin, join(home, 'bobbin.py'));
    plugin = join(home, 'bobbin.py');
    lines = (await page.getByLabel('The environment and the scheduler').innerText()).trim().split('\n');
    const pin = (await visitor.ask('receiver_settings')).certificate_sha256;
    assert.equal(lines[0], `export DASK_BOBBIN__RECEIVER='https://127.0.0.1:${port}#sha256=${pin}'`);
    assert.ok(!lines.join().includes(bobbin.token), 'not the token itself');
    await page.locator('#remote [data-waiting=yes]').waitFor();
    await accessible(page);
    for (const theme of themes) await visitor.shot(`connect-remote-${theme}`, theme, { fullPage: true });
  });

  test('a wrong certificate, and then a wrong token, are told with what to do', async () => {
    const { visitor } = here;
    const port = here.bobbin.listening.tcp.split(':')[1];
    const other = start([`export DASK_BOBBIN__RECEIVER='https://127.0.0.1:${port}#sha256=${'0'.repeat(64)}'`, lines[1]]);
    await told().getByText('it pins another one', { exact: false }).waitFor(patience);
    await other.end();
    const stranger = start([lines[0], 'export DASK_BOBBIN__TOKEN=bobbinbobbinbobbinbobbinbobbinbobbin']);
    await told().getByText('its token is not the one of this Bobbin', { exact: false }).waitFor(patience);
    await visitor.shot('connect-turned-away', 'light', { fullPage: true });
    await stranger.end();
  });

  test('with the lines as they are the scheduler reports, and the page says so', async () => {
    const { bobbin, visitor } = here;
    // One of this machine's own says nothing of the tunnel.
    const own = new Story('beside', { name: 'beside', user: 'ana', started: Date.now() * 1000 });
    await bobbin.post(own.batch([own.cluster(), own.sample(Date.now() * 1000)]));
    await here.page.waitForTimeout(2_500);
    assert.equal(await told().getByText('beside').count(), 0);
    const right = start(lines);
    // It brings along what those before it could not say.
    await told().getByText('reports', { exact: false }).first().waitFor(patience).catch((error) => assert.fail(`${error.message}\n${right.talk}`));
    await accessible(here.page);
    await visitor.shot('connect-arrived', 'dark', { fullPage: true });
    visitor.quiet();
  });

  test('keys that were handed out are taken back, and the scheduler is turned away', async () => {
    const { page, visitor } = here;
    await visitor.go('settings/receiver?item=keys', '#setting-keys');
    await page.getByText('2 keys').or(page.getByText('1 key', { exact: false })).first().waitFor();
    await page.getByRole('button', { name: 'Revoke all…' }).click();
    await page.getByRole('button', { name: /^Revoke (it|all \d+)$/ }).click();
    await page.getByText('No keys issued.').waitFor();
    assert.equal((await visitor.ask('receiver_settings')).keys, 0);
    visitor.quiet();
  });
});

describe('samples', () => {
  const here = firstRun();

  test('are opened by a button, and removed by another', async () => {
    const { page, visitor } = here;
    await page.getByRole('button', { name: 'Open samples' }).click();
    // Weeks of recordings are read and stored: seconds, and longer on a busy machine.
    await page.locator('.heat').first().waitFor({ timeout: 240_000 });
    assert.equal((await visitor.ask('demo')).loaded, true);
    await visitor.go('connect', 'ol');
    await page.getByRole('button', { name: 'Remove samples' }).click();
    await page.getByRole('button', { name: 'Open samples' }).waitFor({ timeout: 240_000 });
    visitor.quiet();
  });
});
