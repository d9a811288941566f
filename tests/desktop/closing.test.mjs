// Closing the window and quitting: what was acknowledged is in the file, and the next window looks like this one.

import assert from 'node:assert/strict';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { beat } from './support/batch.mjs';
import { desktop, Folder, Process } from './support/bobbin.mjs';
import { Display } from './support/display.mjs';
import { until } from './support/wait.mjs';
import { ask_to_close } from './support/x11.mjs';

let display;
let folder;
let open;

before(async () => (display = await Display.open()));
after(() => display.close());
beforeEach(async () => {
  folder = await Folder.make();
  open = [];
});
afterEach(async () => {
  for (const process of open) await process.kill();
  await folder.remove();
});

/** A window of this folder, and its number on the display. */
async function launch() {
  const process = new Process(desktop, folder.args, display.environment(folder.environment));
  open.push(process);
  const [window] = await until('the window', async () => {
    if (!process.is_running()) throw new Error(process.words);
    const windows = await display.windows('^Bobbin$');
    return windows.length > 0 && windows;
  });
  await folder.receiver();
  return { process, window };
}

/** Posts beats until `stop` is called or the receiver is gone; the number of the last that was acknowledged. */
function reporting(cluster) {
  let stopped = false;
  const report = async () => {
    let tasks = 0;
    for (let number = 0; !stopped; number++) {
      const posted = await folder.post(beat(cluster, number, { tasks: number + 1 })).catch(() => null);
      if (posted === null) break;
      tasks = number + 1;
    }
    return tasks;
  };
  const acknowledged = report();
  return { acknowledged, stop: () => (stopped = true) };
}

async function stored_tasks() {
  const [cluster] = (await folder.ask('clusters')).rows;
  return cluster.tasks_completed;
}

for (const [how, close] of [
  ['the window is closed', ({ window }) => ask_to_close(display, window)],
  ['the session ends', ({ process }) => process.child.kill('SIGTERM')],
  ['it is interrupted in a terminal', ({ process }) => process.child.kill('SIGINT')],
]) {
  test(`what was acknowledged while ${how} is in the file`, async () => {
    const bobbin = await launch();
    const { acknowledged, stop } = reporting('closing');
    await until('a first batch', async () => (await folder.ask('clusters')).rows.length === 1);
    await close(bobbin);
    const { code, words } = await bobbin.process.end();
    stop();
    assert.equal(code, 0, words);
    const tasks = await acknowledged;
    assert.ok(tasks > 0);
    // A batch may have been stored whose acknowledgement was cut off; never the other way round.
    const stored = await stored_tasks();
    assert.ok(stored === tasks || stored === tasks + 1, `${tasks} acknowledged, ${stored} stored`);
    await assert.rejects(stat(join(folder.data, 'receiver.json')), { code: 'ENOENT' }, 'the address of a receiver that is gone');
  });
}

test('the log is put into the file before the window ends', async () => {
  const { process, window } = await launch();
  await folder.post(beat('last', 0, { tasks: 7 }));
  await ask_to_close(display, window);
  assert.equal((await process.end()).code, 0);
  const logs = await Promise.all(
    ['bobbin.sqlite-wal'].map((name) => stat(join(folder.data, name)).then(({ size }) => size, () => 0)),
  );
  assert.deepEqual(logs, [0]);
  assert.equal(await stored_tasks(), 7);
});

test('the next window has the size of the last one', async () => {
  const first = await launch();
  await display.xdotool('windowsize', '--sync', String(first.window), '1010', '707');
  await until('the new size', async () => String(await display.size(first.window)) === '1010,707');
  await ask_to_close(display, first.window);
  assert.equal((await first.process.end()).code, 0);
  const second = await launch();
  await until('the old size', async () => String(await display.size(second.window)) === '1010,707', { seconds: 10 });
});
