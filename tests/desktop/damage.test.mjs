// A store that is found damaged while Bobbin runs: it is moved aside as it is, and clusters go on reporting.

import assert from 'node:assert/strict';
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { beat } from './support/batch.mjs';
import { Scene } from './support/scene.mjs';
import { until } from './support/wait.mjs';
import { ask_to_close } from './support/x11.mjs';

const scene = Scene.for_each_test();

/** Bobbin is told within half a minute that somebody found damage. */
const patience = { seconds: 120 };
const aside = async () => (await readdir(scene.folder.data)).filter((name) => name.startsWith('damaged-'));
const names = async () => (await scene.folder.ask('clusters')).rows.map((row) => row.name);

/** The disk bites, and another process meets it. Gives the receiver that comes after this one. */
async function damage({ started_micros }) {
  const file = await open(join(scene.folder.data, 'bobbin.sqlite'), 'r+');
  await file.write(Buffer.alloc(4096, 0xa5), 0, 4096, 0);
  await file.close();
  await assert.rejects(scene.folder.ask('clusters'), /is damaged/);
  return until('the next receiver', async () => {
    const receiver = await scene.folder.receiver();
    return receiver.started_micros !== started_micros && receiver;
  }, patience);
}

test('the window comes back with a new store, and so does the tray', async () => {
  await scene.open_desk();
  const process = scene.start_window();
  await scene.window_of(process);
  await scene.folder.post(beat('one', 0, { tasks: 1 }));
  assert.deepEqual(await names(), ['one']);
  const first = await scene.folder.receiver();

  const second = await damage(first);
  assert.deepEqual([second.pid, second.tcp], [first.pid, first.tcp], 'clusters find it where it was');
  assert.equal((await aside()).length, 1);
  const window = await scene.window_of(process);
  await scene.folder.post(beat('two', 0, { tasks: 1 }));
  assert.deepEqual(await names(), ['two']);

  await ask_to_close(scene.display, window);
  const dialog = await until('the question', async () => (await scene.display.windows('Keep Bobbin in the tray'))[0], { seconds: 60 });
  await scene.display.xdotool('windowfocus', '--sync', String(dialog));
  await scene.display.xdotool('key', '--clearmodifiers', 'Return');
  const hidden = await until('the tray', async () => {
    const receiver = await scene.folder.receiver();
    return receiver.started_micros !== second.started_micros && receiver;
  }, { seconds: 60 });

  const last = await damage(hidden);
  assert.deepEqual([last.pid, last.tcp], [first.pid, first.tcp]);
  assert.equal((await aside()).length, 2);
  await scene.folder.post(beat('three', 0, { tasks: 1 }));
  assert.deepEqual(await names(), ['three']);
  await scene.desk.item();
  await scene.desk.ask('click', { label: 'Quit' });
  const { code, words } = await process.end({ seconds: 60 });
  assert.equal(code, 0, words);
});
