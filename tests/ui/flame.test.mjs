// Flame graphs in a real browser: what is drawn is what the door says, by mouse and by keyboard alone.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accessible } from './support/axe.mjs';
import { until } from './support/browser.mjs';
import { stacks } from './support/profiles.mjs';
import { polyglots } from './support/polyglots.mjs';
import { Story } from './support/story.mjs';
import { sharedVisit } from './support/visit.mjs';

let bobbin, visitor, page;
const now = Date.now() * 1000;
const second = 1_000_000;
const ids = {};
const stories = {};

/** A cluster with profiles of two prefixes. */
function profiled(key, user, more) {
  const story = new Story(key, { name: key, user, started: now - 600 * second, interval: 120 * second, switches: { profile: true } });
  stories[key] = story;
  return story.batch([
    story.cluster(),
    story.sample(now - 60 * second, { totals: { compute: 100, thread_seconds: 300, tasks_completed: 40 } }),
    story.group(now, 'g1', { prefix: 'merge-views', states: { memory: 30, released: 10 }, seconds: { compute: 60 } }),
    story.computation(now, 'c1', { start: now - 120 * second, stop: now - 100 * second, groups: ['g1'], states: { memory: 40 } }),
    story.group(now, 'g2', { prefix: 'score', states: { released: 20 }, seconds: { compute: 40 } }),
    stacks(story, now - 90 * second, 'merge-views', { seed: 3, ...more }),
    stacks(story, now - 60 * second, 'merge-views', { seed: 4, ...more }),
    stacks(story, now - 60 * second, 'score', { seed: 5, ...more }),
  ]);
}

async function tell(bobbin) {
  await bobbin.post(profiled('monday', 'ana', {}));
  await bobbin.post(profiled('tuesday', 'bo', { skew: 0.5 }));
  const hostile = new Story('hostile', { name: polyglots[0], interval: 120 * second, switches: { profile: true } });
  await bobbin.post(hostile.batch([hostile.cluster(), ...polyglots.slice(0, 40).map((text, i) => hostile.profile(now - i * second, text, [[text, polyglots[i + 1], i, polyglots[i + 2], 10], [polyglots[i + 3], polyglots[i + 4], null, null, 100 - i]], { from: now - (i + 1) * second }))]));
  const secretive = new Story('secretive', { name: 'secretive', interval: 120 * second, code: false, switches: { profile: true } });
  await bobbin.post(secretive.batch([secretive.cluster(), stacks(secretive, now, 'score', { seed: 6, samples: 300 })]));
}

sharedVisit({
  tell,
  options: { viewport: { width: 1280, height: 900 } },
  met: async (there) => {
    ({ bobbin, visitor, page } = there);
    const { rows } = await visitor.ask('clusters');
    for (const row of rows) ids[row.name === polyglots[0] ? 'hostile' : row.name] = row.id;
    ids.hostile ??= rows.find((row) => !(row.name in stories) && row.name !== 'secretive').id;
  },
});

const chart = () => page.locator('.flame [role=application]').first();
const route = () => new URLSearchParams(new URL(page.url()).hash.split('?')[1] ?? '');
const flame = (selection, more = {}) => visitor.ask('flame', { selection, ...more });
const told = () => page.locator('.flame [role=status]').first().innerText();
const opens = (address) => visitor.go(address, 'canvas');

/** How many different colours the canvas shows. */
const colours = () =>
  page.locator('canvas').first().evaluate((canvas) => {
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    const seen = new Set();
    for (let at = 0; at < data.length; at += 4 * 97) seen.add((data[at] << 16) | (data[at + 1] << 8) | data[at + 2]);
    return seen.size;
  });

/** The middle of the `at`-th rectangle of an answer, as drawn with the root on top. */
async function middleOf(answer, at) {
  await page.locator('canvas').first().scrollIntoViewIfNeeded();
  await page.mouse.move(2, 2);
  const box = await page.locator('canvas').first().boundingBox();
  const { x, total, depth } = answer.rectangles;
  return { x: box.x + ((x[at] + total[at] / 2) / answer.total) * box.width, y: box.y + depth[at] * 20 + 9 };
}

const nameOf = (answer, at) => answer.frames.name[answer.rectangles.frame[at]];
/** The widest frame of a row. */
const widest = (answer, row) =>
  answer.rectangles.key.map((_, at) => at).filter((at) => answer.rectangles.depth[at] === row && answer.rectangles.small[at] === 0).sort((a, b) => answer.rectangles.total[b] - answer.rectangles.total[a])[0];

test('one click zooms, the way leads back, and the address says it all', async () => {
  await opens(`cluster/${ids.monday}?tab=profile`);
  await until(async () => (await colours()) > 5);
  const all = await flame({ ids: [ids.monday] });
  const at = widest(all, 3);
  const place = await middleOf(all, at);
  await page.mouse.click(place.x, place.y);
  await until(() => route().get('f-zoom') === String(all.rectangles.key[at]));
  const way = page.getByRole('navigation', { name: 'Path to this frame' });
  await until(async () => (await way.innerText()).includes(nameOf(all, at)));
  assert.match(await way.innerText(), /^all/);
  const address = page.url();
  await page.goBack();
  await until(() => route().get('f-zoom') === null);
  await page.goto(address);
  await until(async () => (await way.innerText()).includes(nameOf(all, at)));
  await page.getByRole('button', { name: 'all', exact: true }).click();
  await until(async () => (await way.innerText()).startsWith('The whole profile'));
});

test('the card tells share, time, file and line', async () => {
  await opens(`cluster/${ids.monday}?tab=profile`);
  const all = await flame({ ids: [ids.monday] });
  const at = widest(all, 3);
  const place = await middleOf(all, at);
  const card = page.getByRole('tooltip');
  await until(async () => {
    await page.mouse.move(place.x + Math.random(), place.y);
    return (await card.count()) > 0;
  });
  const words = await card.innerText();
  assert.ok(words.includes(nameOf(all, at)), words);
  assert.match(words, new RegExp(`${((all.rectangles.total[at] / all.whole) * 100).toFixed(1)} %`));
  assert.match(words, /± .+ samples/s);
  await until(async () => /return .+\(frame, keys/.test(await card.innerText()));
  await opens(`cluster/${ids.secretive}?tab=profile`);
  const other = await flame({ ids: [ids.secretive] });
  const there = await middleOf(other, widest(other, 3));
  await until(async () => {
    await page.mouse.move(there.x + Math.random(), there.y);
    return (await card.count()) > 0 && /source lines off/.test(await card.innerText());
  });
});

test('a press that is let go elsewhere moves nothing later', async () => {
  await opens(`cluster/${ids.monday}?tab=profile`);
  const all = await flame({ ids: [ids.monday] });
  const place = await middleOf(all, 0);
  await page.mouse.move(place.x - 60, place.y);
  await page.mouse.down();
  await page.mouse.move(2, 2);
  await page.mouse.up();
  // Narrower than the whole, it could be dragged.
  await page.keyboard.press('w');
  await until(async () => {
    await page.mouse.move(place.x + Math.random(), place.y);
    return (await page.getByRole('tooltip').count()) > 0;
  });
});

test('by keyboard alone: select, hear, zoom, search from match to match, and back', async () => {
  await opens(`cluster/${ids.monday}?tab=profile`);
  await until(async () => (await colours()) > 5);
  await chart().focus();
  await page.keyboard.press('ArrowDown');
  await until(async () => /^all/.test(await told()));
  for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown']) await page.keyboard.press(key);
  await until(async () => /^(?!all).+% of time, [\d,]+ of [\d,]+ samples, .+ by itself, row 4$/.test(await told()));
  const first = await told();
  await page.keyboard.press('ArrowRight');
  await until(async () => (await told()) !== first);
  await page.keyboard.press('ArrowLeft');
  await until(async () => (await told()) === first);
  await page.keyboard.press('f');
  await until(() => route().get('f-zoom') !== null);
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await until(() => route().get('f-zoom') === null);
  await page.keyboard.press('/');
  await page.keyboard.type('mod:pandas fn:merge');
  const found = page.locator('.found');
  await found.waitFor();
  const answer = await flame({ ids: [ids.monday] }, { view: { search: 'mod:pandas fn:merge' } });
  const share = ((answer.found.total / answer.whole) * 100).toFixed(1);
  await until(async () => (await page.getByLabel('Find functions').inputValue()) === 'mod:pandas fn:merge');
  await until(async () => (await found.innerText()) === `${answer.found.functions} frame${answer.found.functions === 1 ? '' : 's'}, ${share} % of time`);
  await page.keyboard.press('Enter');
  await until(async () => /^merge/.test(await told()));
  await chart().focus();
  await page.keyboard.press('.');
  await until(async () => /^merge/.test(await told()));
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await until(() => route().get('text') === null);

  // Of several, Enter goes on by one, and Shift with it back.
  const several = await flame({ ids: [ids.monday] }, { view: { search: 'mod:pandas' } });
  assert.ok(several.found.keys.length > 3);
  await page.getByLabel('Find functions').fill('mod:pandas');
  await until(async () => (await found.innerText()).startsWith(`${several.found.functions} frames`));
  const heard = [];
  for (let i = 0; i < 3; i++) {
    await page.keyboard.press('Enter');
    await until(async () => {
      const words = await told();
      return words !== '' && words !== heard.at(-1);
    });
    heard.push(await told());
  }
  assert.equal(new Set(heard).size, 3, heard.join());
  for (const words of [heard[1], heard[0]]) {
    await page.keyboard.press('Shift+Enter');
    await until(async () => (await told()) === words);
  }
  assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('aria-label')), 'Find functions');
});

test('what is being typed outlives an address that comes in between', async () => {
  await opens(`cluster/${ids.monday}?tab=profile`);
  const field = page.getByLabel('Find functions');
  await field.waitFor();
  const left = await field.evaluate(async (input) => {
    input.value = 'fn:merge';
    input.dispatchEvent(new InputEvent('input', { bubbles: true }));
    window.dispatchEvent(new HashChangeEvent('hashchange'));
    await Promise.resolve();
    return input.value;
  });
  assert.equal(left, 'fn:merge');
  await until(() => route().get('text') === 'fn:merge');
});

test('a search that cannot be read says so, and a wrong one keeps nothing from being drawn later', async () => {
  await opens(`cluster/${ids.monday}?tab=profile`);
  await page.getByLabel('Find functions').fill('/(/');
  await page.getByText('unclosed group').waitFor();
  await page.getByLabel('Find functions').fill('fn:merge');
  await page.locator('.found').waitFor();
  await page.getByText('unclosed group').waitFor({ state: 'detached' });
});

test('stacks are changed step by step, as pills that come off', async () => {
  await opens(`cluster/${ids.monday}?tab=profile`);
  const all = await flame({ ids: [ids.monday] });
  const at = widest(all, 3);
  const place = await middleOf(all, at);
  await page.mouse.click(place.x, place.y, { button: 'right' });
  await page.getByRole('menuitem', { name: 'Only this function' }).click();
  const pill = page.getByRole('button', { name: `Remove filter: only in ${nameOf(all, at)}` });
  await pill.waitFor();
  const focused = await flame({ ids: [ids.monday] }, { transforms: [{ kind: 'focus', function: all.frames.key[all.rectangles.frame[at]] }] });
  assert.ok(focused.total < all.total);
  await page.waitForURL(/f-steps=f\d+/);
  await chart().focus();
  await page.keyboard.press('ArrowDown');
  await until(async () => (await told()).includes(` of ${focused.whole.toLocaleString('en-GB')} samples`));
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('C');
  await until(() => /^f\d+\.C/.test(route().get('f-steps') ?? ''));
  await page.keyboard.press('Backspace');
  await until(() => /^f\d+$/.test(route().get('f-steps') ?? ''));
  await pill.click();
  await until(() => route().get('f-steps') === null);
});

test('changes are named in each view, whichever is opened first', async () => {
  const all = await flame({ ids: [ids.monday] });
  const at = widest(all, 3);
  const steps = `f-steps=f${all.frames.key[all.rectangles.frame[at]]}`;
  for (const [view, drawn] of [['flame', 'canvas'], ['sandwich', '.middle p'], ['table', '.box tbody tr'], [`difference&f-against=ids%3D${ids.tuesday}`, 'canvas']]) {
    await page.goto('about:blank');
    await visitor.go(`cluster/${ids.monday}?tab=profile&${steps}&f-as=${view}`, drawn);
    await page.getByRole('button', { name: `Remove filter: only in ${nameOf(all, at)}` }).waitFor();
  }
});

test('one node is looked at alone or taken out, and its function stays elsewhere', async () => {
  await opens(`cluster/${ids.monday}?tab=profile`);
  const all = await flame({ ids: [ids.monday] });
  const key = all.rectangles.key[widest(all, 3)];
  const steps = (...transforms) => flame({ ids: [ids.monday] }, { transforms });
  await page.goto(`${visitor.origin}/#/1/cluster/${ids.monday}?tab=profile&f-zoom=${key}`);
  await page.getByRole('navigation', { name: 'Path to this frame' }).locator('b', { hasText: nameOf(all, widest(all, 3)) }).waitFor();
  await chart().focus();
  await page.keyboard.press('ArrowDown');
  await until(async () => (await told()).startsWith(nameOf(all, widest(all, 3))));
  await page.keyboard.press('S');
  await until(() => route().get('f-steps') === `s${key}`);
  const alone = await steps({ kind: 'focus_subtree', node: key });
  assert.equal(alone.total, all.rectangles.total[widest(all, 3)]);
  await page.getByRole('button', { name: `Remove filter: only in this place of ${nameOf(all, widest(all, 3))}` }).waitFor();
  // The node is the first one now.
  await chart().focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await until(async () => (await told()).startsWith(nameOf(all, widest(all, 3))));
  await page.keyboard.press('M');
  await until(() => /^s\d+\.M\d+$/.test(route().get('f-steps') ?? ''));
  const without = await steps({ kind: 'focus_subtree', node: key }, { kind: 'merge_node', node: alone.rectangles.key[1] });
  assert.equal(without.total, alone.total);
  await page.getByRole('button', { name: `Remove filter: without this place of ${nameOf(all, widest(all, 3))}` }).waitFor();
  await page.keyboard.press('T');
  await until(() => page.evaluate(() => document.activeElement?.matches('select[data-prefixes]')));
  // Callers are no nodes of it.
  await page.goto(`${visitor.origin}/#/1/cluster/${ids.monday}?tab=profile&f-as=sandwich`);
  await page.getByRole('application', { name: /^Callees/ }).focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Shift+F10');
  await page.getByRole('menuitem', { name: 'Only this function' }).waitFor();
  assert.equal(await page.getByRole('menuitem', { name: 'Merge only this frame' }).count(), 0);
  await page.keyboard.press('Escape');
});

test('views by number: sandwich, table and the same figures in each', async () => {
  await opens(`cluster/${ids.monday}?tab=profile`);
  await chart().focus();
  await page.keyboard.press('3');
  await page.waitForSelector('.box tbody tr');
  const table = await visitor.ask('flame_table', { selection: { ids: [ids.monday] } });
  const cells = await page.locator('.box tbody tr').first().locator('td').allInnerTexts();
  assert.equal(cells[0], table.rows[0].name);
  assert.equal(cells[2], `${((table.rows[0].own / table.samples) * 100).toFixed(1)} %`);
  assert.equal(cells[3], `${((table.rows[0].total / table.samples) * 100).toFixed(1)} %`);
  await page.getByLabel('Find functions').fill('mod:pyarrow');
  await until(async () => (await page.locator('.box tbody tr').allInnerTexts()).every((row) => /core\.py:/.test(row)));
  // What the graph says beside the search, the table says below.
  const { found, whole } = await flame({ ids: [ids.monday] }, { view: { search: 'mod:pyarrow' } });
  await page.getByText(`${found.functions} of ${table.functions} functions, ${((found.total / whole) * 100).toFixed(1)} % of time.`).waitFor();
  await page.getByLabel('Find functions').fill('');
  await until(async () => (await page.locator('.box tbody .pick').first().innerText()) === table.rows[0].name);
  await page.locator('.box tbody tr .pick').first().click();
  await page.getByRole('region', { name: 'Callers' }).waitFor();
  await until(async () => (await page.locator('.middle').innerText()).includes(`${((table.rows[0].total / table.samples) * 100).toFixed(1)} %`));
  await until(async () => (await page.locator('canvas').count()) === 2);
  assert.equal(route().get('f-as'), 'sandwich');
  assert.equal(route().get('f-of'), String(table.rows[0].key));
});

test('callers and callees as tables have the figures of the graphs, and lead from function to function', async () => {
  const { rows } = await visitor.ask('flame_table', { selection: { ids: [ids.monday] }, order: 'total' });
  const beside = (kind, of) => visitor.ask('flame_table', { selection: { ids: [ids.monday] }, part: { kind, function: of, levels: 1 }, order: 'total', limit: 1000 });
  const sides = await Promise.all(rows.map(async ({ key }) => [key, (await beside('callees', key)).total]));
  const of = sides.toSorted((a, b) => b[1] - a[1])[0][0];
  await visitor.go(`cluster/${ids.monday}?tab=profile&f-as=sandwich&f-of=${of}`, 'canvas');
  await page.getByRole('application', { name: /^Callees/ }).focus();
  await page.keyboard.press('t');
  for (const [kind, title] of [['callers', 'Callers'], ['callees', 'Callees']]) {
    const table = page.getByRole('region', { name: `${title}, as a table` });
    await table.waitFor();
    const told = await beside(kind, of);
    // The widest rectangle right beside the function is the first row.
    const drawn = await flame({ ids: [ids.monday] }, { part: { kind, function: of, levels: 12 } });
    const first = drawn.rectangles.total.filter((_, at) => drawn.rectangles.depth[at] === 1 && drawn.rectangles.small[at] === 0).toSorted((a, b) => b - a)[0] ?? 0;
    assert.equal(told.rows[0]?.total ?? 0, first);
    assert.equal(told.rows.reduce((sum, { total }) => sum + total, told.beside_samples), told.part_samples);
    const cells = await table.locator('tbody tr').first().locator('td').allInnerTexts();
    if (told.rows.length > 0) assert.deepEqual([cells[0], cells[4]], [told.rows[0].name, told.rows[0].total.toLocaleString('en-GB')]);
    assert.equal(await table.locator('tfoot td').nth(2).innerText(), told.part_samples.toLocaleString('en-GB'));
  }
  assert.equal(await page.locator('canvas').count(), 0);
  await accessible(page);
  const next = (await beside('callees', of)).rows[0];
  await page.getByRole('region', { name: 'Callees, as a table' }).locator('.pick').first().click();
  await until(() => route().get('f-of') === String(next.key));
  // A search says of each side what part of the time its rows are.
  await page.getByLabel('Find functions').fill('mod:pandas');
  for (const [kind, title] of [['callers', 'Callers'], ['callees', 'Callees']]) {
    const part = { kind, function: next.key, levels: 1 };
    const { total, functions, found_samples, samples } = await visitor.ask('flame_table', { selection: { ids: [ids.monday] }, part, search: 'mod:pandas' });
    const share = found_samples > 0 && found_samples / samples < 0.0005 ? '< 0.1' : ((found_samples / samples) * 100).toFixed(1);
    const said = `${total} of ${functions} function${functions === 1 ? '' : 's'} match, ${share} % of time.`;
    await page.getByRole('region', { name: title, exact: true }).getByText(said).waitFor();
  }
  await page.getByLabel('Find functions').fill('');
  await until(() => route().get('text') === null);
  await page.getByRole('region', { name: 'Callees, as a table' }).focus();
  await page.keyboard.press('t');
  await page.waitForSelector('canvas');
});

test('a zoom around a function is in the address', async () => {
  const { rows } = await visitor.ask('flame_table', { selection: { ids: [ids.monday] }, order: 'total' });
  const of = rows.find(({ own, total }) => own < total / 2).key;
  await opens(`cluster/${ids.monday}?tab=profile&f-as=sandwich&f-of=${of}`);
  const callees = page.getByRole('region', { name: 'Callees', exact: true });
  await callees.getByRole('application').focus();
  const said = () => callees.locator('.flame [role=status]').innerText();
  await until(async () => {
    await page.keyboard.press('Escape');
    await page.keyboard.press('ArrowDown');
    const first = await said();
    await page.keyboard.press('ArrowDown');
    const second = await said();
    return first !== '' && second !== first;
  });
  await page.keyboard.press('Enter');
  await until(() => route().get('f-callees') !== null);
  const way = callees.getByRole('navigation', { name: 'Path to this frame' });
  await way.waitFor();
  const address = page.url();
  await page.reload();
  await way.waitFor();
  assert.equal(page.url(), address);
  assert.equal(await page.getByText('That frame is not in this profile').count(), 0);
  await page.goBack();
  await until(() => route().get('f-callees') === null);
  await way.waitFor({ state: 'detached' });
});

test('around a function, each side says what a search found in it', async () => {
  const { rows } = await visitor.ask('flame_table', { selection: { ids: [ids.monday] }, order: 'total' });
  const of = rows.find(({ own, total }) => own < total / 2).key;
  await opens(`cluster/${ids.monday}?tab=profile&f-as=sandwich&f-of=${of}&text=mod:pandas`);
  for (const [kind, title] of [['callers', 'Callers'], ['callees', 'Callees']]) {
    const { found, whole } = await flame({ ids: [ids.monday] }, { part: { kind, function: of, levels: 12 }, view: { search: 'mod:pandas' } });
    const said = `${found.functions} frame${found.functions === 1 ? '' : 's'}, ${((found.total / whole) * 100).toFixed(1)} % of time`;
    await until(async () => (await page.getByRole('region', { name: title, exact: true }).locator('.found').innerText()) === said);
  }
  await page.getByLabel('Find functions').fill('');
  await until(async () => (await page.locator('.found').count()) === 0);
});

test('what takes longer than a moment says so with a line', async () => {
  await opens(`cluster/${ids.monday}?tab=profile`);
  const slow = async (route) => {
    await new Promise((later) => setTimeout(later, 1500));
    await route.continue();
  };
  await page.route('**/api/flame', slow);
  await chart().focus();
  await page.keyboard.press('2');
  for (const name of ['Callers', 'Callees']) await page.getByRole('progressbar', { name: `Drawing: ${name}` }).waitFor();
  await accessible(page);
  await page.getByRole('application', { name: /^Callees/ }).waitFor();
  await page.unroute('**/api/flame', slow);
  await until(async () => (await page.getByRole('progressbar').count()) === 0);
});

/** What is drawn, and a block in it that can be hit. */
async function drawnBlock() {
  const width = Math.ceil((await page.locator('.graph').boundingBox()).width / 40) * 40;
  const exact = await flame({ ids: [ids.monday] }, { view: { width, smallest: 2 } });
  const block = exact.rectangles.small.findIndex((small, i) => small > 1 && exact.rectangles.total[i] / exact.total > 0.004);
  assert.ok(block > 0, 'a block that can be hit');
  return { exact, block };
}

/** Selects the frame that four steps down lead to, by keys alone, and gives what is heard of it. */
async function selects() {
  await opens(`cluster/${ids.monday}?tab=profile`);
  await chart().focus();
  await until(async () => {
    await page.keyboard.press('Escape');
    for (let down = 0; down < 4; down++) await page.keyboard.press('ArrowDown');
    return /row 4$/.test(await told());
  });
  return told();
}

test('the keys of the views work one after the other', async () => {
  await selects();
  const views = [['2', 'sandwich'], ['3', 'table'], ['4', 'difference'], ['1', 'flame'], ['3', 'table'], ['1', 'flame']];
  for (const [key, view] of views) {
    await page.keyboard.press(key);
    await until(() => (route().get('f-as') ?? 'flame') === view);
  }
  await selects();
  await page.keyboard.press('v');
  await until(() => route().get('f-as') === 'sandwich' && route().get('f-of') !== null);
  await page.keyboard.press('1');
  await until(() => route().get('f-as') === null);
  await page.keyboard.press('Control+f');
  assert.equal(await page.evaluate(() => document.activeElement.ariaLabel), 'Find functions');
});

test('what is chosen below the graph leaves the keys to it, and which way is up is kept', async () => {
  await opens(`cluster/${ids.monday}?tab=profile`);
  const box = (name) => page.getByLabel(name, { exact: true });
  await box('largest first').check();
  await until(() => route().get('f-order') === 'left_heavy');
  await page.keyboard.press('3');
  await until(() => route().get('f-as') === 'table');
  await page.keyboard.press('1');
  await until(() => route().get('f-as') === null);
  await box('root at the bottom').check();
  await page.reload();
  await page.waitForSelector('canvas');
  assert.ok(await box('root at the bottom').isChecked());
  await chart().focus();
  await page.keyboard.press('ArrowUp');
  await until(async () => /^all/.test(await told()));
  await page.keyboard.press('ArrowUp');
  await until(async () => /row 2$/.test(await told()));
  await box('root at the bottom').uncheck();
});

test('the keys of the steps take their frame', async () => {
  const steps = { F: /^f\d+$/, S: /^s\d+$/, m: /^m\d+$/, M: /^M\d+$/, c: /^c\d+$/, C: /^C./, r: /^r\d+$/, D: /^d\d+$/ };
  const answered = (count) => page.waitForResponse((response) => response.url().endsWith('/api/flame') && response.request().postDataJSON().transforms.length === count);
  for (const [key, step] of Object.entries(steps)) {
    await selects();
    // Keys take their frame from what is drawn.
    const taken = answered(1);
    await page.keyboard.press(key);
    await until(() => step.test(route().get('f-steps') ?? ''));
    await taken;
    const back = answered(0);
    await page.keyboard.press('Backspace');
    await until(() => route().get('f-steps') === null);
    await back;
  }
});

test('the keys beside copy and go on', async () => {
  await visitor.context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: bobbin.origin });
  const first = await selects();
  await page.keyboard.press('.');
  await until(async () => (await told()) !== first);
  await page.keyboard.press(',');
  await until(async () => (await told()) === first);
  const copied = () => page.evaluate(() => navigator.clipboard.readText());
  await page.evaluate(() => navigator.clipboard.writeText(''));
  await page.keyboard.press('Control+c');
  const name = await until(copied);
  assert.ok(first.startsWith(name), name);
  await page.keyboard.press('Control+Shift+c');
  const stack = (await until(async () => (await copied()).includes('\n') && (await copied()))).split('\n');
  assert.ok(stack.length === 3 && stack.at(-1).startsWith(name), stack.join());
});

test('the keys that zoom and pan change the picture, and all of it comes back', async () => {
  await opens(`cluster/${ids.monday}?tab=profile`);
  await page.mouse.move(2, 2);
  await until(async () => (await colours()) > 5);
  await chart().focus();
  await page.keyboard.press('Escape');
  const picture = () => page.locator('canvas').first().evaluate((canvas) => canvas.toDataURL());
  await page.keyboard.press('0');
  let whole = '';
  await until(async () => {
    const before = whole;
    whole = await picture();
    return whole === before;
  });
  for (const keys of ['w', '+', 'wws', '++-', 'wd', 'wa']) {
    let before = whole;
    for (const key of keys) {
      await page.keyboard.press(key);
      await until(async () => (await picture()) !== before);
      before = await picture();
    }
    await page.keyboard.press('0');
    await until(async () => (await picture()) === whole);
  }

  // A double click zooms once, and shows all of its frame, however far in it was.
  const { rectangles, total } = await flame({ ids: [ids.monday] });
  const at = rectangles.key.findIndex((_, at) => rectangles.depth[at] > 0 && rectangles.small[at] === 0 && rectangles.x[at] < total / 2 && rectangles.x[at] + rectangles.total[at] > total / 2);
  const key = String(rectangles.key[at]);
  await opens(`cluster/${ids.monday}?tab=profile&f-zoom=${key}`);
  await visitor.settled();
  const fitted = await picture();
  assert.notEqual(fitted, whole);
  await opens(`cluster/${ids.monday}?tab=profile`);
  await until(async () => (await picture()) === whole);
  await chart().focus();
  await page.keyboard.press('w');
  await until(async () => (await picture()) !== whole);
  const box = await page.locator('canvas').first().boundingBox();
  await page.mouse.dblclick(box.x + box.width / 2, box.y + rectangles.depth[at] * 20 + 9);
  await until(() => route().get('f-zoom') === key);
  await page.mouse.move(2, 2);
  // It is selected, too.
  await page.keyboard.press('Escape');
  await until(async () => (await picture()) === fitted);
});

test('small frames are one block that opens', async () => {
  await opens(`cluster/${ids.monday}?tab=profile`);
  const { exact, block } = await drawnBlock();
  const place = await middleOf(exact, block);
  await page.mouse.click(place.x, place.y);
  await until(() => route().get('f-below') === String(exact.smallest));
  assert.equal(route().get('f-zoom'), String(exact.rectangles.key[block]));
  await until(async () => (await page.getByRole('navigation', { name: 'Path to this frame' }).innerText()).includes('small frame'));
});

test('a block of small frames is reached, opened and left by keyboard alone', async () => {
  await page.goto('about:blank');
  await opens(`cluster/${ids.monday}?tab=profile`);
  await until(async () => (await colours()) > 5);
  const { exact, block } = await drawnBlock();
  const { parent, depth, x, total, small } = exact.rectangles;
  const row = (deep) => depth.map((_, at) => at).filter((at) => depth[at] === deep).sort((a, b) => x[a] - x[b]);
  const way = [];
  for (let at = block; at > 0; at = parent[at]) way.unshift(at);
  await chart().focus();
  await page.keyboard.press('ArrowDown');
  await until(async () => /^all/.test(await told()));
  for (const at of way) {
    // Down is the widest child; the way goes along the row from there, over other blocks.
    const beside = row(depth[at]);
    const widestChild = beside.filter((child) => parent[child] === parent[at]).reduce((most, child) => (total[child] > total[most] ? child : most));
    await page.keyboard.press('ArrowDown');
    const by = beside.indexOf(at) - beside.indexOf(widestChild);
    for (let i = 0; i < Math.abs(by); i++) await page.keyboard.press(by > 0 ? 'ArrowRight' : 'ArrowLeft');
  }
  const said = `${small[block].toLocaleString('en-GB')} small frames: `;
  await until(async () => (await told()).startsWith(said) && (await told()).endsWith('. Enter opens them'));
  const heard = (await told()).replace('. Enter opens them', '');
  await page.keyboard.press('Enter');
  await until(() => route().get('f-below') === String(exact.smallest));
  assert.equal(route().get('f-zoom'), String(exact.rectangles.key[block]));
  // It is still selected on its row, and has the whole width: nothing is left to open.
  await until(async () => (await told()) === heard);
  await page.keyboard.press('ArrowDown');
  await until(async () => /^(?!.*small frames).+ by itself, row \d+$/.test(await told()));
  await page.keyboard.press('ArrowUp');
  await until(async () => (await told()).startsWith(said));
  // An address leads into a block where nothing is selected yet.
  await page.reload();
  await page.waitForSelector('canvas');
  await chart().focus();
  await page.keyboard.press('ArrowDown');
  await until(async () => (await told()).startsWith(said));
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await until(() => route().get('f-zoom') === null);
});

test('a difference says what takes more and less time, in three measures', async () => {
  await opens(`cluster/${ids.tuesday}?tab=profile`);
  await chart().focus();
  await page.keyboard.press('4');
  await page.getByText('Choose the earlier cluster above').waitFor();
  // Both sides are named, so that what comes in while they are read moves nothing.
  const named = page.waitForRequest((request) => request.url().endsWith('/api/flame_difference'));
  await page.getByLabel('Earlier cluster').selectOption(String(ids.monday));
  await page.getByText('takes more time, or new').waitFor();
  const { before_tree, after_tree } = (await named).postDataJSON();
  const tree = async (id) => (await visitor.ask('flame_about', { selection: { ids: [id] } })).tree;
  assert.deepEqual([before_tree, after_tree], [await tree(ids.monday), await tree(ids.tuesday)]);
  const made = await visitor.ask('flame_difference', { before: { ids: [ids.monday] }, after: { ids: [ids.tuesday] }, threshold: 0.005 });
  assert.ok(made.functions_total > 0);
  const rows = page.locator('.rows tbody tr');
  await until(async () => (await page.locator('.rows table').getAttribute('aria-rowcount')) === String(made.functions.length));
  const first = await rows.first().locator('td').allInnerTexts();
  assert.equal(first[0], made.functions[0].name);
  assert.equal(first[2], { more_time: 'takes more time', less_time: 'takes less time', new: 'new: only in the later one', vanished: 'gone: only in the earlier one' }[made.functions[0].change]);
  assert.match(first[5], /^[+−] [\d.]+ points$/);
  await page.getByRole('button', { name: 'time per task' }).click();
  await until(async () => /^[+−] [\d.<]+ (ms|s)$/.test((await rows.first().locator('td').allInnerTexts())[5]));
  await page.waitForURL(/f-measure=seconds_per_task/);
  await page.getByLabel('Threshold').selectOption('50');
  await page.waitForURL(/f-threshold=50/);
  const few = await visitor.ask('flame_difference', { before: { ids: [ids.monday] }, after: { ids: [ids.tuesday] }, measure: 'seconds_per_task', threshold: 0.05 });
  assert.ok(few.functions_total < made.functions_total);
  await page.getByRole('button', { name: `Changed ${few.functions_total}`, exact: true }).waitFor();
  // Also those that changed in what they call alone.
  await page.getByRole('button', { name: /^Changed \d/ }).waitFor();
  await page.getByRole('button', { name: /^Gone \d/ }).click();
  await page.waitForURL(/f-list=vanished/);
  // Its address opens the same list again.
  await page.reload();
  await until(async () => (await page.getByRole('button', { name: /^Gone \d/ }).getAttribute('aria-pressed')) === 'true');
});

test('a frame that takes more or less time wears its sign', async () => {
  const { flame: made, changes } = await visitor.ask('flame_difference', { before: { ids: [ids.monday] }, after: { ids: [ids.tuesday] }, threshold: 0.005 });
  const signs = { more_time: '+ ', new: '+ new: ', less_time: '− ', vanished: '− gone: ' };
  const { key, small, total } = made.rectangles;
  const wide = key.map((_, at) => at).filter((at) => small[at] === 0 && total[at] > made.total / 8 && changes.change[at] in signs);
  const meant = wide.map((at) => signs[changes.change[at]] + nameOf(made, at).slice(0, 3));
  for (const sign of ['+', '−']) assert.ok(meant.some((text) => text.startsWith(sign)), meant.join());
  await opens(`cluster/${ids.tuesday}?tab=profile&f-as=difference&f-against=ids%3D${ids.monday}`);
  await visitor.settled();
  await page.evaluate(() => {
    const { prototype } = CanvasRenderingContext2D;
    const { fillText } = prototype;
    window.written = [];
    prototype.fillText = function (text, ...place) {
      window.written.push(text);
      fillText.call(this, text, ...place);
    };
  });
  // A selection draws it anew.
  await chart().focus();
  await page.keyboard.press('ArrowDown');
  await until(async () => {
    const written = await page.evaluate(() => window.written);
    return meant.every((begun) => written.some((text) => text.startsWith(begun)));
  });
  await page.goto('about:blank');
});

test('a difference is searched and zoomed like any other graph', async () => {
  const against = `cluster/${ids.tuesday}?tab=profile&f-as=difference&f-against=ids%3D${ids.monday}`;
  const { flame: made } = await visitor.ask('flame_difference', { before: { ids: [ids.monday] }, after: { ids: [ids.tuesday] }, view: { search: 'mod:pandas' } });
  await opens(`${against}&text=mod:pandas`);
  const share = ((made.found.total / made.whole) * 100).toFixed(1);
  await until(async () => (await page.locator('.found').innerText()) === `${made.found.functions} frames, ${share} % of both together`);
  await page.getByLabel('Find functions').press('Enter');
  await until(async () => (await told()) !== '');
  // One step up at a time.
  const at = widest(made, 3);
  const { key, parent } = made.rectangles;
  await opens(`${against}&f-zoom=${key[at]}`);
  await page.getByRole('navigation', { name: 'Path to this frame' }).locator('b', { hasText: nameOf(made, at) }).waitFor();
  await chart().focus();
  await page.keyboard.press('Backspace');
  await until(() => route().get('f-zoom') === String(key[parent[at]]));
  // Once stacks are changed, what is left is counted.
  const of = made.frames.key[made.rectangles.frame[at]];
  const left = await visitor.ask('flame_difference', { before: { ids: [ids.monday] }, after: { ids: [ids.tuesday] }, transforms: [{ kind: 'focus', function: of }] });
  assert.ok(left.after_samples < left.after.samples);
  await opens(`${against}&f-steps=f${of}`);
  await until(async () => (await page.locator('p.said').innerText()).includes(`this: ${left.after_samples.toLocaleString('en-GB')} samples`));
  // All stacks have one of these.
  const drops = ['execute_task', 'stack not shared'].map((name) => `d${made.frames.key[made.frames.name.indexOf(name)]}`);
  await visitor.go(`${against}&f-steps=${drops.join('.')}`, '.notice');
  await page.getByText('The changes above leave nothing to compare').waitFor();
});

test('a profile, and what it is compared with, are asked for beside the cluster and not after it', async () => {
  await page.goto('about:blank');
  const asked = [];
  const note = (request) => request.url().endsWith('/api/flame_about') && asked.push(request.postDataJSON().selection.ids[0]);
  page.on('request', note);
  const held = async (route) => {
    await until(() => [ids.monday, ids.tuesday].every((id) => asked.includes(id)));
    await route.continue();
  };
  await page.route('**/api/cluster', held);
  await opens(`cluster/${ids.tuesday}?tab=profile&f-as=difference&f-against=ids%3D${ids.monday}`);
  await page.unroute('**/api/cluster', held);
  page.off('request', note);
});

test('what a difference can be against is asked for once the reader comes near', async () => {
  await page.goto('about:blank');
  const asked = [];
  const note = (request) => request.url().endsWith('/api/clusters') && asked.push(request);
  page.on('request', note);
  await opens(`cluster/${ids.tuesday}?tab=profile&f-as=difference&f-against=ids%3D${ids.monday}`);
  const list = page.getByLabel('Earlier cluster');
  await until(async () => (await list.locator('option:checked').textContent()) === 'monday');
  assert.equal(asked.length, 0);
  await list.focus();
  await until(async () => (await list.locator('option').count()) > 2);
  assert.equal(await list.inputValue(), String(ids.monday));
  page.off('request', note);
});

test('a difference may be against all that a filter lists, with days and a prefix of its own', async () => {
  await opens(`cluster/${ids.tuesday}?tab=profile`);
  await chart().focus();
  await page.keyboard.press('4');
  await page.getByRole('group', { name: 'Compared with' }).getByRole('button', { name: 'Clusters by a filter' }).click();
  await until(() => route().get('f-against') === 'of=clusters');
  const said = page.locator('p.said');
  await until(async () => /^all clusters \(\d clusters with a profile\)/.test(await said.innerText()));
  await page.getByLabel('Filter of the earlier clusters').fill('name:monday');
  await until(() => new URLSearchParams(route().get('f-against')).get('text') === 'name:monday');
  const day = new Date().toISOString().slice(0, 10);
  await page.getByLabel('First day of the earlier clusters').fill(day);
  await page.getByLabel('Find functions').focus();
  await until(() => new URLSearchParams(route().get('f-against')).get('from') === day);
  await until(async () => /^clusters: from .*, “name:monday” \(1 cluster with a profile\)/.test(await said.innerText()));
  // Both sides are what was asked for: that is monday alone.
  const before = { clusters: { text: 'name:monday', time_zone: 'UTC' } };
  const made = await visitor.ask('flame_difference', { before, after: { ids: [ids.tuesday] }, threshold: 0.005 });
  const monday = await visitor.ask('flame_difference', { before: { ids: [ids.monday] }, after: { ids: [ids.tuesday] }, threshold: 0.005 });
  assert.deepEqual([made.before.samples, made.functions_total], [monday.before.samples, monday.functions_total]);
  await until(async () => (await page.locator('.rows table').getAttribute('aria-rowcount')) === String(made.functions.length));
  await page.getByLabel('there while running').selectOption('score');
  const { samples } = await visitor.ask('flame_about', { selection: { ids: [ids.monday], prefixes: ['score'] } });
  await until(async () => (await said.innerText()).includes(`: ${samples.toLocaleString('en-GB')} samples`));
  await accessible(page);
  // Its address opens the same difference again.
  await page.reload();
  await until(async () => (await page.getByLabel('Filter of the earlier clusters').inputValue()) === 'name:monday');
});

test('any clusters become one profile that says what each contributed', async () => {
  await opens('profile?text=day');
  const from = page.locator('.from');
  await from.waitFor();
  assert.match(await from.innerText(), /2 clusters contributed/);
  const about = await visitor.ask('flame_about', { selection: { clusters: { text: 'day' } } });
  assert.equal(about.samples, 2 * 12_120);
  await page.getByText(`${about.samples.toLocaleString('en-GB')} samples of 10 ms`).waitFor();
  await opens('profile?text=day&user=ana');
  await page.getByText('12,120 samples of 10 ms').waitFor();
  await opens(`profile?ids=${ids.monday},${ids.tuesday}&prefix=score`);
  await page.getByText('8,080 samples of 10 ms').waitFor();
  await visitor.go('profile?text=nobody-has-this', '.notice');
  await page.getByText('No samples in these clusters').waitFor();
});

test('prefixes go one by one, and groups have their own link', async () => {
  await opens(`cluster/${ids.monday}?tab=profile`);
  await chart().focus();
  await page.keyboard.press('n');
  await until(() => route().get('item') === 'merge-views');
  await page.getByText('8,080 samples').waitFor();
  await chart().focus();
  await page.keyboard.press('p');
  await until(() => route().get('item') === null);
  await opens(`cluster/${ids.monday}?tab=profile&f-group=g2`);
  await page.getByText('4,040 samples').waitFor();
  await page.getByText('task group: score').waitFor();
  await page.getByRole('button', { name: 'Remove filter: task group' }).click();
  await page.getByText('12,120 samples').waitFor();
  // From a group on to the prefix before its own: no group is of two.
  await opens(`cluster/${ids.monday}?tab=profile&f-group=g2`);
  await page.getByText('4,040 samples').waitFor();
  await chart().focus();
  await page.keyboard.press('p');
  await until(() => route().get('item') === 'merge-views' && route().get('f-group') === null);
  await page.getByText('8,080 samples').waitFor();
  await opens(`cluster/${ids.monday}?tab=profile`);
  await page.getByText('12,120 samples').waitFor();
  // One interval of its prefix touches the time of the computation.
  await page.getByLabel('Computation').selectOption('c1');
  await page.getByText('4,040 samples').waitFor();
  await page.getByText('one computation: merge-views').waitFor();
});

test('the card of a computation leads to its profile', async () => {
  await visitor.go(`cluster/${ids.monday}?tab=computations`, '#computation-c1');
  await page.locator('#computation-c1').getByRole('link', { name: 'Profile' }).click();
  await page.getByText('one computation: merge-views').waitFor();
  await page.getByText('4,040 samples').waitFor();
  assert.deepEqual([route().get('tab'), route().get('f-computation')], ['profile', 'c1']);
});

test('the profile is of the time that is chosen', async () => {
  await opens(`cluster/${ids.monday}?tab=profile&from=${now - 130 * second}&to=${now - 95 * second}`);
  await page.getByText('4,040 samples').waitFor();
  await page.keyboard.press('Escape');
  await page.getByText('12,120 samples').waitFor();
  assert.equal(route().get('from'), null);
});

test('a row of the table has the card of its frame', async () => {
  await visitor.go(`cluster/${ids.monday}?tab=profile&f-as=table`, '.box tbody tr');
  const { rows, samples } = await visitor.ask('flame_table', { selection: { ids: [ids.monday] } });
  await page.locator('.box tbody tr td').nth(2).hover();
  const card = page.getByRole('tooltip');
  await card.waitFor();
  const words = await card.innerText();
  for (const part of [rows[0].name, `${((rows[0].own / samples) * 100).toFixed(1)} %`, `${rows[0].total.toLocaleString('en-GB')} samples`]) assert.ok(words.includes(part), words);
  await page.mouse.move(2, 2);
});

test('what comes in joins the graph and moves nothing', async () => {
  await opens(`cluster/${ids.tuesday}?tab=profile`);
  await page.getByText('12,120 samples').waitFor();
  const story = stories.tuesday;
  await bobbin.post(story.batch([stacks(story, now, 'score', { seed: 9, samples: 960 })]));
  await page.getByText('13,120 samples').waitFor();
});

test('a menu goes with its frame, and the keys stay with the graph', async () => {
  const story = new Story('brief', { name: 'brief', interval: 120 * second, switches: { profile: true } });
  stories.brief = story;
  const two = (a, b) => [['first', '/home/ana/a.py', 1, null, a], ['second', '/home/ana/a.py', 9, null, b]];
  await bobbin.post(story.batch([story.cluster(), story.sample(now), story.profile(now, 'score', two(70, 30))]));
  const id = (await visitor.ask('clusters', { text: 'name:brief' })).rows[0].id;
  await opens(`cluster/${id}?tab=profile`);
  await chart().focus();
  for (const name of ['all', 'first', 'second']) {
    await page.keyboard.press('ArrowDown');
    await until(async () => (await told()).startsWith(name));
  }
  await page.keyboard.press('Shift+F10');
  const menu = page.getByRole('menu', { name: 'This frame' });
  await menu.waitFor();
  // Beside so many samples it is too narrow to be drawn.
  await bobbin.post(story.batch([story.profile(now + 30 * second, 'score', two(40_000, 0))]));
  await menu.waitFor({ state: 'detached' });
  await page.keyboard.press('ArrowDown');
  await until(async () => (await told()).startsWith('all'));
});

test('what comes in does not move the functions that are read', async () => {
  const story = new Story('still', { name: 'still', interval: 120 * second, switches: { profile: true } });
  stories.still = story;
  const two = (a, b) => [['first', '/home/ana/a.py', 1, null, a], ['second', '/home/ana/a.py', 9, null, b]];
  await bobbin.post(story.batch([story.cluster(), story.sample(now), story.profile(now, 'score', two(600, 400))]));
  const id = (await visitor.ask('clusters', { text: 'name:still' })).rows[0].id;
  await visitor.go(`cluster/${id}?tab=profile&f-as=table`, '.box tbody tr');
  const names = () => page.locator('.box .pick').allInnerTexts();
  assert.deepEqual(await names(), ['first', 'second']);
  await page.locator('.box .pick').first().hover();
  await bobbin.post(story.batch([story.profile(now + 30 * second, 'score', two(0, 900))]));
  await page.getByText('1,900 samples').first().waitFor();
  // The new figures are there, and the rows are where they were.
  await until(async () => (await page.locator('.box').innerText()).includes('68.4 %'));
  assert.deepEqual(await names(), ['first', 'second']);
  // Another order is asked for with the pointer in the table: it is not held back.
  await page.getByRole('button', { name: 'Function' }).click();
  await page.getByRole('button', { name: 'Self' }).click();
  await until(async () => (await names()).join() === 'second,first');
});

test('what comes in does not move the changed functions that are read', async () => {
  const story = new Story('again', { name: 'again', interval: 120 * second, switches: { profile: true } });
  const two = (a, b) => [['first', '/home/ana/a.py', 1, null, a], ['second', '/home/ana/a.py', 9, null, b]];
  await bobbin.post(story.batch([story.cluster(), story.sample(now), story.profile(now, 'score', two(900, 100))]));
  const id = (await visitor.ask('clusters', { text: 'name:again' })).rows[0].id;
  await visitor.go(`cluster/${id}?tab=profile&f-as=difference&f-against=ids%3D${ids.monday}`, '.rows tbody .pick');
  // The one whose own share changed most is first.
  const names = () => page.locator('.rows .pick').allInnerTexts();
  const before = await names();
  assert.equal(before[0], 'first');
  await page.locator('.rows .pick').first().hover();
  await bobbin.post(story.batch([story.profile(now + 30 * second, 'score', two(0, 4000))]));
  await page.getByRole('button', { name: 'Sort again' }).waitFor();
  assert.deepEqual(await names(), before);
  await page.getByRole('button', { name: 'Sort again' }).click();
  await until(async () => (await names())[0] === 'second');
  // What is gone leads to no callers: there are none here.
  await page.getByRole('button', { name: /^Gone \d/ }).click();
  await until(async () => (await page.locator('.rows tbody tr').count()) > 5 && (await names()).length === 0);
});

test('a search says its part of the time, too, where it finds more functions than are shown', async () => {
  const story = new Story('crowd', { name: 'crowd', interval: 120 * second, switches: { profile: true } });
  const functions = Array.from({ length: 1100 }, (_, i) => [`many_${i}`, '/home/ana/a.py', i + 1, null, 1]);
  const record = story.profile(now, 'score', [...functions, ['other', '/home/ana/b.py', 1, null, 900]]);
  record.stacks.parent.fill(-1);
  await bobbin.post(story.batch([story.cluster(), story.sample(now), record]));
  const id = (await visitor.ask('clusters', { text: 'name:crowd' })).rows[0].id;
  await visitor.go(`cluster/${id}?tab=profile&f-as=table`, '.box tbody tr');
  await page.getByText('The first 1,000 in this order, of 1,101: search to see others.').waitFor();
  await page.getByLabel('Find functions').fill('fn:many');
  await page.getByText('1,100 of 1,101 functions, 55.0 % of time. The first 1,000 in this order are shown: narrow the search to see others.').waitFor();
  await page.getByLabel('Find functions').fill('');
  await until(() => route().get('text') === null);
});

test('a line of source hides what looks like a secret: in the card, the table and the costs', async () => {
  const token = `ghp_${'Zq3vT8xN1bK6wR9mD4sF7hJ2cL5pY0aE8uG1'}`;
  const story = new Story('lake', { name: 'lake', started: now - 600 * second, interval: 120 * second, switches: { profile: true } });
  await bobbin.post(
    story.batch([
      story.cluster(),
      story.sample(now - 60 * second, { totals: { compute: 100, thread_seconds: 300, tasks_completed: 40 } }),
      story.group(now, 'g1', { prefix: 'enter', states: { memory: 40 }, seconds: { compute: 100 } }),
      story.profile(now - 60 * second, 'enter', [['enter', '/home/ana/projects/etl/lake.py', 3, `    return enter("${token}")`, 900]], { lines: [[0, 4, `    lake = enter("${token}")`, 900, 900]] }),
    ]),
  );
  const { id } = (await visitor.ask('clusters', { text: 'name:lake' })).rows[0];
  const hidden = async () => assert.ok(!(await page.content()).includes(token));
  await opens(`cluster/${id}?tab=profile`);
  const all = await flame({ ids: [id] });
  const place = await middleOf(all, all.rectangles.key.findIndex((_, at) => nameOf(all, at) === 'enter'));
  const card = page.getByRole('tooltip');
  await until(async () => {
    await page.mouse.move(place.x + Math.random(), place.y);
    return (await card.count()) > 0 && (await card.innerText()).includes('return enter("‹secret›")');
  });
  await hidden();
  await visitor.go(`cluster/${id}?tab=profile&f-as=table`, '.box tbody tr');
  await until(async () => (await page.locator('.box tbody tr').first().innerText()).includes('return enter("‹secret›")'));
  await hidden();
  await visitor.go(`cluster/${id}?tab=cost`, '[data-cost]');
  await page.getByRole('region', { name: 'Most expensive lines of code' }).getByText('lake = enter("‹secret›")').waitFor();
  await hidden();
});

test('hostile names stay text', async () => {
  await opens(`cluster/${ids.hostile}?tab=profile`);
  await until(async () => (await colours()) > 1);
  await chart().focus();
  for (let i = 0; i < 12; i++) await page.keyboard.press(i % 3 ? 'ArrowRight' : 'ArrowDown');
  await page.keyboard.press('Shift+F10');
  await page.keyboard.press('Escape');
  // Each view shows hostile names: as the text that they are.
  const named = /<(script|img|svg)[ >]/;
  for (const [view, drawn] of [['sandwich', '.middle p'], ['table', '.box tbody tr'], [`difference&f-against=ids%3D${ids.monday}`, '.rows tbody tr']]) {
    await visitor.go(`cluster/${ids.hostile}?tab=profile&f-as=${view}`, drawn);
    await until(async () => named.test(await page.locator('.profile').evaluate((part) => part.textContent)));
  }
  assert.equal(await page.evaluate(() => 'canary' in window), false);
  assert.equal(await page.locator('main img, main script, main iframe').count(), 0);
});

test('every view can be used without seeing it', async () => {
  for (const theme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme: theme });
    for (const [address, wait] of [
      [`cluster/${ids.monday}?tab=profile`, 'canvas'],
      [`cluster/${ids.monday}?tab=profile&text=merge`, '.found'],
      [`cluster/${ids.monday}?tab=profile&f-as=sandwich`, '.middle p'],
      [`cluster/${ids.monday}?tab=profile&f-as=table`, '.box tbody tr'],
      [`cluster/${ids.tuesday}?tab=profile&f-as=difference&f-against=ids%3D${ids.monday}`, '.rows tbody tr'],
      ['profile?text=day', '.from'],
    ]) {
      await visitor.go(address, wait);
      await accessible(page);
    }
  }
});

test('nothing was complained about', () => {
  // A search that cannot be read is answered with 400, which Chromium reports as such.
  visitor.complaints = visitor.complaints.filter((text) => !/status of 400/.test(text));
  visitor.quiet();
});
