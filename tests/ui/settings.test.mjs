// The settings: every section has its address and can be read and used by everybody; what is set is kept, and what cannot be used is refused
// with its value.

import assert from 'node:assert/strict';
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import { accessible } from './support/axe.mjs';
import { until } from './support/browser.mjs';
import { secretive } from './support/story.mjs';
import { sharedVisit } from './support/visit.mjs';

/** Each with what is there once it is drawn. */
const sections = [
  ['receiver', '#setting-file'],
  ['storage', 'form'],
  ['prices', '#setting-budgets'],
  ['people', '#people-title'],
  ['privacy', '#setting-forgotten'],
  ['inbox', '#setting-files'],
  ['team', '#setting-ledger'],
  ['desktop', '.notice'],
  ['appearance', '#setting-tables'],
  ['doctor', '[data-verdict]'],
  ['updates', '#setting-release'],
  ['keys', 'kbd'],
];

let bobbin, visitor, page;
sharedVisit({
  tell: async (bobbin) => {
    for (const batch of secretive(Date.now() * 1000).batches) await bobbin.post(batch);
  },
  met: (there) => ({ bobbin, visitor, page } = there),
});

/** Refusals are told on the page, and by the browser's console too. */
const hush = () => (visitor.complaints = visitor.complaints.filter((what) => !what.includes('the server responded with')));

for (const [section, drawn] of sections)
  test(`${section}: by its address, for everybody`, async () => {
    for (const [name, width, size] of [['', 1280, ''], ['-narrow', 520, ''], ['-large', 1280, '200%']]) {
      await page.setViewportSize({ width, height: 800 });
      await page.evaluate((size) => (document.documentElement.style.fontSize = size), size);
      for (const theme of ['light', 'dark']) {
        await visitor.go(`settings/${section}`, drawn);
        await visitor.shot(`settings-${section}${name}-${theme}`, theme, { fullPage: true });
        await accessible(page);
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${section} is wider than the page`);
      }
    }
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.evaluate(() => (document.documentElement.style.fontSize = ''));
    assert.equal(await page.locator('nav [aria-current=page]', { hasText: new RegExp(section.split(' ')[0], 'i') }).count(), 1);
    visitor.quiet();
  });

test('a setting is found by its name, and has the focus', async () => {
  await visitor.go('overview');
  await page.keyboard.press('Control+k');
  await page.keyboard.type('tls');
  await page.getByRole('option', { name: /Receiver certificate/ }).waitFor();
  await page.keyboard.press('Enter');
  await until(() => page.evaluate(() => document.activeElement?.getAttribute('aria-labelledby') === 'setting-certificate'));
  await page.waitForURL(/settings\/receiver\?item=certificate$/);
});

test('sections are reached by keys alone', async () => {
  await visitor.go('settings/receiver', '#setting-file');
  await page.getByRole('navigation', { name: 'Settings sections' }).getByRole('link', { name: /^Receiver/ }).focus();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.waitForSelector('#storage-title');
  await page.waitForURL(/settings\/storage$/);
});

test('a port is kept for the next start, one that cannot be used is refused by its value, and the default comes back', async () => {
  await visitor.go('settings/receiver?item=port', '#setting-port');
  const setting = page.getByRole('group', { name: 'Port' });
  const port = setting.getByLabel('Port at next start');
  await port.fill('8787');
  await setting.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('alert').filter({ hasText: '8787 cannot be used: Dask’s dashboard listens there'.replace('’', "'") }).waitFor();
  hush();
  await port.fill('eighty');
  await setting.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('alert').filter({ hasText: 'eighty cannot be used' }).waitFor();
  hush();
  await port.fill('9123');
  await setting.getByRole('button', { name: 'Save', exact: true }).click();
  const file = join(bobbin.home, 'data', 'settings.toml');
  await until(async () => (await readFile(file, 'utf8')).includes('port = 9123'));
  // It runs on a port that its command line named, which goes before the file.
  await page.getByText('set by --port').waitFor();
  await page.getByRole('button', { name: 'Reset', exact: true }).click();
  await until(async () => (await visitor.ask('receiver_settings')).file_exists === false);
  visitor.quiet();
});

test('the token is shown when asked for; a new one lets in, and the old one nobody', async () => {
  const asks = (token) =>
    new Promise((resolve, reject) => {
      const options = { socketPath: bobbin.listening.socket, path: '/v1/health', headers: { host: 'bobbin', authorization: `Bearer ${token}` } };
      request(options, (answer) => {
        answer.resume();
        answer.on('end', () => resolve(answer.statusCode));
      })
        .on('error', reject)
        .end();
    });
  await visitor.go('settings/receiver?item=token', '#setting-token');
  assert.ok(!(await page.innerText('main')).includes(bobbin.token));
  await page.getByRole('button', { name: 'Show', exact: true }).click();
  await page.getByText(bobbin.token).waitFor();
  assert.equal(await asks(bobbin.token), 200);
  await page.getByRole('button', { name: 'Replace…' }).click();
  await page.getByText('What stops working right away').waitFor();
  await accessible(page);
  await visitor.shot('settings-token', 'light', { fullPage: true });
  await page.getByRole('button', { name: 'Replace token' }).click();
  await page.getByText(bobbin.token).waitFor({ state: 'detached' });
  const now = (await visitor.ask('show_token')).text;
  assert.deepEqual([await asks(bobbin.token), await asks(now)], [401, 200]);
  assert.equal((await readFile(bobbin.listening.token_file, 'utf8')).trim(), now);
  bobbin.token = now;
  visitor.quiet();
});

test('who reaches the receiver is said, and the interface of the next start is taken or refused by its name', async () => {
  await visitor.go('settings/receiver?item=network', '#setting-network');
  const setting = page.getByRole('group', { name: 'Interface' });
  await setting.getByText('This machine only').waitFor();
  const said = await setting.innerText();
  const port = bobbin.listening.tcp.split(':').at(-1);
  for (const words of [bobbin.listening.tcp, 'it speaks only TLS', `-R ${port}:127.0.0.1:${port} user@host`]) assert.ok(said.includes(words), `${words} in ${said}`);
  const field = setting.getByLabel('Interface at next start');
  for (const wrong of ['0.0.0.0', '::', 'eth0']) {
    await field.fill(wrong);
    await setting.getByRole('button', { name: 'Save', exact: true }).click();
    await setting.getByRole('alert').filter({ hasText: `${wrong} cannot be used` }).waitFor();
  }
  await field.fill('192.168.1.7');
  await setting.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('and on 192.168.1.7 for other machines', { exact: false }).waitFor();
  await accessible(page);
  await visitor.shot('settings-interface', 'light', { fullPage: true });
  await setting.getByRole('button', { name: 'Remove interface' }).click();
  await until(async () => (await visitor.ask('receiver_settings')).file_exists === false);
  visitor.complaints = visitor.complaints.filter((what) => !what.includes('the server responded with'));
  await setting.getByRole('link', { name: /All commands for another machine/ }).click();
  await page.waitForURL(/connect/);
  visitor.quiet();
});

test('why no other machine reaches the receiver is said in sentences', async () => {
  const failed = 'the interface: 192.168.1.7 cannot be used: this machine cannot listen there now (it is away); `ip address` lists its addresses';
  await page.route('**/api/receiver_settings', async (route) => {
    const response = await route.fetch();
    const told = await response.json();
    told.running.interface = { address: '192.168.1.7:8788', failed, by_option: true, until_micros: null };
    await route.fulfill({ response, json: told });
  });
  await visitor.go('overview', 'main');
  await visitor.go('settings/receiver?item=network', '#setting-network');
  const setting = page.getByRole('group', { name: 'Interface' });
  await setting.getByText('The interface: 192.168.1.7 cannot be used').waitFor();
  assert.match(await setting.innerText(), /ip address lists its addresses\. Bobbin retries every 15 seconds\. It still listens on this machine\./);
  await accessible(page);
  await page.unrouteAll({ behavior: 'wait' });
  visitor.quiet();
});

test('the inbox says what became of each file, and takes folders that are there', async () => {
  const inbox = join(bobbin.home, 'data', 'inbox');
  await writeFile(join(inbox, 'broken.bobbin'), 'this is no batch\n');
  await writeFile(join(inbox, 'night.folded'), 'main;load 30\nmain;sum 10\n');
  await visitor.go('settings/inbox', '#setting-files');
  const row = page.getByRole('row', { name: /broken\.bobbin/ });
  await row.getByText('set aside because', { exact: false }).waitFor({ timeout: 60_000 });
  // It is gone from the folder, and still told of, with the cluster that it became.
  const taken = page.getByRole('row', { name: /night\.folded/ });
  await taken.getByText('imported as', { exact: false }).waitFor({ timeout: 60_000 });
  assert.ok(!(await readdir(inbox)).includes('night.folded'));
  const { files } = await visitor.ask('inbox_files');
  const { id, name } = files.find((one) => one.name === 'night.folded').clusters[0];
  assert.equal(await taken.getByRole('link', { name }).getAttribute('href'), `#/1/cluster/${id}`);
  const folder = join(bobbin.home, 'shared');
  const typed = page.getByLabel('Another folder');
  await typed.fill(folder);
  await page.getByRole('button', { name: 'Add folder' }).click();
  await page.getByRole('alert').filter({ hasText: `${folder} cannot be used: there is no such folder here` }).waitFor();
  hush();
  await mkdir(folder);
  await page.getByRole('button', { name: 'Add folder' }).click();
  await page.getByRole('button', { name: `Stop reading ${folder}` }).waitFor();
  await visitor.shot('settings-inbox-much', 'light', { fullPage: true });
  await accessible(page);
  await page.getByRole('button', { name: `Stop reading ${folder}` }).click();
  await until(async () => (await visitor.ask('inbox_files')).others.length === 0);
  visitor.quiet();
});

test('how it looks and reads is followed at once, kept, and reset', async () => {
  await visitor.go('settings/appearance', '#setting-tables');
  const of = () => page.evaluate(() => ({ ...document.documentElement.dataset, size: getComputedStyle(document.documentElement).fontSize }));
  const before = await of();
  await page.getByRole('group', { name: 'Contrast' }).getByRole('button', { name: 'High' }).click();
  await page.getByRole('button', { name: '130 %' }).click();
  await page.getByLabel('Larger type', { exact: true }).check();
  assert.deepEqual(await of(), { ...before, contrast: 'high', text: '130', presenting: 'yes', size: '28.08px' });
  for (const theme of ['light', 'dark']) {
    await visitor.shot(`settings-appearance-high-${theme}`, theme);
    await accessible(page);
  }
  await page.getByLabel('Another time zone').fill('Mars/Olympus');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('alert').filter({ hasText: 'Unknown time zone: Mars/Olympus' }).waitFor();
  await page.getByLabel('Another time zone').fill('Asia/Kathmandu');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('now UTC+05:45').waitFor();
  await page.getByRole('button', { name: '1 kB = 1,000 bytes' }).click();
  await page.getByText(/Store size: [\d.]+ [kM]B/).waitFor();
  await page.reload();
  await page.getByText('now UTC+05:45').waitFor();
  assert.equal((await of()).text, '130');
  await page.getByRole('button', { name: 'Reset', exact: true }).click();
  await page.getByText('now UTC:').waitFor();
  assert.deepEqual(await of(), before);
  visitor.quiet();
});
