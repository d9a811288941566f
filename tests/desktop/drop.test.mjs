// Files dropped on the window by another program, as X hands them over.

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { beat, goodbye } from './support/batch.mjs';
import { Scene } from './support/scene.mjs';
import { until } from './support/wait.mjs';

const scene = Scene.for_each_test();
const source = new URL('support/dragged.py', import.meta.url).pathname;

/** Drags these files onto the middle of the window, as a hand does. */
async function drop(...files) {
  const dragged = scene.start('/usr/bin/python3', [source, '1320', '900', ...files]);
  await until('something to drag', () => dragged.words.includes('ready'));
  const mouse = (...words) => scene.display.xdotool(...words);
  await mouse('mousemove', '1340', '920', 'mousedown', '1');
  // A drag begins with some way, and who is under the mouse answers each step.
  for (const [x, y] of [[1335, 915], [1300, 880], [1000, 700], [700, 450], [645, 405], [640, 400]]) {
    await mouse('mousemove', String(x), String(y));
    await sleep(150);
  }
  await mouse('mouseup', '1');
  await until('the end of the drag', () => dragged.words.includes('dropped'));
  await dragged.kill();
}

/** Whether a file of this name is before the reader, who may open it beside the store. */
const offered = (page, name) => async () => {
  const said = await page.run("return document.querySelector('dialog[open]')?.innerText ?? ''");
  return said.includes(name) && said.includes('Open beside');
};

/** Folded stacks in files of these names. */
async function folded(...names) {
  const files = names.map((name) => join(scene.folder.home, name));
  for (const file of files) await writeFile(file, `${basename(file)};load 30\n`);
  return files;
}

test('a bundle that is dropped is offered, and one that is damaged is refused by name', async () => {
  const page = await scene.open_page();
  await scene.folder.post(beat('dropped', 0, { tasks: 5, name: 'night run' }));
  await scene.folder.post(goodbye('dropped', 1));
  const bundle = join(scene.folder.home, 'a night.bobbin');
  await scene.folder.ask('export', '1', '--output', bundle);
  await drop(bundle);
  await until('the offer', async () => (await page.text()).includes('a night.bobbin'));
  assert.equal((await scene.folder.ask('clusters')).rows.length, 1, 'nothing is imported unasked');

  await page.run("document.querySelector('dialog[open]').close()");
  const damaged = join(scene.folder.home, 'damaged.bobbin');
  await writeFile(damaged, 'no bundle');
  await drop(damaged);
  await until('the refusal', async () => (await page.text()).includes('damaged.bobbin'));
});

test('files of other programs and of a plugin are known by what is in them, and offered one after the other', async () => {
  const page = await scene.open_page();
  const foreign = (name) => new URL(`../fixtures/foreign/${name}`, import.meta.url).pathname;
  const written = async (name, bytes) => {
    const path = join(scene.folder.home, name);
    await writeFile(path, bytes);
    return path;
  };
  const files = [
    [foreign('2026/report.html.gz'), 'a Dask performance report'],
    [foreign('2024/dump.msgpack.gz'), 'a cluster state dump'],
    [foreign('memray/allocating.speedscope.json.gz'), 'a speedscope profile'],
    [await written('night.folded', 'main;load 30\n'), 'folded stacks'],
    [await written('left.bobbin', gzipSync(beat('left', 0, { tasks: 5, name: 'left behind' }))), 'left behind'],
    [await written('notes.txt', 'just words\n'), 'it is not a type that Bobbin reads'],
  ];
  await drop(...files.map(([path]) => path));
  for (const [path, words] of files) {
    const parts = [basename(path), words];
    const seen = async () => {
      const said = await page.run("return document.querySelector('dialog[open]')?.innerText ?? ''");
      return parts.every((part) => said.includes(part));
    };
    await until(parts.join(': '), seen, { seconds: 60 });
    await page.run("document.querySelector('dialog[open]').close()");
  }
  assert.equal((await scene.folder.ask('clusters')).rows.length, 0, 'nothing is imported unasked');
});

test('what waits behind a file that is opened beside the store is offered by the page that comes', async () => {
  const page = await scene.open_page();
  await drop(...(await folded('first.folded', 'second.folded')));
  await until('the first', offered(page, 'first.folded'), { seconds: 60 });
  await page.run("[...document.querySelectorAll('dialog[open] button')].find((button) => button.textContent.trim() === 'Open beside').click()");
  await until('its store', async () => (await page.text()).includes('opened beside your store'), { seconds: 60 });
  await until('the second', offered(page, 'second.folded'), { seconds: 60 });
});

test('a page that is loaded anew is handed a file again until something is decided of it', async () => {
  const page = await scene.open_page();
  const anew = async () => {
    await page.run('window.before = true; setTimeout(() => location.reload())');
    await until('the page that comes', () => page.run('return window.before === undefined'), { seconds: 60 });
  };
  await drop(...(await folded('first.folded', 'second.folded')));
  await until('the first', offered(page, 'first.folded'), { seconds: 60 });
  await anew();
  await until('the first again', offered(page, 'first.folded'), { seconds: 60 });
  await page.run("document.querySelector('dialog[open]').close()");
  await until('the second', offered(page, 'second.folded'), { seconds: 60 });
  await anew();
  await until('the second again', offered(page, 'second.folded'), { seconds: 60 });
});
