// Two runs side by side, and each run beside its own history.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accessible } from './support/axe.mjs';
import { until } from './support/browser.mjs';
import { edited, night, nights } from './support/nights.mjs';
import { hostile, Story } from './support/story.mjs';
import { ownVisits } from './support/visit.mjs';

const now = () => Date.now() * 1000;
const slow = { shuffle: 2, transfer: 3, lost: 1, pandas: '3.1.0' };
const withBobbin = ownVisits();

const texts = (page, selector) => page.locator(selector).allInnerTexts();

test('a slower night says so, and the waterfall adds up to why', () =>
  withBobbin(
    () => nights(8, now(), slow),
    async (visitor) => {
      const { page } = visitor;
      const { rows } = await visitor.ask('clusters');
      const tonight = rows[0].id;
      await visitor.go(`cluster/${tonight}`, '.versus');
      const clause = await page.locator('.versus').first().innerText();
      assert.match(clause, /^Compared with earlier runs[^a-z]*worked .*, \d+ % longer than its last 8 runs \(.* ± .*\)/);
      assert.equal(await page.locator('.versus .strip a').count(), 8);
      await accessible(page);
      // The same runs as a table.
      await page.keyboard.press('t');
      await page.locator('.versus tbody tr').first().waitFor();
      assert.equal(await page.locator('.versus tbody tr').count(), 8);
      await page.keyboard.press('t');
      // A run of the strip is a link, by keyboard too.
      await page.locator('.versus .strip a').last().focus();
      assert.match(await page.evaluate(() => document.activeElement.getAttribute('aria-label')), /:/);
      // Its computation says the same.
      await visitor.go(`cluster/${tonight}?tab=computations`, 'article .versus');
      assert.match(await page.locator('article .versus').innerText(), /longer than its last 8 runs/);
      await page.locator('article .versus .strip a').last().click();
      await page.waitForURL(/cluster\/8\?.*item=night-7-c/);

      await visitor.go(`cluster/${tonight}`, '.versus');
      await page.locator('.versus').getByRole('link', { name: 'compare' }).click();
      await page.waitForSelector('#waterfall');
      await page.waitForURL(new RegExp(`compare\\?a=baseline&b=${tonight}$`));
      const told = await visitor.ask('compare', { b: tonight });
      assert.equal(told.a.typical_of, 8);
      const sum = told.waterfall.parts.reduce((total, part) => total + part.micros, 0);
      assert.equal(sum, told.b.wall_micros - told.a.wall_micros);
      assert.equal(told.waterfall.a_micros + sum, told.waterfall.b_micros);
      // Environment stands before the waterfall, and shows only what differs.
      const heads = await texts(page, 'section.panel h2');
      assert.deepEqual(heads.slice(0, 2), ['Environment', 'Where the wall clock went']);
      assert.deepEqual(await texts(page, '[aria-labelledby=environment] tbody th'), ['pandas']);
      await page.getByRole('button', { name: 'Differences only' }).click();
      await until(async () => (await page.locator('[aria-labelledby=environment] tbody tr').count()) > 10);
      await accessible(page);
      await page.reload();
      await until(async () => (await page.locator('[aria-labelledby=environment] tbody tr').count()) > 10);
      await page.keyboard.press('d');
      await until(async () => (await page.locator('[aria-labelledby=environment] tbody tr').count()) === 1);
      // Columns in which the runs never differ are another choice, which outlives the page, too.
      const columns = async () => (await texts(page, '[aria-labelledby=group-differences] thead .pair')).filter((name) => name !== 'A');
      const telling = await columns();
      assert.ok(telling.length > 0 && !telling.includes('Groups'), telling.join());
      await page.getByRole('button', { name: 'Hide constant columns' }).click();
      await until(async () => (await columns()).includes('Groups'));
      assert.deepEqual(await texts(page, '[aria-labelledby=environment] tbody th'), ['pandas']);
      await page.waitForURL(/columns=all/);
      await visitor.go(`compare?a=baseline&b=${tonight}`, '#waterfall');
      await until(async () => (await columns()).includes('Groups'));
      await page.keyboard.press('h');
      await until(async () => !(await columns()).includes('Groups'));
      const largest = (await texts(page, 'ol li.more .name'))[0];
      assert.equal(largest, 'One task: merge-shuffle');
      await page.getByRole('button', { name: 'One task: merge-shuffle: versions that differ' }).click();
      assert.equal(await page.evaluate(() => document.activeElement.getAttribute('aria-label')), 'Environment of both runs');
      // As a table it says the same, down to the sum.
      await page.keyboard.press('t');
      const parts = await texts(page, '[aria-labelledby=waterfall] tbody th');
      assert.deepEqual([parts.includes('Threads'), parts.at(-1)], [true, 'Sum']);
      // Each part links to what proves it in either run.
      const tabs = { 'Start-up': 'workers', 'Number of tasks': 'groups', 'One task': 'groups', Transfer: 'activity', Disk: 'activity', Deserialize: 'activity', Other: 'activity', Threads: 'workers', Stalled: 'activity', Waiting: 'activity', Working: 'computations', Idle: 'computations' };
      const proven = await page.locator('[aria-labelledby=waterfall] tbody tr:not(.total):not(:has(th button))').evaluateAll((rows) => rows.map((row) => [row.querySelector('th').innerText, ...[...row.querySelectorAll('a')].map((link) => link.getAttribute('href'))]));
      assert.ok(proven.length > 3, String(proven.length));
      for (const [name, ...links] of proven) {
        const [part, prefix = null] = name.split(': ');
        for (const [at, run] of [told.a.id, tonight].entries()) {
          const [path, query] = links[at].split('?');
          const asked = new URLSearchParams(query);
          assert.ok(path.endsWith(`/cluster/${run}`), `${name}: ${links[at]}`);
          assert.deepEqual([asked.get('tab') ?? 'groups', asked.get('text')], [tabs[part], prefix], name);
        }
      }
      await accessible(page);
      await page.keyboard.press('t');
      const flame = await page.getByRole('link', { name: 'One task: merge-shuffle: difference of flame graphs' }).getAttribute('href');
      for (const part of [`ids=${tonight}`, 'prefix=merge-shuffle', 'f-as=difference', `f-against=ids%3D${told.a.id}%26prefix%3Dmerge-shuffle`]) assert.ok(flame.includes(part), flame);
      // Proof: the group in that run.
      await page.getByRole('link', { name: 'One task: merge-shuffle: proof in B' }).click();
      await page.waitForURL(new RegExp(`cluster/${tonight}\\?text=merge-shuffle`));
    },
  ));

test('runs that are not alike say so first, and compare by the task', () =>
  withBobbin(
    () => [night('one', now() - 9e9), night('two', now() - 5e9, { tasks: 3, code: edited, line: 10, erred: 2, name: hostile.bidi })],
    async (visitor) => {
      const { page } = visitor;
      await visitor.go('compare?a=1&b=2', '#waterfall');
      const unlike = await texts(page, '.notice li');
      assert.deepEqual(unlike, ['they ran different computations, in code or graph', 'B has 3 times the tasks', 'B has 3 times the bytes of results', '2 tasks failed in B, none in A']);
      assert.deepEqual(await texts(page, 'tr.b code'), ['    events  =  dd.read_parquet(f"s3://lake/events/{day}")', '    joined = joined.repartition(npartitions=900)']);
      assert.deepEqual(await texts(page, '[aria-labelledby=exception-differences] tbody td'), ['merge-shuffle', '0', '2']);
      assert.ok((await page.locator('h2 .name').last().innerText()).includes('‹U+202E›'));
      await accessible(page);
      await page.getByRole('button', { name: 'Compare per task instead' }).click();
      await page.waitForURL(/per=task/);
      await page.getByText('for each 1,000 tasks').first().waitFor();
      assert.ok(!(await texts(page, 'ol .name')).some((name) => name.startsWith('Number of tasks')));
      // Swapped, every part is the opposite.
      const there = await visitor.ask('compare', { a: 1, b: 2 });
      await page.keyboard.press('x');
      await page.waitForURL(/a=2&b=1/);
      const back = await visitor.ask('compare', { a: 2, b: 1 });
      assert.deepEqual(there.waterfall.parts.map((part) => part.micros), back.waterfall.parts.map((part) => (part.micros === 0 ? 0 : -part.micros)));
      await page.goBack();
    },
  ));

test('what looks like a secret is hidden in a difference of code until somebody asks for it', () => {
  const token = `ghp_${'Zq3vT8xN1bK6wR9mD4sF7hJ2cL5pY0aE8uG1'}`;
  // A key of many lines, of which one differs.
  const code = (key, call) => `TOKEN = "${token}"\nKEY = """-----BEGIN PRIVATE ${'KEY-----'}\n${key}\n-----END PRIVATE ${'KEY-----'}"""\n${call}(TOKEN, KEY)\n`;
  return withBobbin(
    () => [night('one', now() - 9e9, { code: code('MIIbefore', 'enter'), line: 1 }), night('two', now() - 5e9, { code: code('MIIbehind', 'go'), line: 1 })],
    async (visitor) => {
      const { page } = visitor;
      await visitor.go('compare?a=1&b=2', '#code-difference');
      await until(async () => (await texts(page, 'tr.b code')).includes('go(TOKEN, KEY)'));
      assert.equal((await texts(page, '.snippet code'))[0], 'TOKEN = "‹secret›"');
      const secrets = [token, 'MIIbefore', 'MIIbehind'];
      const shown = await page.content();
      for (const secret of secrets) assert.ok(!shown.includes(secret), secret);
      await accessible(page);
      await page.getByRole('button', { name: 'Show 2 possible secrets' }).click();
      await until(async () => {
        const shown = await page.content();
        return secrets.every((secret) => shown.includes(secret));
      });
    },
  );
});

test('a run that goes on moves nothing that is read', () => {
  const begun = now() - 60e6;
  const story = (key) => new Story(key, { started: begun, interval: 120e6 });
  const [one, two] = [story('one'), story('two')];
  /** What it computed, until so many seconds before now. */
  const told = (of, inc, sum, ago) => [['inc', inc], ['sum', sum]].map(([prefix, compute]) => of.group(now(), prefix, { states: { memory: 5 }, seconds: { compute }, start: begun, stop: now() - ago * 1e6 }));
  return withBobbin(
    () => [one.batch([one.cluster(), ...told(one, 10, 10, 40)]), two.batch([two.cluster(), ...told(two, 40, 20, 30)])],
    async (visitor, bobbin) => {
      const { page } = visitor;
      await visitor.go('compare?a=1&b=2', '#waterfall');
      const groups = page.locator('[aria-labelledby=group-differences]');
      const prefixes = () => groups.locator('tbody th .name').allInnerTexts();
      const waterfall = page.locator('[aria-labelledby=waterfall] ol');
      await until(async () => (await prefixes()).join() === 'inc,sum');
      await waterfall.hover();
      const before = await waterfall.innerText();
      await bobbin.post(two.batch(told(two, 40, 200, 10)));
      await until(async () => (await prefixes()).join() === 'sum,inc');
      assert.equal(await waterfall.innerText(), before);
      await page.getByRole('button', { name: 'Show the newest' }).click();
      await until(async () => (await waterfall.innerText()) !== before);
      const newer = await waterfall.innerText();

      // What is saved is the newest, and shown from then on.
      await waterfall.hover();
      await bobbin.post(two.batch(told(two, 40, 300, 8)));
      await page.getByRole('button', { name: 'Show the newest' }).waitFor();
      assert.equal(await waterfall.innerText(), newer);
      await page.getByRole('button', { name: 'Save the parts of the wall clock' }).click();
      await Promise.all([page.waitForEvent('download'), page.getByRole('menuitem', { name: /^CSV/ }).click()]);
      await until(async () => (await waterfall.innerText()) !== newer);
      assert.equal(await page.getByRole('button', { name: 'Show the newest' }).count(), 0);
      const shown = await waterfall.innerText();

      await groups.locator('tbody th').first().hover();
      await bobbin.post(two.batch(told(two, 900, 300, 5)));
      const sort = groups.getByRole('button', { name: 'Sort again' });
      await sort.waitFor();
      assert.deepEqual(await prefixes(), ['sum', 'inc']);
      await sort.click();
      await until(async () => (await prefixes()).join() === 'inc,sum');
      // Nobody reads it any more.
      await until(async () => (await waterfall.innerText()) !== shown);
    },
  );
});

test('types and prefixes that read alike side by side are two rows', () => {
  const story = (key) => new Story(key, { interval: 120e6 });
  const [one, two] = [story('one'), story('two')];
  const failed = [['load error', 'in-fold'], ['load', 'error in-fold']].flatMap(([exception_type, prefix], i) => [
    two.group(now(), `g${i}`, { prefix, states: { erred: 1 } }),
    two.exception(now(), `x${i}`, { exception_type, group_id: `g${i}`, group: `${prefix}-1`, count: 1 }),
  ]);
  return withBobbin(
    () => [one.batch([one.cluster()]), two.batch([two.cluster(), ...failed])],
    async (visitor) => {
      await visitor.go('compare?a=1&b=2', '#exception-differences');
      await until(async () => (await visitor.page.locator('[aria-labelledby=exception-differences] tbody tr').count()) === 2);
    },
  );
});

test('nothing chosen, no history and a cluster that is not there are told in words', () =>
  withBobbin(
    () => [night('one', now() - 9e9)],
    async (visitor) => {
      const { page } = visitor;
      await visitor.go('compare', '.notice');
      await page.getByText('Choose two runs').waitFor();
      await accessible(page);
      await page.getByLabel('B, after').selectOption('1');
      await page.getByLabel('A, before').selectOption('baseline');
      await page.getByText('No earlier run like this one').waitFor();
      await visitor.go('cluster/1', '.versus');
      assert.match(await page.locator('.versus').first().innerText(), /5 are needed/);
      await visitor.go('compare?a=1&b=99', '.notice');
      await page.getByText('Not found', { exact: true }).waitFor();
      // The browser says that two answers were not found.
      visitor.complaints = visitor.complaints.filter((text) => !text.includes('404'));
    },
  ));

test('a failure says which run of the same tasks was the last without it, and what was another version then', () =>
  withBobbin(
    () => [night('one', now() - 9e9), night('two', now() - 5e9, { erred: 2, pandas: '3.1.0' })],
    async (visitor) => {
      const { page } = visitor;
      await visitor.go('exceptions', 'article');
      await page.locator('article .head').first().click();
      const before = page.locator('[data-before]');
      await before.getByText('pandas 3.0.2 → 3.1.0').waitFor();
      await accessible(page);
      await before.getByRole('link').click();
      await page.waitForURL(/cluster\/1$/);
    },
  ));
