// Bundles and files of other programs in the page: dropped, looked at before anything is stored, opened beside the store, imported; and files that are none.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { accessible } from './support/axe.mjs';
import { Bobbin, binary } from './support/bobbin.mjs';
import { launch, until, Visitor } from './support/browser.mjs';
import { busy, hostile } from './support/story.mjs';

const themes = ['light', 'dark'];

let from;
let to;
let browser;
let visitor;
let page;
let file;

before(async () => {
  from = await Bobbin.start();
  to = await Bobbin.start();
  browser = await launch();
  const now = Date.now() * 1000;
  for (const batch of busy(now, { name: hostile.html }).batches) await from.post(batch);
  file = join(from.home, `${'<b>'}night & co.bobbin`);
  execFileSync(binary, ['export', '1', '--output', file, '--data-dir', join(from.home, 'data')]);
  visitor = await Visitor.enter(browser, to);
  page = visitor.page;
});

after(async () => {
  await browser?.close();
  await Promise.all([from?.remove(), to?.remove()]);
});

const dialog = () => page.locator('[data-bundle]');

/** As when a person drags files from a folder onto the page, each with its name and bytes. */
async function dropAll(files) {
  const transfer = await page.evaluateHandle(
    (files) => {
      const transfer = new DataTransfer();
      for (const [name, base64] of files) transfer.items.add(new File([Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))], name));
      return transfer;
    },
    files.map(([name, bytes]) => [name, Buffer.from(bytes).toString('base64')]),
  );
  for (const event of ['dragenter', 'dragover', 'drop']) await page.dispatchEvent('body', event, { dataTransfer: transfer });
}

const drop = (name, bytes) => dropAll([[name, bytes]]);

test('what is in a bundle is shown before anything of it is stored', async () => {
  await drop('night & co.bobbin', await readFile(file));
  await dialog().getByText('Import 1 cluster').waitFor();
  const said = await dialog().innerText();
  for (const words of ['night & co.bobbin', 'Metrics and names, identities as aliases', 'all hashes match', 'Code', 'left out', hostile.html]) assert.ok(said.includes(words), `${words} in ${said}`);
  for (const theme of themes) await visitor.shot(`bundle-${theme}`, theme);
  await accessible(page);
  assert.equal((await visitor.ask('clusters')).total, 0);
  await dialog().getByRole('button', { name: 'Cancel' }).click();
  await dialog().waitFor({ state: 'detached' });
  visitor.quiet();
});

test('opened beside, every view is of the bundle, says what it leaves out, and leaves nothing', async () => {
  await page.keyboard.press('Control+k');
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('combobox', { name: 'Search and actions' }).fill('open a file');
  await page.keyboard.press('Enter');
  const offered = (await (await chooser).element().getAttribute('accept')).split(',');
  // The same that may be dropped, by how their names end.
  for (const end of ['.bobbin', '.batch', '.html', '.htm', '.json', '.msgpack', '.yaml', '.yml', '.folded', '.txt', '.gz']) assert.ok(offered.includes(end), `${end} in ${offered}`);
  await (await chooser).setFiles(file);
  await dialog().getByRole('button', { name: 'Open beside' }).click();
  const bar = page.locator('[data-beside]');
  await bar.getByText('opened beside your store').waitFor();
  await page.waitForSelector('[data-figure]');
  await page.waitForURL(/#\/1\/beside\/[0-9a-f]{32}\/overview/);
  await page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'Clusters' }).click();
  await page.locator('tbody a').first().click();
  await page.waitForSelector('.said');
  for (const [tab, category] of [['Computations', 'code'], ['Exceptions', 'exceptions'], ['Workers', 'host']]) {
    await page.getByRole('tab', { name: tab }).click();
    await page.locator(`[data-not-in-bundle=${category}]`).waitFor();
  }
  for (const theme of themes) await visitor.shot(`beside-${theme}`, theme);
  await accessible(page);
  assert.equal(await page.getByRole('button', { name: 'Delete…' }).count(), 0);
  // A reload is still of the bundle; the reader's own store has nothing of it.
  await page.reload();
  await bar.getByText('opened beside your store').waitFor();
  assert.equal((await visitor.ask('clusters')).total, 0);
  // Each way between a bundle and the store loads the page anew.
  let loaded = page.waitForEvent('load');
  await bar.getByRole('button', { name: 'Close bundle' }).click();
  await loaded;
  await until(async () => !page.url().includes('beside') && (await bar.count()) === 0);
  loaded = page.waitForEvent('load');
  await page.evaluate(() => void setTimeout(() => history.back()));
  await loaded;
  await page.getByText('This bundle is no longer open.').waitFor();
  await page.getByRole('button', { name: 'Back to my store' }).click();
  await until(async () => (await bar.count()) === 0);
  visitor.complaints = visitor.complaints.filter((what) => !what.includes('404'));
  visitor.quiet();
});

test('files that still wait are named before one is opened beside, which leaves them out', async () => {
  const bytes = await readFile(file);
  await dropAll([['one.bobbin', bytes], ['two.bobbin', bytes], ['three.bobbin', bytes]]);
  await dialog().getByText('Still waiting: two.bobbin, three.bobbin. Open beside leaves them out').waitFor();
  for (const next of ['two.bobbin', 'three.bobbin']) {
    await dialog().getByRole('button', { name: 'Cancel' }).click();
    await dialog().getByRole('heading', { name: next }).waitFor();
  }
  await dialog().getByRole('button', { name: 'Cancel' }).waitFor();
  assert.equal(await dialog().getByText('Still waiting').count(), 0);
  await dialog().getByRole('button', { name: 'Cancel' }).click();
  await dialog().waitFor({ state: 'detached' });
  visitor.quiet();
});

test('imported, it is in the store, and once more it is said to be there', async () => {
  const bytes = await readFile(file);
  await drop('one.bobbin', bytes);
  await dialog().getByRole('button', { name: 'Import 1 cluster' }).click();
  await dialog().getByText('is cluster 1').waitFor();
  await dialog().getByRole('button', { name: 'Done' }).click();
  assert.equal((await visitor.ask('clusters')).total, 1);
  await drop('one.bobbin', bytes);
  await dialog().getByText('it is already here as number 1').waitFor();
  assert.equal(await dialog().getByRole('button', { name: 'Nothing to import' }).isDisabled(), true);
  await page.keyboard.press('Escape');
  await dialog().waitFor({ state: 'detached' });
  visitor.quiet();
});

test('a performance report of Dask is known by its content, becomes a cluster, and what it does not hold is said', async () => {
  const report = await readFile(new URL('../fixtures/foreign/2026/report.html.gz', import.meta.url));
  await drop(`${hostile.html} monday.txt`, report);
  await dialog().getByText('a Dask performance report, recognized by its content').waitFor();
  for (const theme of themes) await visitor.shot(`bundle-report-${theme}`, theme);
  await accessible(page);
  await dialog().getByRole('button', { name: 'Import 1 cluster' }).click();
  await dialog().getByText('is cluster 2').waitFor();
  await dialog().locator('.taken a').click();
  await page.waitForSelector('.said');
  for (const [tab, words] of [['Task groups', 'Result sizes'], ['Exceptions', 'Exceptions: this cluster was read from a Dask performance report'], ['Profile', 'The innermost function']]) {
    await page.getByRole('tab', { name: tab }).click();
    await page.locator('[data-not-in-file]').getByText(words).waitFor();
    for (const theme of themes) await visitor.shot(`from-report-${tab.toLowerCase().replace(' ', '-')}-${theme}`, theme);
  }
  await accessible(page);
  visitor.quiet();
});

test('what is not read is refused in a sentence, one file after the other', async () => {
  const whole = await readFile(file);
  const bad = [
    ['notes.txt', Buffer.from('just words'), 'it is not a type that Bobbin reads'],
    ['cut.bobbin', whole.subarray(0, whole.length - 20), 'cut.bobbin cannot be used'],
    ['other.bobbin', gzipSync('{"kind":"header"}\n'), "it is neither a bundle nor a plugin's batches"],
    [`${hostile.html}.bobbin`, Buffer.alloc(0), 'it is not a type that Bobbin reads'],
  ];
  await dropAll(bad);
  for (const [name, , words] of bad) {
    await dialog().filter({ hasText: name }).getByText(words).waitFor();
    await dialog().getByRole('button', { name: 'Close' }).click();
  }
  await dialog().waitFor({ state: 'detached' });
  await visitor.shot('bundle-refused-light', 'light');
  assert.equal((await visitor.ask('clusters')).total, 2);
  visitor.complaints = visitor.complaints.filter((what) => !what.includes('400'));
  visitor.quiet();
});

test('in the list, what a profile cannot tell of its cluster is a dash with its reason, and no zero', async () => {
  await drop('night.folded.txt', Buffer.from('main;load;read 30\nmain;sum 10\n'));
  await dialog().getByRole('button', { name: 'Import 1 cluster' }).click();
  await dialog().locator('.taken a').waitFor();
  await page.keyboard.press('Escape');
  await visitor.go('clusters?columns=started,workers,memory,tasks,compute,exceptions,user', 'tbody a');
  const { name } = (await visitor.ask('clusters')).rows.find((one) => one.source === 'folded_stacks');
  const row = page.locator('tbody tr', { hasText: name });
  await row.waitFor();
  const cells = row.locator('td');
  assert.deepEqual((await cells.allInnerTexts()).slice(1, 7), ['–', '–', '–', '–', '–', '–']);
  assert.match(await cells.nth(2).getAttribute('title'), /not collected: it was read from folded stacks/);
  assert.match(await cells.nth(1).getAttribute('title'), /time of import/);
  const others = await page.locator('tbody tr', { hasNotText: name }).first().locator('td').nth(2).innerText();
  assert.match(others, /^\d+$/);
  await accessible(page);
  visitor.quiet();
});

test('the lens draws the whole app as whom a share is for would see it', async () => {
  const owner = await Visitor.enter(browser, from);
  await owner.go('overview', '[data-figure]');
  await owner.page.getByRole('button', { name: 'Privacy lens' }).click();
  const bar = owner.page.locator('[data-beside]');
  await bar.getByText('Privacy lens').waitFor();
  await owner.page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'Clusters' }).click();
  await owner.page.locator('tbody a').first().waitFor();
  const said = await owner.page.locator('tbody').innerText();
  assert.ok(said.includes('user-') && !/\bana\b/.test(said), said);
  for (const theme of themes) await owner.shot(`lens-${theme}`, theme);
  await accessible(owner.page);
  // A share may have real names, too.
  const pressed = (name) => until(async () => (await bar.getByRole('button', { name, pressed: true }).count()) === 1);
  await bar.getByRole('button', { name: 'Real names' }).click();
  await pressed('Real names');
  await until(async () => /\bana\b/.test(await owner.page.locator('tbody').innerText().catch(() => '')));
  await bar.getByRole('button', { name: 'Aliases' }).click();
  await pressed('Aliases');
  await bar.getByRole('button', { name: 'Metrics only' }).click();
  await until(async () => (await bar.getByRole('button', { name: 'Metrics only', pressed: true }).count()) === 1);
  // Whom it would be for counts: what was decided for them, and their aliases.
  const [row] = (await owner.ask('clusters', { text: 'user:ana' })).rows;
  const stage = await owner.ask('stage_clusters', { ids: [row.id], choice: { level: 'names', identities: 'aliases' }, destination: 'blue', accept_fields: [] });
  await owner.ask('decide_stage', { id: stage.id, categories: [{ category: 'users', decision: 'keep' }] });
  await bar.getByRole('button', { name: 'Metrics and names' }).click();
  await until(async () => (await bar.getByRole('button', { name: 'Metrics and names', pressed: true }).count()) === 1);
  await bar.getByRole('combobox', { name: 'For' }).selectOption('blue');
  await until(async () => /\bana\b/.test(await owner.page.locator('tbody').innerText().catch(() => '')));
  for (const theme of themes) await owner.shot(`lens-for-${theme}`, theme);
  await accessible(owner.page);
  await bar.getByRole('button', { name: 'Turn off lens' }).click();
  await until(async () => (await bar.count()) === 0);
  assert.equal((await owner.ask('clusters')).rows[0].user, 'ana');
  // A question that was on its way to the lens that was just taken off finds nobody there.
  owner.complaints = owner.complaints.filter((what) => !what.includes('status of 404'));
  owner.quiet();
});

test('no view of the lens tells who it was', async () => {
  const own = await Bobbin.start();
  try {
    for (const batch of busy(Date.now() * 1000, { name: 'nightly', user: 'zuleika', host: 'zqhost-9' }).batches) await own.post(batch);
    const owner = await Visitor.enter(browser, own);
    const told = async () => {
      const there = await owner.page.content();
      return ['zuleika', 'zqhost-9'].filter((name) => there.includes(name));
    };
    await owner.go('clusters', 'tbody a');
    assert.ok((await told()).includes('zuleika'), 'the owner’s own list has it');
    await owner.page.getByRole('button', { name: 'Privacy lens' }).click();
    await owner.page.waitForURL(/beside\/[0-9a-f]{32}/);
    await owner.page.locator('[data-beside]').getByText('Privacy lens').waitFor();
    const [lens] = /beside\/[0-9a-f]{32}/.exec(owner.page.url());
    const tabs = ['groups', 'graph', 'computations', 'exceptions', 'workers', 'activity', 'profile', 'cost', 'events', 'facts'];
    const views = ['overview', 'clusters', 'exceptions', 'costs', 'compare?a=1&b=1', 'profile?ids=1', 'sql?sql=select+*+from+cluster', ...tabs.map((tab) => `cluster/1?tab=${tab}`)];
    for (const view of views) {
      await owner.go(`${lens}/${view}`);
      await owner.settled();
      assert.deepEqual(await told(), [], view);
    }
    // Nor does what is saved of it, or copied whole.
    await owner.context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: own.origin });
    const saved = async (what, item) => {
      await owner.page.getByRole('button', { name: `Save ${what}`, exact: true }).click();
      const [download] = await Promise.all([owner.page.waitForEvent('download', { timeout: 60_000 }), owner.page.getByRole('menuitem', { name: item }).first().click()]);
      return readFile(await download.path(), 'utf8');
    };
    await owner.go(`${lens}/overview?by=user`, 'svg.cells');
    const map = await saved('the heat-map', /^SVG, light/);
    assert.match(map, /user-/);
    await owner.go(`${lens}/cluster/1?tab=profile`, 'canvas');
    const folded = await saved('the profile', /^Folded/);
    assert.match(folded, / \d+\n$/);
    await owner.go(`${lens}/cluster/1?tab=facts`, '.cards');
    await owner.settled();
    await owner.page.getByRole('button', { name: 'Copy as text', exact: true }).click({ modifiers: ['Shift'] });
    await owner.page.getByRole('button', { name: 'Copied', exact: true }).waitFor();
    const facts = await owner.page.evaluate(() => navigator.clipboard.readText());
    assert.match(facts, /user-/);
    for (const text of [map, folded, facts]) assert.ok(!/zuleika|zqhost-9/.test(text), text);
    // What is searched for is not found either.
    await owner.page.keyboard.press('Control+k');
    const answered = owner.page.waitForResponse((response) => response.url().includes('/api/search'));
    await owner.page.getByRole('combobox', { name: 'Search and actions' }).fill('zulei');
    await answered;
    await owner.settled();
    assert.deepEqual(await told(), [], 'the palette');
    await owner.context.close();
  } finally {
    await own.remove();
  }
});
