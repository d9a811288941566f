// The list of clusters: typed filter with completion, columns, kept views, marks by hand, and many at once; by keyboard.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accessible } from './support/axe.mjs';
import { until } from './support/browser.mjs';
import { Story, weeks } from './support/story.mjs';
import { sharedVisit } from './support/visit.mjs';

const now = () => Date.now() * 1000;

let bobbin, visitor, page;
sharedVisit({
  tell: async (bobbin) => {
    for (const batch of weeks(3, now())) await bobbin.post(batch);
    const failing = new Story('failing', { name: 'failing', user: 'zoe', tags: { env: 'prod' }, started: now() - 60_000_000 });
    await bobbin.post(failing.batch([failing.cluster(), failing.sample(now(), { workers: 12 }), failing.stop(now())]));
  },
  met: (there) => ({ bobbin, visitor, page } = there),
});

const names = () => page.locator('tbody td:first-child a').allInnerTexts();
const field = () => page.getByRole('combobox', { name: 'Filter clusters' });
const row = (name) => page.locator('tbody tr', { has: page.getByRole('link', { name, exact: true }) });

test('a little room less takes it from the names, much less scrolls sideways', async () => {
  await visitor.go('clusters', 'tbody a');
  const box = page.getByRole('region', { name: 'Table of clusters' });
  const beyond = () => box.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
  // The columns as they come have their room at 1240 px.
  for (const [width, cut] of [[1280, false], [1230, false], [1200, false], [1000, true], [800, true], [480, true]]) {
    await page.setViewportSize({ width, height: 800 });
    await until(async () => (await beyond()) > 0 === cut);
    // It fades on the side on which there is more.
    await until(async () => (await box.getAttribute('data-more')) === (cut ? 'right' : ''));
  }
  await page.setViewportSize({ width: 1280, height: 800 });
});

test('of few columns the sentence has the room, and not the name alone', async () => {
  await visitor.go('clusters?columns=state,verdict,user', 'tbody a');
  const wide = async (name) => (await page.getByRole('columnheader', { name }).boundingBox()).width;
  assert.ok(Math.abs((await wide('Verdict')) - (await wide('Cluster'))) < 2);
  assert.ok((await wide('Verdict')) > 400);
});

test('every column has the door’s figure, and the exact one on hover', async () => {
  const shown = ['project', 'user', 'host', 'started', 'stopped', 'duration', 'workers', 'threads', 'memory', 'tasks', 'erred', 'compute', 'cluster_time', 'stalled', 'efficiency', 'cost', 'exceptions', 'tags'];
  const [told] = (await visitor.ask('clusters', { text: 'name:etl-1000' })).rows;
  await visitor.go(`clusters?text=name:etl-1000&columns=${shown.join(',')}`, 'tbody a');
  await until(async () => (await names()).join() === 'etl-1000');
  const cells = await row('etl-1000').locator('td').evaluateAll((all) => all.map((cell) => ({ text: cell.innerText.trim(), title: cell.title })));
  const cell = Object.fromEntries(shown.map((column, i) => [column, cells[i + 1]]));
  const count = (n) => n.toLocaleString('en-GB');
  const clock = (micros) => new Date(micros / 1000).toISOString().slice(11, 19);
  assert.deepEqual(
    Object.fromEntries(['project', 'user', 'host', 'workers', 'threads', 'tasks', 'erred', 'exceptions', 'tags'].map((column) => [column, cell[column].text])),
    { project: told.project ?? '–', user: told.user, host: told.host, workers: count(told.workers_peak), threads: count(told.threads_peak), tasks: count(told.tasks_completed), erred: count(told.tasks_erred), exceptions: count(told.exceptions), tags: 'env=prod' },
  );
  assert.ok(cell.started.title.endsWith(clock(told.started_micros)) && cell.stopped.title.endsWith(clock(told.stopped_micros)), `${cell.started.title}, ${cell.stopped.title}`);
  assert.match(cell.duration.title, /^until /);
  assert.equal(cell.memory.title, `${count(told.memory_peak_bytes)} bytes`);
  assert.ok(cell.efficiency.text.endsWith(`${Math.round(told.efficiency * 100)} %`), cell.efficiency.text);
  assert.match(cell.efficiency.title, /^[\d,.]+ seconds of one thread ÷ [\d,.]+ seconds of one thread$/);
  assert.match(cell.cost.title, /^estimated: [\d.]+ to [\d.]+ EUR$/);
  // Times of threads have one unit, which the heads of their columns say.
  const size = { 'core-s': 1, 'core-min': 60, 'core-h': 3600 };
  for (const [column, seconds] of [['compute', told.compute_seconds], ['cluster_time', told.thread_seconds], ['stalled', told.stalled_seconds]]) {
    const unit = await page.locator('thead th').nth(shown.indexOf(column) + 1).locator('.unit').innerText();
    const value = Number(cell[column].text.replaceAll(',', '')) * size[unit];
    assert.ok(Math.abs(value - seconds) <= 0.51 * size[unit], `${cell[column].text} ${unit} for ${seconds} s`);
    assert.match(cell[column].title, /^[\d,.]+ seconds of one thread$/);
  }
  visitor.quiet();
});

test('the heads and the names stay in sight, however far the table is scrolled', async () => {
  await page.setViewportSize({ width: 700, height: 800 });
  try {
    await visitor.go('clusters', 'tbody a');
    const box = page.getByRole('region', { name: 'Table of clusters' });
    await box.evaluate((element) => (element.style.maxHeight = '6rem'));
    const places = () =>
      box.evaluate((element) => {
        const at = element.getBoundingClientRect();
        const head = element.querySelector('thead th:nth-child(2)').getBoundingClientRect();
        const name = element.querySelector('tbody tr:not([aria-hidden]) td').getBoundingClientRect();
        return [head.top - at.top, name.left - at.left].map(Math.round);
      });
    const before = await places();
    await box.evaluate((element) => element.scrollTo(200, 40));
    await until(() => box.evaluate((element) => element.scrollLeft > 0 && element.scrollTop > 0));
    assert.deepEqual(await places(), before);
  } finally {
    await page.setViewportSize({ width: 1280, height: 800 });
  }
});

test('when the last task ended is a column, and an order', async () => {
  const ended = (name, ago) => {
    const story = new Story(name, { name, started: now() - 7_200_000_000 });
    return story.batch([story.cluster(), story.sample(now(), { idle: now() - ago, last_completed_micros: now() - ago, totals: { tasks_completed: 5 } })]);
  };
  await bobbin.post(ended('rests-long', 3_600_000_000));
  await bobbin.post(ended('rests-short', 600_000_000));
  // Beside the name where it is no column.
  await visitor.go('clusters?columns=state&text=name:rests', 'tbody a');
  await row('rests-long').getByText('last work finished 1 h ago').waitFor();
  await visitor.go('clusters?columns=last_work&text=name:rests', 'tbody a');
  const head = page.getByRole('columnheader', { name: 'Last work' });
  await head.getByRole('button').click();
  await until(async () => (await names()).join() === 'rests-short,rests-long');
  await page.waitForURL(/order=last_work/);
  await head.getByRole('button').click();
  await until(async () => (await names()).join() === 'rests-long,rests-short');
  assert.match(await row('rests-long').locator('td').nth(1).getAttribute('title'), /\d; idle since /);
});

test('how long clusters were stalled is a column, and an order', async () => {
  await visitor.go('clusters?columns=stalled', 'tbody a');
  await page.getByRole('columnheader', { name: 'Stalled' }).getByRole('button').click();
  await page.waitForURL(/order=stalled_seconds/);
  const [first] = (await visitor.ask('clusters', { order: 'stalled_seconds' })).rows;
  await until(async () => (await names())[0] === first.name);
  visitor.quiet();
});

test('a view that is left writes no address over the next one', async () => {
  await visitor.go('exceptions');
  await visitor.go('clusters', 'tbody a');
  // The address is elsewhere, and the page has not been told so yet.
  await page.evaluate(() => {
    const stop = (event) => event.stopImmediatePropagation();
    addEventListener('popstate', stop, { capture: true, once: true });
    location.hash = '#/1/costs';
    document.querySelector('thead button').click();
  });
  await page.getByRole('heading', { name: 'Costs' }).waitFor();
  assert.equal(await page.evaluate(() => location.hash), '#/1/costs');
  await page.goBack();
  await page.locator('tbody a').first().waitFor();
  assert.equal(await page.evaluate(() => location.hash), '#/1/clusters');
  visitor.quiet();
});

test('a filter is completed from what there is, by keyboard', async () => {
  await visitor.go('clusters', 'tbody a');
  await page.keyboard.press('/');
  await page.keyboard.type('us');
  const options = page.getByRole('option');
  await until(async () => (await options.count()) > 0 && (await options.first().innerText()).startsWith('user:'));
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await until(async () => (await field().inputValue()) === 'user:');
  await page.keyboard.type('zo');
  await until(async () => (await options.count()) === 1 && (await options.innerText()).includes('user:zoe'));
  assert.match(await options.innerText(), /\b1\b/);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await until(async () => (await names()).join() === 'failing');
  await page.waitForURL(/text=user%3Azoe/);
  await visitor.go('clusters?text=user%3Azoe+workers%3E%3D12+tag%3Aenv%3Dprod+since%3A7d', 'tbody a');
  await until(async () => (await names()).join() === 'failing');
  visitor.quiet();
});

test('what was typed filters, though nobody waited in the field for its completion', async () => {
  await visitor.go('clusters', 'tbody a');
  await until(async () => (await field().inputValue()) === '');
  const letGo = await visitor.late('complete_filter');
  await field().focus();
  await page.keyboard.type('user:zoe');
  await page.keyboard.press('Tab');
  assert.ok(!(await field().evaluate((input) => input === document.activeElement)));
  await letGo();
  await until(async () => (await names()).join() === 'failing');
  await page.waitForURL(/text=user%3Azoe/);
  assert.equal(await page.getByRole('option').count(), 0);
  visitor.quiet();
});

test('Enter takes a filter that was put right before anybody has said so', async () => {
  await visitor.go('clusters', 'tbody a');
  await until(async () => (await field().inputValue()) === '');
  await field().focus();
  await page.keyboard.type('usr:zoe');
  await page.getByText('did you mean user?').waitFor();
  const letGo = await visitor.late('complete_filter');
  await page.keyboard.press('Control+a');
  await page.keyboard.type('user:zoe');
  await page.keyboard.press('Enter');
  await until(async () => (await names()).join() === 'failing');
  await letGo();
  await until(async () => (await page.getByText('did you mean').count()) === 0);
  assert.equal(await page.getByRole('option').count(), 0);
  visitor.quiet();
});

test('what is not understood is named, and the rows stay', async () => {
  await visitor.go('clusters', 'tbody a');
  await until(async () => (await field().inputValue()) === '');
  // The rows of another filter are there until those of none are.
  await until(async () => (await names()).length > 1);
  const before = await names();
  await field().focus();
  await page.keyboard.type('usr:ana');
  await page.getByText('did you mean user?').waitFor();
  assert.equal(await field().getAttribute('aria-invalid'), 'true');
  assert.deepEqual((await names()).slice(0, 5), before.slice(0, 5));
  await page.keyboard.press('Escape');
  if ((await field().inputValue()) !== '') await page.keyboard.press('Escape');
  await until(async () => (await page.getByText('did you mean').count()) === 0);
  visitor.quiet();
});

test('columns are chosen and moved, and stay so', async () => {
  await visitor.go('clusters', 'tbody a');
  const heads = async () => (await page.locator('thead th').allInnerTexts()).map((text) => text.split('\n')[0].trim());
  await page.getByRole('button', { name: 'Columns' }).click();
  const dialog = page.getByRole('dialog', { name: 'Columns' });
  await dialog.getByRole('checkbox', { name: 'Host' }).check();
  await dialog.getByRole('checkbox', { name: 'Memory' }).uncheck();
  await dialog.getByRole('button', { name: 'Move User left' }).click();
  await accessible(page);
  await page.keyboard.press('Escape');
  const wanted = ['Cluster', 'State', 'User', 'Project', 'Host', 'Started'];
  assert.deepEqual((await heads()).slice(0, 6), wanted);
  assert.ok(!(await heads()).includes('Memory'));
  await page.reload();
  await page.waitForSelector('tbody a');
  assert.deepEqual((await heads()).slice(0, 6), wanted);
});

test('columns are part of the address, and a link leaves one’s own alone', async () => {
  const heads = async () => (await page.locator('thead th').allInnerTexts()).map((text) => text.split('\n')[0].trim());
  await visitor.go('clusters', 'tbody a');
  const own = await heads();
  // They were chosen above: the address says so by itself.
  await until(() => page.url().includes('columns=state%2Cuser%2Cproject'));
  await visitor.go('clusters?columns=tags,nonsense,cost', 'tbody a');
  await until(async () => (await heads()).join() === 'Cluster,Tags,Cost');
  await visitor.go('overview', 'h1');
  await visitor.go('clusters', 'tbody a');
  await until(async () => (await heads()).join() === own.join());
  visitor.quiet();
});

test('what clusters cost is a column, an order and a filter', async () => {
  const asked = await visitor.ask('clusters', { order: 'cost', limit: 1000 });
  const middle = (row) => (row.cost.low_nanos + row.cost.high_nanos) / 2e9;
  const priced = asked.rows.filter((row) => row.cost !== null);
  assert.ok(priced.length >= 3);
  assert.deepEqual(priced.map(middle), priced.map(middle).sort((a, b) => b - a));
  const limit = middle(priced[1]).toFixed(9);
  await visitor.go('clusters?columns=cost', 'tbody a');
  await page.getByRole('columnheader', { name: 'Cost' }).getByRole('button').click();
  await until(async () => (await names())[0] === priced[0].name);
  await page.waitForURL(/order=cost/);
  assert.match(await page.getByRole('columnheader', { name: 'Cost' }).innerText(), /≈ €/);
  assert.match(await page.locator('tbody tr').first().locator('td').nth(1).innerText(), /^(< )?[\d.]+–[\d.]+$/);
  await page.keyboard.press('/');
  await page.keyboard.type('cos');
  await page.getByRole('option', { name: /^cost>/ }).waitFor();
  await page.keyboard.press('Escape');
  await visitor.go(`clusters?text=cost>=${limit}&order=cost&columns=cost`, 'tbody a');
  // What is the second dearest, but for a digit that was rounded.
  await until(async () => Math.abs((await names()).length - 2) <= 1);
  const none = await visitor.ask('clusters', { text: '-has:cost' });
  assert.equal(none.total, asked.total - priced.length);
  visitor.quiet();
});

test('a view keeps filter, order and columns, and travels as text', async () => {
  const [largest] = (await visitor.ask('clusters', { text: 'workers>=2', order: 'workers_peak' })).rows;
  await visitor.go('clusters?text=workers%3E%3D2&order=workers_peak', 'tbody a');
  await until(async () => (await names())[0] === largest.name);
  await page.getByRole('button', { name: 'Views' }).click();
  const dialog = page.getByRole('dialog', { name: 'Views' });
  await dialog.getByLabel('Save the current view').fill('Large ones');
  await dialog.getByRole('button', { name: 'Save', exact: true }).click();
  await dialog.getByRole('button', { name: /^Large ones/ }).waitFor();
  await dialog.getByText('As text').click();
  const text = await dialog.locator('pre').innerText();
  assert.match(text, /^bobbin view: Large ones\nfilter: workers>=2\norder: workers_peak descending\ncolumns: state user/);
  await dialog.getByLabel('Import views from text').fill(text.replace('Large ones', 'From elsewhere'));
  await dialog.getByRole('button', { name: 'Import' }).click();
  await dialog.getByRole('button', { name: /^From elsewhere/ }).waitFor();
  await dialog.getByLabel('Import views from text').fill('bobbin view: x\ncolumns: nonsense');
  await dialog.getByRole('button', { name: 'Import' }).click();
  await dialog.getByText('unknown variant').waitFor();
  await accessible(page);
  await page.keyboard.press('Escape');
  await visitor.go('clusters', 'tbody a');
  await page.getByRole('group', { name: 'Saved views' }).getByRole('button', { name: 'Large ones' }).click();
  await until(async () => (await names())[0] === largest.name);
  await page.waitForURL(/text=workers.*order=workers_peak/);
  await page.getByRole('button', { name: 'Views' }).click();
  await page.getByRole('button', { name: 'Delete the view From elsewhere' }).click();
  await until(async () => (await visitor.ask('views')).rows.length === 1);
  await page.keyboard.press('Escape');
  // A text that is no view is refused, and the browser tells of every refusal.
  visitor.complaints = visitor.complaints.filter((text) => !/status of 400/.test(text));
  visitor.quiet();
});

test('a name, tags and a note are given by hand, shown as text, and found', async () => {
  await visitor.go('clusters?text=user%3Azoe', 'tbody a');
  await row('failing').hover();
  await row('failing').getByRole('button', { name: /^Name, tags and note/ }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('The <b>bad</b> one');
  await dialog.getByLabel('Pinned').check();
  await dialog.getByLabel('Tags', { exact: true }).fill('review=later');
  await page.keyboard.press('Enter');
  await dialog.getByLabel('Note').fill('**Why:** [x](javascript:alert(1))\n<img src=x onerror=alert(1)>\n\n- see https://ci.example/7');
  await accessible(page);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await until(async () => (await names()).join() === 'The <b>bad</b> one');
  for (const text of ['has:pin', 'has:note', 'tag:review=later', '"javascript:alert"', 'name:"<b>bad"'])
    assert.equal((await visitor.ask('clusters', { text })).total, 1, text);
  await page.getByRole('link', { name: 'The <b>bad</b> one' }).click();
  await page.waitForSelector('.note');
  assert.equal(await page.locator('h1').innerText(), 'The <b>bad</b> one');
  // Markdown: HTML is text, and what opens is https alone, with its address in sight.
  assert.equal(await page.locator('.note img').count(), 0);
  assert.equal(await page.locator('.note strong').innerText(), 'Why:');
  assert.match(await page.locator('.note').innerText(), /x javascript:alert\(1[\s\S]*<img src=x onerror=alert\(1\)>/);
  const links = page.locator('.note a');
  assert.deepEqual([await links.count(), await links.innerText(), await links.getAttribute('href')], [1, 'https://ci.example/7', 'https://ci.example/7']);
  await page.getByRole('button', { name: 'Pinned' }).click();
  await page.getByRole('button', { name: 'Pin', exact: true }).waitFor();
  await page.getByRole('button', { name: 'Name, tags, note' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('');
  await page.getByRole('dialog').getByRole('button', { name: 'Remove filter: review' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await until(async () => (await page.locator('h1').innerText()) === 'failing');
  assert.equal((await visitor.ask('clusters', { text: 'tag:review' })).total, 0);
  visitor.quiet();
});

test('rows are chosen by keys, and marked, compared and profiled together', async () => {
  await visitor.go('clusters', 'tbody a');
  const first = page.locator('tbody td:first-child a').first();
  await first.focus();
  await page.keyboard.press('x');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Space');
  await page.getByText('2 clusters selected').waitFor();
  const { rows } = await visitor.ask('clusters', { limit: 3 });
  const pair = [rows[0].id, rows[1].id].sort((a, b) => a - b);
  assert.equal(await page.getByRole('link', { name: /^Compare/ }).getAttribute('href'), `#/1/compare?a=${pair[0]}&b=${pair[1]}`);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Shift+X');
  await page.getByText('4 clusters selected').waitFor();
  await page.getByRole('button', { name: 'Save the selected clusters' }).click();
  await page.getByRole('menuitem', { name: /^CSV/ }).click();
  await page.getByText('Saved clusters.csv, 4 rows', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Tag…' }).click();
  await page.getByLabel('Tags to add').fill('together');
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await until(async () => (await visitor.ask('clusters', { text: 'tag:together' })).total === 4);
  await page.getByRole('toolbar').getByRole('button', { name: 'Pin' }).click();
  await until(async () => (await visitor.ask('clusters', { text: 'has:pin' })).total === 4);
  await page.getByRole('toolbar').getByRole('button', { name: 'Unpin' }).click();
  await until(async () => (await visitor.ask('clusters', { text: 'has:pin' })).total === 0);
  await accessible(page);
  await page.locator('tbody a').first().focus();
  await page.keyboard.press('Escape');
  await until(async () => (await page.getByRole('toolbar').count()) === 0);
  await first.focus();
  await page.keyboard.press('x');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('x');
  // `g c` leads to where one is, and compares nothing.
  await page.keyboard.press('g');
  await page.keyboard.press('c');
  assert.match(await page.evaluate(() => location.hash), /^#\/1\/clusters(\?columns=[^&]*)?$/);
  await page.getByText('2 clusters selected').waitFor();
  await page.keyboard.press('c');
  await until(async () => /#\/1\/compare\?a=\d+&b=\d+$/.test(page.url()));
});

test('an empty list offers to clear the last term', async () => {
  await visitor.go('clusters?text=user%3Azoe+nothing-like-it', '.notice');
  await page.getByText(/^0 of \d+ match$/).first().waitFor();
  await page.getByRole('button', { name: 'Clear the last term' }).click();
  await until(async () => (await names()).join() === 'failing');
  await accessible(page);
});

test('what was asked for while rows waited does not take the place of what was shown since', async () => {
  const enter = (name) => {
    const story = new Story(name, { name, started: now() });
    return bobbin.post(story.batch([story.cluster(), story.sample(now(), { tasks: { processing: 1 } })]));
  };
  await enter('waits-0');
  // The pointer may have been among the rows of another list.
  await visitor.go('ledger', 'h1');
  await visitor.go('clusters?text=name%3Awaits', 'tbody a');
  await row('waits-0').hover();
  await enter('waits-1');
  const newer = page.getByRole('button', { name: /^Show \d new$/ });
  await newer.waitFor();
  let held = 0;
  const letGo = await visitor.late('clusters', () => held++ === 0);
  await enter('waits-2');
  await until(() => held > 0);
  await newer.dispatchEvent('click');
  await until(async () => (await names()).join() === 'waits-2,waits-1,waits-0');
  await letGo();
  await visitor.settled();
  assert.equal(await newer.count(), 0);
  assert.equal((await names()).length, 3);
  visitor.quiet();
});

test('the way back from a cluster leads to the list as it was', async () => {
  await visitor.go('clusters?text=user%3Azoe&order=name&columns=state%2Cuser', 'tbody a');
  await page.getByRole('link', { name: 'failing', exact: true }).click();
  await page.getByRole('link', { name: '← Clusters' }).click();
  await page.waitForURL(/#\/1\/clusters\?text=user%3Azoe&order=name&columns=state%2Cuser$/);
  await until(async () => (await names()).join() === 'failing');
});

test('a pin that cannot be set says why', async () => {
  const { rows } = await visitor.ask('clusters', { text: 'user:zoe' });
  await visitor.go(`cluster/${rows[0].id}`, '.marks');
  await page.route('**/api/mark_clusters', (route) => route.abort());
  await page.getByRole('button', { name: 'Pin', exact: true }).click();
  await page.getByText('Bobbin does not answer').waitFor();
  await page.unrouteAll({ behavior: 'wait' });
  await page.getByRole('button', { name: 'Pin', exact: true }).click();
  await page.getByRole('button', { name: 'Pinned' }).waitFor();
  await until(async () => (await page.getByText('Bobbin does not answer').count()) === 0);
  await visitor.ask('mark_clusters', { ids: [rows[0].id], pinned: false });
  visitor.complaints = visitor.complaints.filter((text) => !text.includes('ERR_FAILED'));
  visitor.quiet();
});

test('of the tags of a row one is legible, and the others are counted', async () => {
  const { rows } = await visitor.ask('clusters', { text: 'user:zoe' });
  await visitor.ask('mark_clusters', { ids: [rows[0].id], tags: { 'first-of-them': '', second: 'yes', third: '' }, untag: ['together'], pinned: true, note: 'a note' });
  await visitor.go('clusters?text=user%3Azoe', 'tbody .tag');
  const tag = page.locator('tbody .tag');
  assert.equal(await tag.count(), 1);
  const { width, size } = await tag.evaluate((box) => ({ width: box.getBoundingClientRect().width, size: parseFloat(getComputedStyle(document.documentElement).fontSize) }));
  assert.ok(width >= 3 * size - 1, `${width} px`);
  assert.match(await page.locator('tbody .more').innerText(), /^\+2/);
  assert.match(await tag.getAttribute('title'), /first-of-them.*second=yes.*third/);
  // What is beside the tags is in the cell, too.
  assert.ok(await page.locator('tbody .more').evaluate((more) => more.getBoundingClientRect().right <= more.closest('td').getBoundingClientRect().right));
});

test('boxes to tick grow with the text', async () => {
  await visitor.go('clusters', 'tbody a');
  const wide = () => page.locator('tbody input[type=checkbox]').first().evaluate((box) => box.getBoundingClientRect().width);
  const before = await wide();
  await page.evaluate(() => document.documentElement.style.setProperty('font-size', '200%'));
  assert.ok((await wide()) > before * 1.9, `${await wide()} px, was ${before}`);
  await page.getByRole('button', { name: 'Columns' }).click();
  const boxes = page.getByRole('dialog').locator('input[type=checkbox]');
  assert.ok((await boxes.first().evaluate((box) => box.getBoundingClientRect().width)) > before * 1.9);
  await page.keyboard.press('Escape');
  await page.evaluate(() => document.documentElement.style.removeProperty('font-size'));
});
