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

/** Overwrites a file from a byte on, as far as another one or its end. */
async function bite(name, from, to) {
  const file = await open(join(scene.folder.data, name), 'r+');
  const end = to ?? (await file.stat()).size;
  if (end > from) await file.write(Buffer.alloc(end - from, 0xa5), 0, end - from, from);
  await file.close();
}

/** The disk bites, and another process meets it. Gives the receiver that comes after this one. */
async function damage({ started_micros }) {
  await bite('bobbin.sqlite', 0, 4096);
  // The first page may be in the log, too: all behind its head.
  await bite('bobbin.sqlite-wal', 32);
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
