// Closing to the tray: asked once, receiving goes on, and a person always has a way back.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdir, readFile, readlink, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { beat } from './support/batch.mjs';
import { shell } from './support/bobbin.mjs';
import { drawing_libraries, family } from './support/processes.mjs';
import { Scene } from './support/scene.mjs';
import { until } from './support/wait.mjs';
import { ask_to_close } from './support/x11.mjs';

const scene = Scene.for_each_test();

/** The receiver that comes after the one that started then. */
const another = (started_micros) =>
  until('the next receiver', async () => {
    const receiver = await scene.folder.receiver();
    return receiver.started_micros !== started_micros && receiver;
  }, { seconds: 60 });
const gone = () => until('no window', async () => (await scene.windows()).length === 0, { seconds: 60 });
const chosen = async () => JSON.parse(await readFile(join(scene.folder.data, 'desktop.json'), 'utf8'));
/** Answers the dialog with this title: the button on the right is the default. */
async function answer(title, key) {
  const dialog = await until('the question', async () => (await scene.display.windows(title))[0], { seconds: 60 });
  await scene.display.xdotool('windowfocus', '--sync', String(dialog));
  await scene.display.xdotool('key', '--clearmodifiers', key);
}

test('the first close asks; kept, it receives without a window, and the tray opens it again', async () => {
  await scene.open_desk();
  const process = scene.start_window();
  const window = await scene.window_of(process);
  const { pid, tcp, started_micros } = await scene.folder.receiver();
  assert.equal(pid, process.child.pid);
  assert.ok((await drawing_libraries(pid)).some((name) => name.startsWith('libwebkit2gtk')), 'a window is drawn with them');
  await ask_to_close(scene.display, window);
  // Thinking better of it leaves everything as it was.
  await answer('Keep Bobbin in the tray', 'Escape');
  await until('the question to go', async () => (await scene.display.windows('Keep Bobbin')).length === 0);
  await until('the window alone', async () => (await scene.windows()).length === 1);
  await ask_to_close(scene.display, window);
  await answer('Keep Bobbin in the tray', 'Return');
  await gone();
  const hidden = await another(started_micros);
  assert.equal(hidden.tcp, tcp, 'clusters find it where it was');
  const item = await scene.desk.item();
  assert.equal((await chosen()).on_close, 'keep');
  assert.ok(process.is_running());
  // What remains is one process, and nothing that draws a page is in it.
  assert.equal(hidden.pid, pid);
  assert.equal(basename(await readlink(`/proc/${pid}/exe`)), 'bobbin');
  assert.deepEqual(await drawing_libraries(pid), []);
  await until('the processes of the page to end', async () => String(await family(pid)) === String(pid), { seconds: 60 });
  assert.equal(item.title, 'Bobbin');
  assert.deepEqual(item.icons, [
    [32, 32, 4096],
    [128, 128, 65536],
  ]);
  assert.deepEqual(item.menu, ['No cluster running', 'No report yet', '-', 'Open Bobbin', 'Pause receiving', '-', 'Quit']);
  assert.deepEqual(item.disabled, ['No cluster running', 'No report yet']);

  // It reports every second, and is lost after three.
  let beats = 0;
  const running = async () => {
    await scene.folder.post(beat('hidden', beats++, { tasks: 3 }));
    return (await scene.desk.ask('item')).menu[0] === '1 cluster running';
  };
  await until('the live count', running, { seconds: 60 });
  const lines = (await scene.desk.ask('item')).menu;
  for (const told of [/^≈ .+ an hour$/, /^Last report (just now|.+ ago)$/]) assert.ok(lines.some((line) => told.test(line)), String(lines));

  await scene.desk.ask('click', { label: 'Open Bobbin' });
  const again = await scene.window_of(process);
  const shown = await another(hidden.started_micros);
  assert.equal(shown.tcp, tcp);
  // It is asked no more.
  await until('the answer of the store', async () => (await scene.folder.ask('clusters')).rows.length === 1);
  await ask_to_close(scene.display, again);
  await gone();
  await another(shown.started_micros);
  await scene.desk.item();
  await scene.desk.ask('click', { label: 'Quit' });
  const { code, words } = await process.end({ seconds: 60 });
  assert.equal(code, 0, words);
  assert.equal((await scene.folder.ask('clusters')).rows[0].tasks_completed, 3);
});

test('quit is remembered, too', async () => {
  await scene.open_desk();
  const first = scene.start_window();
  const window = await scene.window_of(first);
  // A window may be there before its store, which takes what is to be remembered.
  await scene.folder.receiver();
  await ask_to_close(scene.display, window);
  await answer('Keep Bobbin in the tray', 'Tab');
  await answer('Keep Bobbin in the tray', 'Return');
  assert.equal((await first.end({ seconds: 60 })).code, 0);
  assert.equal((await chosen()).on_close, 'quit');
});

test('paused, nothing comes in until it is resumed', async () => {
  await scene.open_desk();
  const process = scene.start_tray();
  await scene.desk.item();
  await scene.folder.receiver();
  await scene.folder.post(beat('a', 0, { tasks: 1 }));
  await scene.desk.ask('click', { label: 'Pause receiving' });
  await until('words of the pause', async () => (await scene.desk.ask('item')).menu[0] === 'Receiving is paused', { seconds: 60 });
  await assert.rejects(stat(join(scene.folder.data, 'receiver.json')), { code: 'ENOENT' });
  await scene.desk.ask('click', { label: 'Resume receiving' });
  await until('a receipt', () => scene.folder.post(beat('a', 1, { tasks: 2 })), { seconds: 60 });
  process.child.kill('SIGTERM');
  assert.equal((await process.end()).code, 0);
  assert.equal((await scene.folder.ask('clusters')).rows[0].tasks_completed, 2);
});

test('resumed where somebody else has the port, the tray says so, and receives as soon as it is free', async () => {
  await scene.open_desk();
  scene.start_tray();
  await scene.desk.item();
  const port = Number((await scene.folder.receiver()).tcp.split(':')[1]);
  const menu = async () => (await scene.desk.ask('item')).menu;
  await scene.desk.ask('click', { label: 'Pause receiving' });
  await until('words of the pause', async () => (await menu())[0] === 'Receiving is paused', { seconds: 60 });
  const taken = createServer().listen(port, '127.0.0.1');
  await once(taken, 'listening');
  try {
    await scene.desk.ask('click', { label: 'Resume receiving' });
    await until('what is wrong', async () => new RegExp(`^Clusters cannot report: .*:${port}`).test((await menu())[0]), { seconds: 60 });
    assert.ok((await menu()).includes('Resume receiving'));
  } finally {
    taken.close();
  }
  await until('the pause to be offered', async () => (await menu()).includes('Pause receiving'), { seconds: 90 });
  await scene.folder.post(beat('a', 0, { tasks: 1 }));
});

test('a link that comes while window and tray change over is followed all the same', async () => {
  await scene.open_desk();
  await mkdir(scene.folder.data, { mode: 0o700 });
  await writeFile(join(scene.folder.data, 'desktop.json'), '{"on_close":"keep"}');
  const first = scene.start_window();
  const window = await scene.window_of(first);
  await scene.folder.post(beat('a', 0, { tasks: 1 }));
  await ask_to_close(scene.display, window);
  // The window goes before the store is closed, and long before the tray listens.
  await gone();
  const second = scene.start_window('bobbin://cluster/1?tab=facts');
  await until('the place', async () => (await scene.folder.last_address()) === '#/1/cluster/1?tab=facts', { seconds: 90 });
  await until('one Bobbin', () => first.is_running() !== second.is_running(), { seconds: 60 });
  assert.equal((await scene.windows()).length, 1);
  const { pid } = await scene.folder.receiver();
  assert.equal(pid, (first.is_running() ? first : second).child.pid);
});

test('started hidden it shows nothing, waits for a tray that comes later, and a second start opens it', async () => {
  await scene.open_desk({ tray: false });
  const process = scene.start_tray();
  await scene.folder.receiver();
  assert.equal((await scene.windows()).length, 0);
  await scene.desk.ask('tray');
  await scene.desk.item();
  // As one that comes with the session once more.
  assert.equal((await scene.start_tray().end({ seconds: 60 })).code, 0);
  assert.equal((await scene.windows()).length, 0);
  const second = await scene.start_window().end({ seconds: 60 });
  assert.equal(second.code, 0, second.words);
  await scene.window_of(process);
});

test('where there is no tray nothing stays that nobody could reach', async () => {
  await scene.open_desk({ tray: false });
  const asked = scene.start_window();
  await ask_to_close(scene.display, await scene.window_of(asked));
  assert.equal((await asked.end({ seconds: 60 })).code, 0, 'it is not asked for what cannot be');

  await writeFile(join(scene.folder.data, 'desktop.json'), '{"on_close":"keep"}');
  const kept = scene.start_window();
  const window = await scene.window_of(kept);
  await ask_to_close(scene.display, window);
  await answer('This desktop has no tray', 'Escape');
  assert.ok(kept.is_running());
  await until('the window alone', async () => (await scene.display.windows('This desktop has no tray')).length === 0 && (await scene.windows())[0] === window);
  await ask_to_close(scene.display, window);
  await answer('This desktop has no tray', 'Return');
  assert.equal((await kept.end({ seconds: 60 })).code, 0);
});

test('where the display is gone a window is asked for in vain, and receiving goes on', async () => {
  await scene.open_desk({ tray: false });
  // Named, and nobody answers there.
  const process = scene.start(shell, ['tray', ...scene.folder.args], scene.environment({ DISPLAY: ':9999', WAYLAND_DISPLAY: '' }));
  await scene.folder.receiver();
  await scene.folder.post(beat('a', 0, { tasks: 1 }));
  const second = scene.start_window();
  await until('words about the display', () => /no display to open a window on/.test(process.words), { seconds: 90 });
  assert.ok(process.is_running());
  // Who asked for it hears why, at once, and where it could look.
  await ask_to_close(scene.display, await scene.window_of(second));
  const { code, words } = await second.end({ seconds: 20 });
  assert.equal(code, 1);
  assert.match(words, /already receives without a window, and cannot open one: there is no display/);
  await scene.folder.post(beat('a', 1, { tasks: 2 }));
  process.child.kill('SIGTERM');
  assert.equal((await process.end({ seconds: 60 })).code, 0);
});
