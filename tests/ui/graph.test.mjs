// The graph of task groups: by mouse and by keys alone, live, large and hostile. Leaves pictures in target/screenshots.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { beforeEach, test } from 'node:test';
import { accessible } from './support/axe.mjs';
import { screenshots, until } from './support/browser.mjs';
import { large, nightly, wild } from './support/graphs.mjs';
import { Story } from './support/story.mjs';
import { sharedVisit } from './support/visit.mjs';

const now = Date.now() * 1000;
const second = 1_000_000;
const tale = nightly(now);

let bobbin, visitor, page;
const ids = {};

sharedVisit({
  tell: async (bobbin) => {
    const empty = new Story('graph-none', { name: 'empty graph', interval: 120 * second });
    const stories = [tale, large(now, 300, 'middle'), large(now, 5000, 'huge'), wild(now), { batches: [empty.batch([empty.cluster(), empty.sample(now, { workers: 0 })])] }];
    // What its threads had: only then it costs anything.
    stories[0].batches.push(tale.story.batch([tale.story.sample(now - 20 * second, { tasks: { processing: 8, waiting: 384 }, totals: { compute: 1692, thread_seconds: 4320 } })]));
    for (const { batches } of stories) for (const batch of batches) await bobbin.post(batch);
  },
  met: async (there) => {
    ({ bobbin, visitor, page } = there);
    for (const name of ['nightly', 'middle', 'huge', 'wild', 'empty']) ids[name] = (await visitor.ask('clusters', { text: `${name} graph` })).rows[0].id;
  },
});

/** Each begins with pictures and with nothing moved. */
beforeEach(async () => {
  await page.evaluate(() => localStorage.removeItem('bobbin.asTables'));
  await page.goto('about:blank');
});

const at = (name, more = '') => `cluster/${ids[name]}?tab=graph${more}`;
const node = (prefix) => page.locator(`.node[aria-label^="${prefix}"]`);
const address = () => new URL(page.url()).hash;
/** The answer to the present question is drawn. */
const settled = () => page.locator('.split[aria-busy=false]').waitFor();
const place = (locator) => locator.getAttribute('transform');

test('groups are nodes that say what is in them', async () => {
  await visitor.go(at('nightly'), '.node');
  assert.equal(await page.locator('.node').count(), 14);
  const words = await node('join-').getAttribute('aria-label');
  assert.match(words, /202 of 300 tasks done; 12 erred; Erred 12, Processing 4, In memory 40, Released 150, Waiting 94; compute time 5.17 core-min, 18 % of all/);
  await page.getByText('14 groups').waitFor();
  // Filled as far as it is done; what erred is hatched, and never too thin to be seen.
  const [whole, done, erred] = await node('join-').evaluate((one) => [one.querySelector('.open'), one.querySelector('.done'), one.querySelector('[fill^="url"]')].map((part) => Number(part.getAttribute('height'))));
  assert.ok(Math.abs(done / whole - 202 / 300) < 0.001 && erred > 3.9 && erred < done, JSON.stringify([whole, done, erred]));
  await accessible(page);
  visitor.quiet();
});

test('long names stand in two lines, and whole where one points or focuses', async () => {
  await visitor.go(at('nightly'), '.picture.near .node');
  const lines = await page.locator('.words .title').allTextContents();
  const first = lines.indexOf('shuffle-transfer-');
  assert.equal(lines[first + 1], 'right', lines.join());
  assert.ok(lines.every((line) => !line.includes('…')), lines.join());
  await node('drop-duplicates-').focus();
  await page.keyboard.press('ArrowRight');
  const tip = page.locator('.picture .tip');
  await tip.getByText('shuffle-transfer-right', { exact: true }).waitFor();
  await tip.getByText(/^shuffle-transfer-right-\w+/).waitFor();
  await page.keyboard.press('Escape');
  await tip.waitFor({ state: 'detached' });
  await node('join-').hover();
  await tip.getByText(/^join-\w+/).waitFor();
  visitor.quiet();
});

test('a click chooses a group, tells of it, and the breadcrumb lets go', async () => {
  await visitor.go(at('nightly'), '.node');
  await node('join-').click();
  const panel = page.getByRole('complementary', { name: 'Selected group' });
  await panel.getByRole('link', { name: 'ZeroDivisionError' }).waitFor();
  await panel.getByText('p95').waitFor();
  assert.match(address(), /item=id-join/);
  await accessible(page);
  await panel.getByRole('button', { name: /^lookup/ }).click();
  await until(async () => /item=id-lookup/.test(address()));
  await panel.getByRole('link', { name: 'In the table' }).click();
  await page.locator('tr.marked', { hasText: 'lookup' }).waitFor();
  await page.goBack();
  await panel.waitFor();
  await page.getByRole('button', { name: 'Remove filter: selected group' }).click();
  await panel.waitFor({ state: 'detached' });
  assert.doesNotMatch(address(), /item=/);
  visitor.quiet();
});

test('a chosen group has its cost, the same as in the table and among the operations', async () => {
  const { groups, currency } = await visitor.ask('group_costs', { id: ids.nightly });
  assert.ok(groups.length > 8 && currency === 'EUR', JSON.stringify(groups));
  await visitor.go(at('nightly', '&item=id-join'), '.node.chosen');
  const panel = page.getByRole('complementary', { name: 'Selected group' });
  await panel.getByText('Cost', { exact: true }).waitFor();
  const money = groups.find((one) => one.group_id === 'id-join').money;
  assert.ok((await panel.locator('dd[title^="Estimated"]').getAttribute('title')).includes((money.high_nanos / 1e9).toFixed(9)));
  await panel.getByRole('link', { name: 'Its operation' }).click();
  await page.locator('tr.group.marked', { hasText: 'join' }).waitFor();
  await accessible(page);
  await page.setViewportSize({ width: 1500, height: 900 });
  await page.getByRole('tab', { name: 'Task groups' }).click();
  await page.locator('.detail [data-cost]').waitFor();
  await page.getByRole('button', { name: 'Cost' }).click();
  await until(() => /sort=cost/.test(address()));
  await until(async () => (await page.locator('.box tbody tr .pick').first().innerText()).startsWith(groups[0].group_id.slice(3)));
  await page.getByRole('tab', { name: 'Computations' }).click();
  await page.locator('article [data-cost]').first().waitFor();
  await page.getByText('What all threads did during this time').first().click();
  await page.locator('article').getByText('Cluster time').first().waitFor();
  await accessible(page);
  await page.setViewportSize({ width: 1280, height: 800 });
  visitor.quiet();
});

test('areas stand for what groups cost, which is what the table of costs says', async () => {
  await visitor.go(at('nightly', '&g-measure=cost'), '.node');
  const { groups, currency } = await visitor.ask('group_costs', { id: ids.nightly });
  const graph = await visitor.ask('graph', { id: ids.nightly, measure: 'cost' });
  assert.equal(graph.currency, currency);
  for (const node of graph.nodes) assert.deepEqual(node.money, groups.find(({ group_id }) => group_id === node.node_id).money);
  const dearest = graph.nodes.toSorted((a, b) => b.measure - a.measure)[0];
  assert.equal(dearest.node_id, groups[0].group_id);
  const label = await page.locator('.node').nth(graph.nodes.indexOf(dearest)).getAttribute('aria-label');
  assert.match(label, /; cost ≈ [\d.]+–[\d.]+ €, \d+ % of all/);
  await page.getByText(/^\s*Area: cost, at most ≈ /).waitFor();
  await accessible(page);
  await page.keyboard.press('t');
  await page.getByRole('columnheader', { name: /^Cost ≈ €/ }).waitFor();
  await page.keyboard.press('t');
  await page.waitForSelector('.node');
});

test('a chosen group narrows the other lists', async () => {
  await visitor.go(at('nightly', '&item=id-parse-dates'), '.node.chosen');
  await page.getByRole('tab', { name: 'Computations' }).click();
  await page.getByText('All groups › parse-dates').waitFor();
  await until(async () => (await page.locator('article').count()) === 2);
  await page.getByRole('tab', { name: 'Exceptions' }).click();
  await page.getByText('Tasks of this group raised none').waitFor();
  await page.getByRole('button', { name: 'Remove filter: selected group' }).click();
  await page.locator('article', { hasText: 'ZeroDivisionError' }).waitFor();
  await visitor.go(at('nightly', '&item=id-join'), '.node.chosen');
  assert.match(await page.getByRole('link', { name: 'Its profile' }).getAttribute('href'), /tab=profile.*f-group=id-join/);
  await page.getByRole('tab', { name: 'Profile' }).click();
  await until(async () => /f-group=id-join/.test(address()));
  await page.getByRole('tab', { name: 'Task groups' }).click();
  await page.locator('tr.marked', { hasText: 'join' }).waitFor();
  visitor.quiet();
});

test('pointing lights ancestors and descendants; Shift and a click the paths between two', async () => {
  await visitor.go(at('nightly'), '.node');
  await node('parse-dates-').hover();
  await until(async () => (await page.locator('.node.dim').count()) > 0);
  const lit = await page.locator('.node:not(.dim)').count();
  // Itself, two before, and all that needs it.
  assert.equal(lit, 10);
  await page.goto('about:blank');
  await visitor.go(at('nightly', '&item=id-clean'), '.node.chosen');
  await node('to-parquet-').click({ modifiers: ['Shift'] });
  await page.getByText(/groups between it and to-parquet/).waitFor();
  await page.mouse.move(5, 5);
  await until(async () => (await page.locator('.node:not(.dim)').count()) === 8);
  assert.match(address(), /g-end=id-to-parquet/);
  visitor.quiet();
});

test('groups at work in the chosen time stand out', async () => {
  await visitor.go(at('nightly', `&from=${now - 299 * second}&to=${now - 295 * second}`), '.node');
  await page.mouse.move(2, 2);
  await until(async () => (await page.locator('.node:not(.dim)').count()) === 3);
  for (const prefix of ['read-parquet-', 'read-csv-', 'lookup-']) assert.doesNotMatch(await node(prefix).getAttribute('class'), /\bdim\b/);
  await page.getByText('Groups active in the selected time stand out').waitFor();
  visitor.quiet();
});

test('all of it by keys', async () => {
  await visitor.go(at('nightly'), '.node');
  const focused = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? '');
  await page.locator('.node[tabindex="0"]').focus();
  await node('read-csv-').focus();
  await page.keyboard.press('ArrowRight');
  await until(async () => (await focused()).startsWith('parse-dates'));
  await page.keyboard.press('ArrowRight');
  await until(async () => (await focused()).startsWith('drop-duplicates'));
  await page.keyboard.press('ArrowLeft');
  await until(async () => (await focused()).startsWith('parse-dates'));
  await page.keyboard.press('Enter');
  await until(async () => /item=id-parse-dates/.test(address()));
  await page.keyboard.press('u');
  await page.getByText('Only what it needs: 1 group').waitFor();
  assert.equal(await page.locator('.node:not(.gone)').count(), 2);
  await page.keyboard.press('d');
  await page.getByText('Only what needs it: 8 groups').waitFor();
  await page.keyboard.press('d');
  await until(async () => (await page.locator('.node.gone').count()) === 0);
  const wide = async () => (await node('read-csv-').boundingBox()).width;
  await page.keyboard.press('0');
  const whole = await wide();
  await page.keyboard.press('+');
  await until(async () => (await wide()) > whole + 5);
  await page.keyboard.press('0');
  await until(async () => Math.abs((await wide()) - whole) < 1);
  await page.keyboard.press('Escape');
  await until(async () => !/item=/.test(address()));
  visitor.quiet();
});

/** Presses Esc until nothing is chosen: first the group goes, then the time. */
async function letGo() {
  await page.keyboard.press('Escape');
  await until(async () => !/item=/.test(address()));
  assert.match(address(), /from=\d+&to=\d+/);
  await page.keyboard.press('Escape');
  await until(async () => !/from=/.test(address()));
  visitor.quiet();
}

test('Esc lets go of the group first, and of the time then', async () => {
  await visitor.go(at('nightly', `&item=id-join&from=${now - 300 * second}&to=${now - 100 * second}`), '.node.chosen');
  await node('join-').focus();
  await letGo();
});

test('Esc does so, too, where the group is hidden in a fold', async () => {
  const graph = await visitor.ask('graph', { id: ids.huge });
  const drawn = new Set(graph.nodes.map((one) => one.node_id));
  const { rows } = await visitor.ask('task_groups', { id: ids.huge });
  const hidden = rows.find((row) => !drawn.has(row.group_id)).group_id;
  await visitor.go(at('huge', `&item=${hidden}&from=${now - 2800 * second}&to=${now - 100 * second}`), '.node');
  await settled();
  await page.locator('.node').first().focus();
  await letGo();
});

test('a group that is hidden in a fold is named with the fold, and can be shown', async () => {
  const graph = await visitor.ask('graph', { id: ids.huge });
  const drawn = new Set(graph.nodes.map((one) => one.node_id));
  const { rows } = await visitor.ask('task_groups', { id: ids.huge });
  const hidden = rows.find((row) => !drawn.has(row.group_id)).group_id;
  const { name, folds } = await visitor.ask('graph_group', { id: ids.huge, group_id: hidden, within: { id: ids.huge } });
  assert.ok(drawn.has(folds[0].node_id), JSON.stringify(folds));
  await visitor.go(at('huge', `&item=${hidden}`), '.node.chosen');
  await settled();
  const said = page.getByRole('group', { name: 'What is shown' });
  await until(async () => (await said.innerText()).includes(`All groups › ${name}`));
  assert.match(await said.innerText(), new RegExp(`One of ${folds[0].groups.toLocaleString('en-US')} [a-z]+ (groups|tasks)`));
  await accessible(page);
  await page.getByRole('button', { name: 'Show it' }).press('Enter');
  await until(async () => (await page.locator('.node.chosen').getAttribute('aria-label')).startsWith(name));
  assert.match(address(), new RegExp(`item=${hidden}`));
  assert.equal(await page.getByRole('button', { name: 'Show it' }).count(), 0);
  assert.equal(await page.getByRole('button', { name: 'Remove filter: selected group' }).count(), 1);
  // The button is gone, and the keys go on beside it.
  await until(() => said.evaluate((part) => part === document.activeElement));
  visitor.quiet();
});

test('the keys stay with the graph when the node that has them is moved out of sight', async () => {
  await visitor.go(at('middle', '&g-folds=none'), '.node');
  await settled();
  const place = await page.locator('.node').first().getAttribute('data-node');
  const one = page.locator(`.node[data-node="${place}"]`);
  const there = () => one.count();
  await one.focus();
  await until(async () => {
    await page.keyboard.press('Shift+ArrowLeft');
    return (await there()) === 0;
  });
  await page.keyboard.press('0');
  await until(async () => (await there()) === 1);
  visitor.quiet();
});

test('the outline has the same figures and the same choice', async () => {
  await visitor.go(at('nightly', '&item=id-join'), '.node');
  await page.keyboard.press('t');
  const row = page.locator('tr.marked');
  await row.waitFor();
  assert.match(await row.innerText(), /join\s+300\s+202\s+12/);
  assert.equal(await page.locator('.list tbody tr').count(), 14);
  await accessible(page);
  await page.getByRole('region', { name: 'Outline of the graph' }).getByRole('button', { name: 'lookup' }).click();
  await until(async () => /item=id-lookup/.test(address()));
  await page.keyboard.press('t');
  await page.locator('.node.chosen').waitFor();
  assert.match(await page.locator('.node.chosen').getAttribute('aria-label'), /^lookup/);
  visitor.quiet();
});

test('the critical path says what a faster group saves', async () => {
  await visitor.go(at('nightly'), '.node');
  await page.getByRole('button', { name: 'Critical path' }).click();
  await page.getByText(/Critical path: 6 groups that took /).waitFor();
  const graph = await visitor.ask('graph', { id: ids.nightly });
  const on = graph.nodes.filter((one) => one.on_critical_path).map((one) => one.prefix);
  assert.deepEqual(on.sort(), ['clean', 'join', 'quality-checks', 'read-parquet', 'shuffle-barrier', 'shuffle-transfer']);
  assert.equal(await page.locator('.node.critical').count(), 6);
  await node('join-').click();
  await page.getByText(/making this group twice as fast saves at most/).first().waitFor();
  assert.match(address(), /g-critical=on/);
  visitor.quiet();
});

test('a report changes fills and moves nothing', async () => {
  await visitor.go(at('nightly'), '.node');
  const places = async () => Promise.all((await page.locator('.node').all()).map(place));
  const was = await places();
  const join = tale.story.group(Date.now() * 1000, 'id-join', { prefix: 'join', states: { released: 288, erred: 12 }, seconds: { compute: 9000 }, bytes: 1e9, needs: ['id-shuffle-barrier', 'id-lookup'] });
  await bobbin.post(tale.story.batch([join]));
  await until(async () => /300 of 300 tasks done/.test(await node('join-').getAttribute('aria-label')));
  assert.deepEqual(await places(), was);
  visitor.quiet();
});

test('a group that comes in leaves the keys where they are', async () => {
  const story = new Story('graph-growing', { name: 'growing graph', interval: 120 * second });
  const group = (prefix, needs) => story.group(now, `id-${prefix}`, { prefix, states: { released: 4 }, seconds: { compute: 4 }, needs });
  await bobbin.post(story.batch([story.cluster(), story.sample(now), group('load', []), group('train', ['id-load'])]));
  ids.growing = (await visitor.ask('clusters', { text: 'growing graph' })).rows[0].id;
  await visitor.go(at('growing'), '.node');
  await node('train').focus();
  // By its id it comes before the others.
  await bobbin.post(story.batch([group('clean', ['id-load'])]));
  await node('clean').waitFor();
  await page.keyboard.press('Enter');
  await until(async () => /item=/.test(address()));
  assert.match(address(), /item=id-train/);
  visitor.quiet();
});

test('thousands of groups fold into what can be read, say so, and open in place', async () => {
  const graph = await visitor.ask('graph', { id: ids.huge });
  assert.equal(graph.groups, 5000);
  assert.ok(graph.nodes.length <= 400, `${graph.nodes.length} nodes`);
  assert.equal(
    graph.nodes.reduce((sum, one) => sum + one.groups, 0),
    5000,
  );
  await visitor.go(at('huge'), '.node');
  await page.getByText(/5,000 groups, [\d,]+ of them in \d+ folds/).waitFor();
  // What a fold holds is said in whole words, from afar and from near.
  await settled();
  const labels = await page.locator('.labels text').evaluateAll((all) => all.map((one) => [...one.children].map((line) => line.textContent)));
  const folded = labels.filter(([line]) => /^\d/.test(line));
  assert.ok(folded.length > 5, JSON.stringify(labels));
  for (const lines of folded) assert.match(lines.join(' '), /^[\d,]+ (small |chained |sibling |single )?(groups|tasks)$/);
  // No name is wider than its node.
  const [wide, node] = await page.evaluate(() => [Math.max(...[...document.querySelectorAll('.labels text')].map((one) => one.getBoundingClientRect().width)), document.querySelector('.node .card').getBoundingClientRect().width]);
  assert.ok(wide <= node, `${wide} in ${node}`);
  for (let i = 0; i < 6; i += 1) await page.getByRole('button', { name: 'Zoom in' }).click();
  await page.locator('.picture.near').waitFor();
  const near = await page.locator('.words .title').allTextContents();
  assert.ok(near.some((line) => /^[\d,]+ small groups$/.test(line)), near.join());
  assert.ok(near.every((line) => !/^[\d,]+.*…/.test(line)), near.join());
  const fold = graph.nodes.filter((one) => one.fold !== null).sort((a, b) => a.groups - b.groups)[0];
  await page.goto(`${visitor.origin}/#/1/${at('huge', `&item=${fold.node_id}`)}`);
  await page.getByRole('button', { name: /^Open \d+ groups$/ }).click();
  await page.getByRole('button', { name: 'Remove filter: opened fold' }).waitFor();
  assert.match(address(), new RegExp(`g-open=${fold.node_id}`));
  await page.getByRole('button', { name: 'Remove filter: opened fold' }).click();
  await until(async () => !/g-open/.test(address()));
  visitor.quiet();
});

test('five thousand nodes with nothing folded are moved about, and a small map shows where', async () => {
  await visitor.go(at('huge', '&g-folds=none'), '.node');
  await page.getByRole('button', { name: 'Fold again' }).waitFor();
  await settled();
  await page.locator('.picture').scrollIntoViewIfNeeded();
  const box = await page.locator('.picture').boundingBox();
  assert.equal(await page.locator('.picture > svg[aria-hidden]').count(), 1);
  await page.mouse.move(box.x + box.width / 2, box.y + 40);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width / 2 - 200, box.y + 60, { steps: 4 });
  await page.mouse.up();
  await page.mouse.wheel(0, -3000);
  await until(async () => (await page.locator('.picture.near').count()) === 1);
  // What is out of sight is not there.
  assert.ok((await page.locator('.node').count()) < 1500);
  visitor.quiet();
});

test('the small map of a large graph leads to where it is pressed', async () => {
  const map = page.locator('.picture > svg[aria-hidden]');
  await visitor.go(at('nightly'), '.node');
  assert.equal(await map.count(), 0);
  await visitor.go(at('huge', '&g-folds=none'), '.node');
  await settled();
  await map.scrollIntoViewIfNeeded();
  const box = await map.boundingBox();
  for (const part of [0.8, 0.3]) {
    await page.mouse.dblclick(box.x + box.width * part, box.y + 3);
    await until(async () => {
      const [x, width] = await Promise.all(['x', 'width'].map(async (name) => Number(await map.locator('rect').getAttribute(name))));
      return Math.abs(x + width / 2 - box.width * part) < 3;
    });
  }
  visitor.quiet();
});

test('layers stand below each other where the reader wants that, and arrows follow', async () => {
  await visitor.go(at('nightly'), '.node');
  const ends = async () => [await node('read-csv-').boundingBox(), await node('parse-dates-').boundingBox()];
  const [from, to] = await ends();
  assert.ok(to.x > from.x + from.width / 2);
  await page.getByRole('button', { name: 'Top down' }).click();
  await until(() => /g-direction=down/.test(address()));
  await until(async () => {
    const [from, to] = await ends();
    return from !== null && to !== null && to.y > from.y + from.height / 2;
  });
  await node('read-csv-').focus();
  await page.keyboard.press('ArrowDown');
  await until(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label')?.startsWith('parse-dates') ?? false));
  visitor.quiet();
});

test('what is hostile is drawn as text, and cycles are said', async () => {
  await visitor.go(at('wild'), '.node');
  await page.getByText(/edges? closes? (a cycle|cycles)/).waitFor();
  assert.equal(await page.locator('.node').count(), 7);
  assert.equal(await page.locator('.picture img, .picture script').count(), 0);
  await node('constructor').click();
  await page.getByRole('complementary').getByText('not recorded').waitFor();
  await page.keyboard.press('t');
  await page.locator('tr.marked').waitFor();
  await page.keyboard.press('t');
  visitor.quiet();
});

test('nothing to draw is said', async () => {
  await visitor.go(at('empty'), '.notice');
  await page.getByText('Connected, nothing has run yet').waitFor();
  await visitor.go(at('nightly', '&g-computation=gone'), '.notice');
  await page.getByText('No group of this computation is known').waitFor();
  await page.getByRole('button', { name: 'All computations' }).click();
  await page.locator('.node').first().waitFor();
  visitor.quiet();
});

test('pictures', async () => {
  // The tab alone: the page around it has pictures of its own.
  const both = async (name) => {
    for (const colorScheme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme });
      await page.locator('#tabpanel').screenshot({ path: join(screenshots, `page-graph-${name}-${colorScheme}.png`), animations: 'disabled' });
    }
  };
  await page.setViewportSize({ width: 1280, height: 1700 });
  const views = [
    ['little', 'nightly', ''],
    ['little-chosen', 'nightly', '&item=id-join&g-critical=on'],
    ['little-down', 'nightly', '&g-direction=down&g-measure=bytes'],
    ['middle', 'middle', ''],
    ['whole', 'middle', '&g-folds=none'],
    ['huge', 'huge', ''],
    ['huge-whole', 'huge', '&g-folds=none'],
    ['wild', 'wild', ''],
    ['none', 'empty', ''],
  ];
  for (const [name, story, more] of views) {
    await visitor.go(at(story, more), name === 'none' ? '.notice' : '.node');
    if (name !== 'none') await settled();
    await page.mouse.move(2, 2);
    await page.waitForTimeout(300);
    await both(name);
  }
  await visitor.go(at('middle'), '.node');
  await page.keyboard.press('t');
  await page.getByRole('region', { name: 'Outline of the graph' }).waitFor();
  await both('outline');
  await page.keyboard.press('t');
  await page.setViewportSize({ width: 560, height: 2000 });
  await visitor.go(at('nightly', '&item=id-join'), '.node');
  await page.waitForTimeout(300);
  await both('little-560');
  await page.setViewportSize({ width: 1280, height: 2400 });
  await page.evaluate(() => (document.documentElement.style.fontSize = '200%'));
  await visitor.go('clusters');
  await visitor.go(at('nightly', '&item=id-join'), '.node');
  await page.waitForTimeout(300);
  await both('little-200');
  visitor.quiet();
});
