// Starting: one window a folder, and plain words when there can be none.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { desktop, Folder, Process, screenshots, shell } from './support/bobbin.mjs';
import { Display } from './support/display.mjs';
import { until } from './support/wait.mjs';
import { ask_to_close } from './support/x11.mjs';

let display;
let folder;
let open;

before(async () => {
  display = await Display.open();
  await mkdir(screenshots, { recursive: true });
});
after(() => display.close());
beforeEach(async () => {
  folder = await Folder.make();
  open = [];
});
afterEach(async () => {
  for (const process of open.reverse()) await process.kill();
  await folder.remove();
});

function start(binary, args, environment) {
  const process = new Process(binary, args, environment);
  open.push(process);
  return process;
}

/** A session bus that lives as long as the test. */
async function bus() {
  const daemon = spawn('dbus-daemon', ['--session', '--nofork', '--print-address'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [address] = await once(daemon.stdout, 'data');
  open.push({ kill: async () => daemon.kill() });
  return String(address).trim();
}

const windows = () => display.windows('^Bobbin$');

test('a second launch shows the first window and ends well', async () => {
  const environment = display.environment({ ...folder.environment, DBUS_SESSION_BUS_ADDRESS: await bus() });
  const first = start(desktop, folder.args, environment);
  await until('the window', async () => (await windows()).length === 1);
  const second = start(desktop, folder.args, environment);
  const { code, words } = await second.end();
  assert.equal(code, 0, words);
  assert.equal((await windows()).length, 1);
  assert.ok(first.is_running());
});

test('the window has a title, a class and an icon of its own', async () => {
  start(desktop, folder.args, display.environment(folder.environment));
  const [window] = await until('the window', async () => {
    const found = await windows();
    return found.length > 0 && found;
  });
  const said = await display.properties(window);
  assert.match(said, /_NET_WM_NAME\(UTF8_STRING\) = "Bobbin"/);
  assert.match(said, /WM_CLASS\(STRING\) = .*[Bb]obbin/);
  assert.match(said, /_NET_WM_ICON\(CARDINAL\) =/);
});

test('another folder has a window of its own', async () => {
  const other = await Folder.make();
  try {
    const environment = display.environment({ ...folder.environment, DBUS_SESSION_BUS_ADDRESS: await bus() });
    start(desktop, folder.args, environment);
    await until('the first window', async () => (await windows()).length === 1);
    const second = start(desktop, other.args, environment);
    await until('the second window', async () => (await windows()).length === 2);
    await second.kill();
  } finally {
    await other.remove();
  }
});

test('a folder that a server writes to is left alone, and the window says so', async () => {
  const server = start(shell, ['serve', '--port', '0', '--data-dir', folder.data], process.env);
  await folder.receiver();
  const refused = start(desktop, folder.args, display.environment(folder.environment));
  const [dialog] = await until('the dialog', async () => {
    const found = await windows();
    return found.length > 0 && found;
  });
  await until('its words', () => refused.words.includes('another Bobbin already writes to'));
  await display.picture(dialog, join(screenshots, 'window-refused.png'));
  await ask_to_close(display, dialog);
  const { code, words } = await refused.end();
  assert.equal(code, 1);
  assert.match(words, /hint: use the window that is open, or stop the other process/);
  assert.ok(server.is_running());
});

test('a port that somebody else has is said, and what is stored can be looked at all the same', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  try {
    const args = ['--data-dir', folder.data, '--port', String(taken.address().port)];
    const process = start(desktop, args, display.environment(folder.environment));
    await until('words about the port', () => process.words.includes('Clusters cannot report until then'));
    const dialog = await until('the dialog', async () => (await windows())[0]);
    await ask_to_close(display, dialog);
    await until('the window', async () => {
      const [window, ...others] = await windows();
      return others.length === 0 && window !== dialog && (await display.size(window))[0] > 1000;
    });
    assert.ok(process.is_running());
  } finally {
    taken.close();
  }
});

test('without a display it says what to do instead', async () => {
  const { DISPLAY, ...environment } = display.environment(folder.environment);
  const { code, words } = await start(desktop, folder.args, environment).end();
  assert.equal(code, 1);
  assert.match(words, /error: there is no display to open a window on\nhint: run `bobbin serve --ui`/);
  assert.doesNotMatch(words, /panic/);
});

test('a display that does not answer is no display', async () => {
  const { code, words } = await start(desktop, folder.args, display.environment({ ...folder.environment, DISPLAY: ':4095' })).end();
  assert.equal(code, 1);
  assert.match(words, /there is no display/);
});

test('wrong use is told from failure', async () => {
  const { code, words } = await start(desktop, ['--fast'], display.environment(folder.environment)).end();
  assert.equal(code, 2);
  assert.match(words, /there is no option --fast/);
});
