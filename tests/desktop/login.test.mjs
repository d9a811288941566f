// Starting with the session: off until somebody asks for it, then without a window, and what a second look at the choice shows is so.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { stat } from './support/processes.mjs';
import { Scene } from './support/scene.mjs';
import { until } from './support/wait.mjs';

const scene = Scene.for_each_test();
const box = `[...document.querySelectorAll('label')].find((one) => one.textContent.trim() === 'Start at login').control`;

/** Starts it as a session does, by a reader of such files that is not ours. */
async function log_in(file) {
  const script = 'import sys; from gi.repository import Gio; assert Gio.DesktopAppInfo.new_from_filename(sys.argv[1]).launch([], None)';
  // What it starts goes on, and shares its output.
  const session = spawn('/usr/bin/python3', ['-c', script, file], { env: scene.environment(), stdio: 'ignore' });
  assert.deepEqual(await once(session, 'exit'), [0, null]);
}

test('chosen on the page, the session starts it hidden, until it is chosen no longer', async () => {
  await scene.open_desk();
  const files = join(scene.folder.environment.XDG_CONFIG_HOME, 'autostart');
  const listed = () => readdir(files).then((names) => names.filter((name) => name.endsWith('.desktop')), () => []);
  let page = await scene.open_page();
  const chosen = () => page.run(`return ${box}?.checked ?? null`);
  const go = async () => {
    await page.run("location.hash = '#/1/settings/desktop'");
    await until('the choice', async () => (await chosen()) !== null, { seconds: 60 });
  };
  await go();
  assert.equal(await chosen(), false);
  assert.deepEqual(await listed(), []);
  const before = await scene.folder.receiver();
  await page.run(`${box}.click()`);
  const [name] = await until('the file', async () => (await listed()).length === 1 && listed());
  await scene.close_page();

  const file = join(files, name);
  assert.match(await readFile(file, 'utf8'), /^Exec=.*\bbobbin tray /m);
  await log_in(file);
  const { pid } = await until('its receiver', async () => {
    const now = await scene.folder.receiver();
    return now.pid !== before.pid && now;
  });
  try {
    await scene.desk.item();
    assert.deepEqual(await scene.windows(), []);
    await scene.desk.ask('click', { label: 'Quit' });
    await until('its end', () => stat(pid).then(() => false, () => true));
  } finally {
    // It is nobody's child, and ends with the test.
    if (await stat(pid).then(() => true, () => false)) process.kill(pid, 'SIGKILL');
  }

  page = await scene.open_page();
  await go();
  assert.equal(await chosen(), true);
  await page.run(`${box}.click()`);
  await until('no file', async () => (await listed()).length === 0);
});
