// Reports in a browser without a network: what opens is one file, and it asks nobody for anything.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { copyFile, mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { accessible } from './support/axe.mjs';
import { binary, Bobbin, root } from './support/bobbin.mjs';
import { launch, screenshots, until, Visitor } from './support/browser.mjs';
import { polyglots } from './support/polyglots.mjs';
import { stacks } from './support/profiles.mjs';
import { Story } from './support/story.mjs';

const run = promisify(execFile);
const second = 1_000_000;
const now = Date.now() * 1000;
const ids = {};
let browser, bobbin, visitor, folder;

/** A morning of work: groups that need each other, one failure, workers, code, and a profile of two prefixes. */
function morning(key, slower) {
  const started = now - 900 * second;
  const story = new Story(key, { name: key, user: 'canary-user', host: 'canary-host', started, interval: 120 * second, switches: { profile: true } });
  const records = [story.cluster()];
  for (let i = 0; i < 60; i += 1) records.push(story.sample(started + i * 10 * second, { tasks: { processing: 8, waiting: 400 - 6 * i }, totals: { compute: 6 * i * slower, thread_seconds: 10 * i * slower, tasks_completed: 9 * i } }));
  const groups = [
    ['read-parquet', [], 210],
    ['clean', ['read-parquet'], 90],
    ['merge-views', ['clean'], 260 * slower],
    ['score', ['merge-views'], 45],
  ];
  groups.forEach(([prefix, needs, compute], i) =>
    records.push(
      story.group(now - 60 * second, `g-${prefix}`, {
        prefix,
        states: prefix === 'score' ? { released: 90, erred: 3 } : { released: 150 },
        seconds: { compute, transfer: compute / 6, disk_read: 0, disk_write: 0, deserialize: 0, other: 0 },
        bytes: 50_000_000 * (i + 1),
        start: started + i * 60 * second,
        stop: started + (i * 60 + 200) * second,
        needs: needs.map((need) => `g-${need}`),
        durations: { count: 100, mean_seconds: 1.2, std_seconds: 0.6, p50_seconds: 1, p95_seconds: 2.4, max_seconds: 6 },
      }),
    ),
  );
  const code = [{ code: 'canary_code = views.merge(clean).compute()\n', filename: 'morning.py', line_relative: 1, line: 42 }];
  records.push(story.computation(now - 60 * second, 'c1', { start: started, stop: started + 500 * second, groups: groups.map(([prefix]) => `g-${prefix}`), states: { released: 540 }, code }));
  records.push(story.exception(now - 90 * second, 'e1', { exception_type: 'ZeroDivisionError', message: 'canary-message', group_id: 'g-score', group: 'score', count: 3 }));
  for (let i = 0; i < 4; i += 1) records.push(story.worker(started + i * second, i, 'joined', { name: `canary-worker-${i}`, host: 'canary-host' }));
  for (const seed of [3, 4]) records.push(stacks(story, now - seed * 30 * second, 'merge-views', { seed, skew: slower > 1 ? 0.5 : 0 }));
  records.push(stacks(story, now - 60 * second, 'score', { seed: 5 }), story.stop(now - 30 * second));
  return story.batch(records);
}

/** Every name is one that does harm where text is taken for something else. */
function wild() {
  const story = new Story('wild', { name: '</script><script>canary=1</script>', started: now - 500 * second, interval: 120 * second, switches: { profile: true } });
  const at = (i) => polyglots[i % polyglots.length];
  const records = [story.cluster(), story.sample(now - 60 * second, { tasks: { [at(1)]: 3 } }), story.sample(now - 30 * second)];
  polyglots.forEach((text, i) => {
    records.push({ ...story.group(now, `g${i}`, { states: { memory: 1 }, seconds: { compute: 120 - i }, needs: [`g${(i + 1) % 120}`] }), name: text, prefix: at(i + 1), types: [at(i + 2)] });
    records.push(story.exception(now, `x${i}`, { exception_type: at(i), message: at(i + 1), traceback: at(i + 2), group: at(i + 3), group_id: `g${i}` }));
    records.push(story.computation(now, `c${i}`, { start: now - i * second, groups: [`g${i}`], states: {}, code: [{ code: `${text}\n${at(i + 1)}`, filename: at(i + 2), line_relative: 0, line: 1 }] }));
    records.push(story.profile(now - i, i % 2 ? text : null, [[text, at(i + 1), i, at(i + 2), 10], [at(i + 3), at(i + 4), null, null, 120 - i]], { from: now - i - 1 }));
  });
  return story.batch(records);
}

/** `bobbin report`, beside the running one. */
async function report(name, ...args) {
  const path = join(folder, `${name}.html`);
  await run(binary, ['report', ...args.map(String), '-o', path, '--data-dir', join(bobbin.home, 'data')], { env: { ...process.env, HOME: bobbin.home } });
  const { size } = await stat(path);
  console.log(`${name}: ${(size / 1e6).toFixed(2)} MB`);
  assert.ok(size < 3_000_000, `${name} has ${size} bytes`);
  return path;
}

/** A file in a browser that has no network, and everything that it complains about or asks for. */
async function opened(path, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, timezoneId: 'UTC', offline: true, ...options });
  const page = await context.newPage();
  const complaints = [];
  await page.exposeFunction('tellViolation', (text) => complaints.push(`policy: ${text}`));
  await page.addInitScript(() => document.addEventListener('securitypolicyviolation', (event) => window.tellViolation(`${event.effectiveDirective} ${event.blockedURI} ${event.sample}`)));
  await page.addInitScript(() => {
    globalThis.redrawn = 0;
    const count = (changes) => (globalThis.redrawn += changes.filter(({ target }) => target.matches('.plot svg')).length);
    new MutationObserver(count).observe(document, { subtree: true, attributes: true, attributeFilter: ['width'] });
  });
  page.on('console', (message) => ['error', 'warning'].includes(message.type()) && complaints.push(`console: ${message.text()}`));
  page.on('pageerror', (error) => complaints.push(`error: ${error.stack}`));
  page.on('dialog', (dialog) => complaints.push(`dialog: ${dialog.message()}`));
  page.on('request', (request) => request.url().split('#')[0] !== pathToFileURL(path).href && complaints.push(`request to ${request.url()}`));
  await page.goto(pathToFileURL(path).href);
  await page.waitForSelector('h1');
  await until(async () => (await page.locator('section[aria-busy=true]').count()) === 0);
  return { page, context, complaints };
}

const hash = (page) => new URLSearchParams(new URL(page.url()).hash.split('?')[1] ?? '');
/** What the report was asked for and does not hold. */
const absent = (page) => page.getByText('This is not in the report').count();
const section = (page, name) => page.getByRole('region', { name: new RegExp(`^${name}`) });

before(async () => {
  browser = await launch();
  bobbin = await Bobbin.start();
  folder = join(bobbin.home, 'reports');
  await mkdir(folder);
  await bobbin.post(morning('monday', 1));
  await bobbin.post(morning('tuesday', 2));
  await bobbin.post(wild());
  const leaky = new Story('leaky', { name: 'leaky', started: now - 500 * second, interval: 120 * second });
  await bobbin.post(leaky.batch([leaky.cluster(), leaky.exception(now, 'x', { message: 'denied: ghp_abcdefghijklmnopqrstuvwxyz0123456789' })]));
  visitor = await Visitor.enter(browser, bobbin, { acceptDownloads: true, permissions: ['clipboard-read', 'clipboard-write'] });
  // A real run, as it was recorded.
  const known = (await visitor.ask('clusters')).rows.map((row) => row.id);
  const recordings = join(root, 'assets/demo');
  const recorded = (await readdir(recordings)).filter((name) => name.endsWith('.bobbin')).sort()[0];
  const inbox = join(bobbin.home, 'data/inbox');
  await mkdir(inbox, { recursive: true });
  await copyFile(join(recordings, recorded), join(inbox, recorded));
  ids.recorded = await until(async () => (await visitor.ask('clusters')).rows.find((row) => !known.includes(row.id) && row.state === 'finished')?.id, 120_000);
  for (const row of (await visitor.ask('clusters')).rows) ids[row.name.startsWith('</') ? 'wild' : row.name] = row.id;
});

after(async () => {
  await visitor?.context.close();
  await browser?.close();
  await bobbin?.remove();
});

test('a report opens from its file, and all of it answers by mouse and by keys', async () => {
  const path = await report('monday', ids.monday);
  const { page, context, complaints } = await opened(path);
  assert.equal(await page.locator('h1').innerText(), 'monday');
  // A chart is drawn once, as wide as it is.
  assert.ok((await page.locator('.plot svg').count()) > 0);
  assert.equal(await page.evaluate(() => globalThis.redrawn), 0);
  for (const name of ['Task groups', 'Graph', 'Profile', 'Exceptions', 'Computations', 'Workers', 'Activity', 'Facts']) await section(page, name).first().waitFor();
  assert.equal(await absent(page), 0, await page.locator('body').innerText());

  // A table is sorted.
  const groups = page.locator('[id$="-groups"]');
  await groups.getByRole('button', { name: 'Group', exact: true }).click();
  await until(async () => /^clean/.test(await groups.locator('tbody tr').first().innerText()));

  // A flame graph is zoomed and searched.
  const profile = page.locator('[id$="-profile"]');
  await profile.scrollIntoViewIfNeeded();
  await profile.locator('canvas').first().waitFor();
  await profile.locator('[role=application]').first().focus();
  for (const key of ['ArrowDown', 'ArrowDown', 'Enter']) await page.keyboard.press(key);
  await until(() => hash(page).get('f-zoom') !== null);
  const way = page.getByRole('navigation', { name: 'Path to this frame' });
  await until(async () => (await way.innerText()).startsWith('all'));
  await page.goBack();
  await until(async () => (await way.innerText()).startsWith('The whole profile'));
  await profile.getByLabel('Find functions').fill('merge');
  await until(async () => /frames?, .+ % of time/s.test(await profile.innerText()));
  await profile.getByRole('button', { name: 'Table', exact: true }).click();
  await until(async () => (await profile.locator('tbody tr').count()) > 0);
  await profile.getByRole('button', { name: 'Flame', exact: true }).click();

  // A group of the graph is chosen, and leads to the table.
  const graph = page.locator('[id$="-graph"]');
  await graph.getByRole('button', { name: 'Data', exact: true }).click();
  await until(async () => (await absent(page)) === 0 && (await graph.locator('[aria-busy=true]').count()) === 0);
  await graph.locator('svg [role=button], svg [tabindex]').first().focus();
  await page.keyboard.press('Enter');
  await graph.getByRole('complementary', { name: 'Selected group' }).waitFor();
  await graph.getByRole('link', { name: 'In the table' }).click();
  await until(() => hash(page).get('tab') === null || hash(page).get('tab') === 'groups');

  // Charts of each kind.
  for (const name of ['Hardware', 'By worker', 'Heat-map', 'Work']) {
    await page.getByRole('button', { name, exact: true }).click();
    await page.locator('.charts > *').first().waitFor();
    assert.equal(await absent(page), 0, name);
  }
  const text = await page.locator('body').innerText();
  for (const words of ['ZeroDivisionError', 'Messages and tracebacks are not in the report', 'Code is not in the report', 'Metrics and names']) assert.ok(text.includes(words), words);
  await page.evaluate(() => scrollTo(0, 0));
  await accessible(page);
  assert.deepEqual(complaints, []);
  await context.close();
});

test('what the level does not tell is nowhere in the file', async () => {
  const at = async (level, ...more) => readFile(await report(`level-${level}${more.length}`, ids.monday, '--level', level, ...more), 'utf8');
  const found = (text) => ['canary-user', 'canary-host', 'canary-worker', 'canary-message', 'canary_code', 'monday'].filter((word) => text.includes(word));
  assert.deepEqual(found(await at('metrics')), []);
  assert.deepEqual(found(await at('names')), ['monday']);
  assert.deepEqual(found(await at('errors')), ['canary-message', 'monday']);
  assert.deepEqual(found(await at('everything')), ['canary-message', 'canary_code', 'monday']);
  assert.deepEqual(found(await at('everything', '--real-identities')), ['canary-user', 'canary-host', 'canary-worker', 'canary-message', 'canary_code', 'monday']);
});

test('a real run, all of it told, is far below three megabytes and says all', async () => {
  const path = await report('recorded', ids.recorded, '--level', 'everything');
  const { page, context, complaints } = await opened(path);
  for (const tab of ['groups', 'graph', 'profile', 'exceptions', 'computations', 'workers', 'activity', 'facts']) {
    await page.locator(`[id$="-${tab}"]`).scrollIntoViewIfNeeded();
    await page.waitForTimeout(50);
  }
  await page.locator('canvas').first().waitFor();
  assert.equal(await absent(page), 0);
  await accessible(page);
  await page.evaluate(() => scrollTo(0, 0));
  await page.screenshot({ path: join(screenshots, 'page-report-recorded-light.png'), fullPage: true, animations: 'disabled' });
  assert.deepEqual(complaints, []);
  await context.close();
});

test('names that do harm stay text', async () => {
  const path = await report('wild', ids.wild, '--level', 'everything', '--real-identities');
  const { page, context, complaints } = await opened(path);
  for (const tab of ['groups', 'profile', 'exceptions', 'computations', 'facts']) {
    await page.locator(`[id$="-${tab}"]`).scrollIntoViewIfNeeded();
    await page.waitForTimeout(100);
  }
  assert.equal(await page.evaluate(() => globalThis.canary), undefined);
  assert.equal(await page.locator('#app script, #app img, #app iframe, #app [onload], #app [onerror]').count(), 0);
  assert.deepEqual(complaints, []);
  await context.close();
});

test('a comparison opens with both runs', async () => {
  const path = await report('comparison', ids.monday, ids.tuesday);
  const { page, context, complaints } = await opened(path);
  await page.getByText(/B took|Both took/).first().waitFor();
  await until(async () => (await page.locator('canvas').count()) === 2);
  await page.getByRole('button', { name: /Differences only/ }).click();
  await page.getByRole('link', { name: 'tuesday' }).first().click();
  await until(() => page.evaluate(() => document.activeElement?.id.startsWith('run-') || document.activeElement?.id.endsWith('-groups')));
  assert.equal(await absent(page), 0);
  await page.evaluate(() => scrollTo(0, 0));
  await accessible(page);
  assert.deepEqual(complaints, []);
  for (const theme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme: theme });
    await page.screenshot({ path: join(screenshots, `page-report-comparison-${theme}.png`), fullPage: true, animations: 'disabled' });
  }
  await context.close();
});

test('the page saves a report and copies a summary, and says what holds it back', async () => {
  const { page } = visitor;
  await visitor.go(`cluster/${ids.monday}`, '.said');
  await page.getByRole('button', { name: 'Report…' }).click();
  const dialog = page.getByRole('dialog');
  // Its size and its categories, before there is one.
  await dialog.getByText('It would contain:').waitFor({ timeout: 60_000 });
  const would = await dialog.locator('.would').innerText();
  for (const words of [/^\d\S* \S+ as one file/, /Names\s+[\d,]+ values/, /Code\s+[\d,]+ values? left out/]) assert.match(would, words);
  await dialog.getByRole('button', { name: 'Copy as Markdown' }).click();
  await until(async () => (await dialog.getByRole('status').innerText()).startsWith('Copied'), 60_000);
  const summary = await page.evaluate(() => navigator.clipboard.readText());
  for (const words of ['### Dask cluster `monday`', '**Verdict:', '`ZeroDivisionError` × 3']) assert.ok(summary.includes(words), summary);
  assert.ok(!summary.includes('canary'), summary);
  const lines = summary.trim().split('\n').length;
  assert.ok(lines >= 10 && lines <= 30, `${lines} lines\n${summary}`);
  await accessible(page);
  await page.screenshot({ path: join(screenshots, 'page-report-dialog-light.png') });
  const [download] = await Promise.all([page.waitForEvent('download', { timeout: 60_000 }), dialog.getByRole('button', { name: 'Save report' }).click()]);
  assert.equal(download.suggestedFilename(), `cluster-${ids.monday}.html`);
  const text = await readFile(await download.path(), 'utf8');
  assert.ok(text.startsWith('<!doctype html>') && text.includes("default-src 'none'"));
  const size = would.slice(0, would.indexOf(' as one file'));
  await until(async () => (await dialog.getByRole('status').innerText()).startsWith(`Saved, ${size}.`));
  // A possible secret holds back what would tell it, until somebody decides.
  await page.keyboard.press('Escape');
  await visitor.go(`cluster/${ids.leaky}`, '.said');
  await page.getByRole('button', { name: 'Report…' }).click();
  await dialog.getByRole('radio', { name: /Errors too/ }).check();
  await dialog.getByRole('button', { name: 'Save report' }).click();
  const desk = dialog.getByRole('link', { name: 'Decide on the Review desk' });
  await desk.waitFor({ timeout: 60_000 });
  await desk.click();
  await page.getByText(/possible secret/).first().waitFor();
  const { rows } = await visitor.ask('ledger');
  assert.ok(rows.some((row) => row.entry?.kind === 'export' || row.kind === 'export'), JSON.stringify(rows[0]));
  // The browser says of the refusal that there was one.
  assert.deepEqual(visitor.complaints.filter((said) => !said.includes('409')), []);
});

test('pictures: light, dark, narrow, and on paper', async () => {
  const path = await report('pictures', ids.tuesday, '--level', 'everything');
  for (const theme of ['light', 'dark']) {
    const { page, context } = await opened(path, { colorScheme: theme });
    await page.locator('canvas').first().waitFor();
    await accessible(page);
    await page.screenshot({ path: join(screenshots, `page-report-${theme}.png`), fullPage: true, animations: 'disabled' });
    await context.close();
  }
  const narrow = await opened(path, { viewport: { width: 420, height: 900 } });
  assert.ok(await narrow.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth + 1));
  await narrow.page.screenshot({ path: join(screenshots, 'page-report-narrow.png'), fullPage: true, animations: 'disabled' });
  await narrow.context.close();
  const { page, context } = await opened(path);
  await page.emulateMedia({ media: 'print' });
  await page.setViewportSize({ width: 1046, height: 720 });
  await page.waitForTimeout(300);
  await page.screenshot({ path: join(screenshots, 'page-report-print.png'), fullPage: true, animations: 'disabled' });
  assert.equal(await page.locator('.acts:visible').count(), 0);
  await page.pdf({ path: join(folder, 'report.pdf') });
  assert.ok((await stat(join(folder, 'report.pdf'))).size > 20_000);
  await context.close();
});
