// Starting with the session: off until somebody asks for it, then without a window, and what a second look at the choice shows is so.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { Scene } from './support/scene.mjs';
import { until } from './support/wait.mjs';

const run = promisify(execFile);
const scene = Scene.for_each_test();
const box = `[...document.querySelectorAll('label')].find((one) => one.textContent.trim() === 'Start at login').control`;

/** Starts it as a session does, by a reader of such files that is not ours. */
const log_in = (file) =>
  run('/usr/bin/python3', ['-c', 'import sys; from gi.repository import Gio; assert Gio.DesktopAppInfo.new_from_filename(sys.argv[1]).launch([], None)', file], {
    env: scene.environment(),
  });

test('chosen on the page, the session starts it hidden, until it is chosen no longer', async () => {
  await scene.open_desk();
  const files = join(scene.folder.environment.XDG_CONFIG_HOME, 'autostart');
  const listed = () => readdir(files).catch(() => []);
  let page = await scene.open_page();
  const chosen = () => page.run(`return ${box}?.checked ?? null`);
  const go = async () => {
    await page.run("location.hash = '#/1/settings'");
    await until('the choice', async () => (await chosen()) !== null, { seconds: 60 });
  };
  await go();
  assert.equal(await chosen(), false);
  assert.deepEqual(await listed(), []);
  await page.run(`${box}.click()`);
  const [name] = await until('the file', async () => (await listed()).length === 1 && listed());
  await scene.close_page();

  const file = join(files, name);
  assert.match(await readFile(file, 'utf8'), /^Exec=.*\bbobbin tray /m);
  await log_in(file);
  const { pid } = await scene.folder.receiver();
  try {
    await scene.desk.item();
    assert.deepEqual(await scene.windows(), []);
  } finally {
    await scene.desk.ask('click', { label: 'Quit' });
    await until('its end', () => {
      try {
        return !process.kill(pid, 0);
      } catch {
        return true;
      }
    });
  }

  page = await scene.open_page();
  await go();
  assert.equal(await chosen(), true);
  await page.run(`${box}.click()`);
  await until('no file', async () => (await listed()).length === 0);
});
