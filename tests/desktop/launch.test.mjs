// Starting: one window a folder, and plain words when there can be none.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { beat } from './support/batch.mjs';
import { desktop, Folder, screenshots, shell } from './support/bobbin.mjs';
import { core_limits } from './support/processes.mjs';
import { Scene } from './support/scene.mjs';
import { until } from './support/wait.mjs';
import { ask_to_close } from './support/x11.mjs';

const scene = Scene.for_each_test();
before(() => mkdir(screenshots, { recursive: true }));

test('a second launch shows the first window and ends well', async () => {
  await scene.open_desk();
  const first = scene.start_window();
  await until('the window', async () => (await scene.windows()).length === 1);
  const { code, words } = await scene.start_window().end({ seconds: 60 });
  assert.equal(code, 0, words);
  assert.equal((await scene.windows()).length, 1);
  assert.ok(first.is_running());
});

test('the window has a title, a class and an icon of its own', async () => {
  const window = await scene.window_of(scene.start_window());
  const said = await scene.display.properties(window);
  assert.match(said, /_NET_WM_NAME\(UTF8_STRING\) = "Bobbin"/);
  assert.match(said, /WM_CLASS\(STRING\) = .*[Bb]obbin/);
  assert.match(said, /_NET_WM_ICON\(CARDINAL\) =/);
});

test('of the memory of a window that crashes nothing is kept', async (context) => {
  const allowed = ['-c', 'ulimit -S -c "$(ulimit -H -c)"; exec "$0" "$@"', desktop, ...scene.folder.args];
  const process = scene.start('/bin/sh', allowed);
  await scene.window_of(process);
  const { soft, hard } = await core_limits(process.child.pid);
  assert.equal(soft, '0');
  if (hard === '0') context.diagnostic('skipped: no process may keep a core here');
});

test('another folder has a window of its own', async () => {
  const other = await Folder.make();
  try {
    await scene.open_desk();
    scene.start_window();
    await until('the first window', async () => (await scene.windows()).length === 1);
    const second = scene.start(desktop, other.args);
    await until('the second window', async () => (await scene.windows()).length === 2);
    await second.kill();
  } finally {
    await other.remove();
  }
});

test('a folder that a server writes to is left alone, and the window says so', async () => {
  const server = scene.start(shell, ['serve', '--port', '0', '--data-dir', scene.folder.data], process.env);
  await scene.folder.receiver();
  const refused = scene.start_window();
  const dialog = await scene.window_of(refused);
  await until('its words', () => refused.words.includes('another Bobbin already writes to'));
  await scene.display.picture(dialog, join(screenshots, 'window-refused.png'));
  await ask_to_close(scene.display, dialog);
  const { code, words } = await refused.end();
  assert.equal(code, 1);
  assert.match(words, /hint: use the window that is open, or stop the other process/);
  assert.ok(server.is_running());
});

test('a port that somebody else has is said, and what is stored can be looked at all the same', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  try {
    const args = ['--data-dir', scene.folder.data, '--port', String(taken.address().port)];
    const process = scene.start(desktop, args);
    await until('words about the port', () => process.words.includes('Clusters cannot report until then'));
    // Beside the window, which goes on.
    const dialog = await until('the dialog', async () => {
      for (const one of await scene.windows()) if ((await scene.display.size(one))[0] < 1000) return one;
      return null;
    });
    await ask_to_close(scene.display, dialog);
    await until('the window', async () => {
      const [window, ...others] = await scene.windows();
      return others.length === 0 && window !== dialog && (await scene.display.size(window))[0] > 1000;
    });
    assert.ok(process.is_running());
  } finally {
    taken.close();
  }
});

test('a start while the first one ends becomes the first, and shows what it was to show', async () => {
  const first = scene.start_window();
  await scene.window_of(first);
  await scene.folder.post(beat('a', 0, { tasks: 1 }));
  first.child.kill('SIGTERM');
  const second = scene.start_window('bobbin://cluster/1?tab=facts');
  assert.equal((await first.end({ seconds: 60 })).code, 0);
  await until('the receiver of the second', async () => (await scene.folder.receiver()).pid === second.child.pid, { seconds: 60 });
  await scene.window_of(second);
  await until('what it was to show', async () => (await scene.folder.last_address()) === '#/1/cluster/1?tab=facts', { seconds: 90 });
});

test('without a display it says what to do instead', async () => {
  const { DISPLAY, ...environment } = scene.environment();
  const { code, words } = await scene.start(desktop, scene.folder.args, environment).end();
  assert.equal(code, 1);
  assert.match(words, /error: there is no display to open a window on\nhint: run `bobbin serve --ui`/);
  assert.doesNotMatch(words, /panic|Bobbin failed/);
});

test('a display that does not answer is no display', async () => {
  const { code, words } = await scene.start(desktop, scene.folder.args, scene.environment({ DISPLAY: ':4095' })).end();
  assert.equal(code, 1);
  assert.match(words, /there is no display/);
});

test('wrong use is told from failure', async () => {
  const { code, words } = await scene.start(desktop, ['--fast']).end();
  assert.equal(code, 2);
  assert.match(words, /unknown option --fast/);
});
