// The desktop's own dialogs: a file is chosen with the keyboard, and one is saved where the person says.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { beat, goodbye } from './support/batch.mjs';
import { Scene } from './support/scene.mjs';
import { until } from './support/wait.mjs';

const scene = Scene.for_each_test();

/** Types into the window with this title. */
async function type(title, ...keys) {
  const window = await until(title, async () => (await scene.display.windows(title))[0], { seconds: 60 });
  await scene.display.xdotool('windowfocus', '--sync', String(window));
  for (const key of keys) await scene.display.xdotool(...key);
}

/** Asks for a file with the keyboard: a page that has just begun may not hear the first time. */
async function ask_for_a_file() {
  await until('the dialog', async () => {
    await type('^Bobbin$', press('ctrl+o'));
    await sleep(2_000);
    return (await scene.display.windows('^Open a file$')).length > 0;
  });
}

/** Chooses from the menu of the view what is to be saved, and says where; what the file holds. */
async function save(page, what, place) {
  const open = "const menu = [...document.querySelectorAll('button')].find((one) => /^Save/.test(one.innerText.trim())); menu?.click(); return Boolean(menu)";
  assert.ok(await page.run(open), 'there is something to save');
  const choose = `const one = [...document.querySelectorAll('[role=menuitem], .menu button')].find((one) => /${what}/.test(one.innerText)); one?.click(); return Boolean(one)`;
  await until('the choice', () => page.run(choose));
  await type('^Save as a file$', press('ctrl+a'), write(place), press('Return'));
  return until('the file', () => readFile(place, 'utf8').catch(() => null), { seconds: 60 });
}

const press = (key) => ['key', '--clearmodifiers', key];
const write = (text) => ['type', '--clearmodifiers', '--delay', '20', text];

test('a bundle is opened with Ctrl-O, and thinking better of it changes nothing', async () => {
  const page = await scene.open_page();
  await scene.folder.post(beat('chosen', 0, { tasks: 5, name: 'night run' }));
  await scene.folder.post(goodbye('chosen', 1));
  const bundle = join(scene.folder.home, 'a-night.bobbin');
  await scene.folder.ask('export', '1', '--output', bundle);

  await ask_for_a_file();
  await type('^Open a file$', press('Escape'));
  await until('the dialog to go', async () => (await scene.display.windows('^Open a file$')).length === 0);
  assert.ok(!(await page.text()).includes('a-night.bobbin'));

  await ask_for_a_file();
  // A path that is typed goes into the line for places, which opens at its first letter and may lose the next ones meanwhile.
  await type('^Open a file$', write(bundle[0]));
  await sleep(1_000);
  await type('^Open a file$', write(bundle.slice(1)), press('Return'));
  await until('the offer', async () => (await page.text()).includes('a-night.bobbin'), { seconds: 60 });
});

test('a table is saved where the dialog says', async () => {
  const page = await scene.open_page();
  await scene.folder.post(beat('saved', 0, { tasks: 5, name: 'night run' }));
  // The page of a first run makes way once it heard of a cluster.
  const listed = "location.hash = '#/1/clusters'; return document.querySelector('tbody a')?.innerText.includes('night run') ?? false";
  await until('the list', () => page.run(listed), { seconds: 60 });
  const place = join(scene.folder.home, 'clusters-here.csv');
  assert.match(await save(page, 'CSV', place), /night run/);
  assert.equal((await scene.folder.ask('ledger')).rows.at(-1).kind, 'export');
});

test('the chain of the ledger is saved where the dialog says', async () => {
  const page = await scene.open_page();
  await scene.folder.post(beat('noted', 0, { tasks: 5, name: 'night run' }));
  await scene.folder.ask('export', '1', '--output', join(scene.folder.home, 'noted.bobbin'));
  // The page of a first run makes way once it heard of a cluster.
  const shown = "location.hash = '#/1/ledger'; return document.querySelector('[data-kind=export]') !== null";
  await until('the ledger', () => page.run(shown), { seconds: 60 });
  const lines = (await save(page, 'NDJSON', join(scene.folder.home, 'chain.ndjson'))).trimEnd().split('\n');
  assert.deepEqual(lines.map((line) => JSON.parse(line).kind), ['export']);
});
