// Closing the window and quitting: what was acknowledged is in the file, and the next window looks like this one.

import assert from 'node:assert/strict';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { beat } from './support/batch.mjs';
import { Display } from './support/display.mjs';
import { Scene } from './support/scene.mjs';
import { until } from './support/wait.mjs';
import { ask_to_close } from './support/x11.mjs';

const scene = Scene.for_each_test();

/** A window of this folder, and its number on the display. */
async function launch() {
  const process = scene.start_window();
  const window = await scene.window_of(process);
  await scene.folder.receiver();
  return { process, window };
}

/** Posts beats until `stop` is called or the receiver is gone; the number of the last that was acknowledged. */
function reporting(cluster) {
  let stopped = false;
  const report = async () => {
    let tasks = 0;
    for (let number = 0; !stopped; number++) {
      const posted = await scene.folder.post(beat(cluster, number, { tasks: number + 1 })).catch(() => null);
      if (posted === null) break;
      tasks = number + 1;
    }
    return tasks;
  };
  const acknowledged = report();
  return { acknowledged, stop: () => (stopped = true) };
}

async function stored_tasks() {
  const [cluster] = (await scene.folder.ask('clusters')).rows;
  return cluster.tasks_completed;
}

for (const [how, close] of [
  ['the window is closed', ({ window }) => ask_to_close(scene.display, window)],
  ['the session ends', ({ process }) => process.child.kill('SIGTERM')],
  ['it is interrupted in a terminal', ({ process }) => process.child.kill('SIGINT')],
]) {
  test(`what was acknowledged while ${how} is in the file`, async () => {
    const bobbin = await launch();
    const { acknowledged, stop } = reporting('closing');
    await until('a first batch', async () => (await scene.folder.ask('clusters')).rows.length === 1);
    await close(bobbin);
    const { code, words } = await bobbin.process.end();
    stop();
    assert.equal(code, 0, words);
    const tasks = await acknowledged;
    assert.ok(tasks > 0);
    // A batch may have been stored whose acknowledgement was cut off; never the other way round.
    const stored = await stored_tasks();
    assert.ok(stored === tasks || stored === tasks + 1, `${tasks} acknowledged, ${stored} stored`);
    await assert.rejects(stat(join(scene.folder.data, 'receiver.json')), { code: 'ENOENT' }, 'the address of a receiver that is gone');
  });
}

test('the log is put into the file before the window ends', async () => {
  const { process, window } = await launch();
  await scene.folder.post(beat('last', 0, { tasks: 7 }));
  await ask_to_close(scene.display, window);
  assert.equal((await process.end()).code, 0);
  const logs = await Promise.all(
    ['bobbin.sqlite-wal'].map((name) => stat(join(scene.folder.data, name)).then(({ size }) => size, () => 0)),
  );
  assert.deepEqual(logs, [0]);
  assert.equal(await stored_tasks(), 7);
});

/** Ends a Bobbin whose window was put to a place of such a size. */
async function leave_at([x, y], size) {
  const { process, window } = await launch();
  await scene.display.xdotool('windowsize', '--sync', String(window), ...size.map(String));
  await scene.display.xdotool('windowmove', '--sync', String(window), String(x), String(y));
  await until('the new size', async () => String(await scene.display.size(window)) === String(size));
  await until('the new place', async () => String(await scene.display.place(window)) === String([x, y]));
  await ask_to_close(scene.display, window);
  assert.equal((await process.end()).code, 0);
}

test('the next window has the size of the last one, and is where that was', async () => {
  await leave_at([230, 140], [1010, 707]);
  const { window } = await launch();
  await until('the old size', async () => String(await scene.display.size(window)) === '1010,707');
  await until('the old place', async () => String(await scene.display.place(window)) === '230,140');
});

test('a window whose screen is gone comes up on one that is there', async () => {
  await leave_at([1350, 300], [700, 500]);
  const large = scene.display;
  // As when a second screen was unplugged.
  scene.display = await Display.open({ width: 1200, height: 900 });
  try {
    const { process, window } = await launch();
    await until('the old size', async () => String(await scene.display.size(window)) === '700,500');
    const [x, y] = await scene.display.place(window);
    assert.ok(x >= 0 && y >= 0 && x < 1200 - 100 && y < 900 - 100, `${x}, ${y} is out of sight`);
    await ask_to_close(scene.display, window);
    await process.end();
  } finally {
    await scene.display.close();
    scene.display = large;
  }
});
