// Notices of the desktop: what nobody saw, once, and a click leads to the proof.

import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, test } from 'node:test';
import { beat, goodbye } from './support/batch.mjs';
import { Scene } from './support/scene.mjs';
import { until } from './support/wait.mjs';

const scene = Scene.for_each_test();
beforeEach(async () => {
  await scene.open_desk();
  await mkdir(scene.folder.data, { mode: 0o700 });
});

const choose = (notices) => writeFile(join(scene.folder.data, 'desktop.json'), JSON.stringify({ notices }));
const notice = (number) => until('a notice', () => scene.desk.notices()[number - 1], { seconds: 90 });

async function in_tray() {
  scene.start_tray();
  // The first look only remembers what is so.
  await until('a first look', () => readFile(join(scene.folder.data, 'notices.json')), { seconds: 60 });
}

test('several that come together are one notice, nothing is said twice, and a click opens the proof', async () => {
  await choose({ finished_minutes: 0 });
  await in_tray();
  await scene.folder.post(beat('one', 0, { tasks: 9 }));
  await Promise.all([scene.folder.post(goodbye('one', 1)), scene.folder.post(beat('two', 0, { tasks: 9, erred: 2 }))]);
  const together = await notice(1);
  assert.equal(together.summary, 'Bobbin: 1 failed, 1 finished');
  assert.equal(together.body, 'two, one');
  assert.equal(together.entry, 'org.bobbin.desktop');
  assert.deepEqual(together.actions, ['default', 'Open']);
  await scene.folder.post(goodbye('two', 1));
  const alone = await notice(2);
  assert.equal(alone.summary, 'two finished');
  assert.match(alone.body, /^It ran for .*: 9 tasks; 2 tasks erred\.$/);
  assert.equal(scene.desk.notices().length, 2);

  await scene.desk.ask('follow', { number: alone.number });
  await until('the window', async () => (await scene.windows()).length === 1, { seconds: 60 });
  await until('the proof', async () => (await scene.folder.last_address()) === '#/1/cluster/2', { seconds: 90 });
  assert.equal(scene.desk.notices().length, 2, 'the next window says none of it again');
});

test('what is switched off is not said, and nothing that was said in code, messages or paths', async () => {
  await choose({ finished_minutes: 0, failed: false, names: false });
  await in_tray();
  await scene.folder.post(beat('one', 0, { name: '/home/ada/secret.py', tasks: 9, erred: 1 }));
  await scene.folder.post(beat('two', 0, { name: 'quiet', tasks: 9 }));
  await scene.folder.post(goodbye('two', 1));
  const { summary, body } = await notice(1);
  assert.equal(summary, 'A cluster finished');
  assert.match(body, /^It ran for .*: 9 tasks\.$/);
  assert.equal(scene.desk.notices().length, 1);
});

test('what somebody has before them is not said', async () => {
  await choose({ finished_minutes: 0 });
  const page = await scene.open_page();
  await until('a first look', () => readFile(join(scene.folder.data, 'notices.json')), { seconds: 60 });
  await scene.folder.post(beat('seen', 0, { tasks: 9 }));
  await scene.folder.post(beat('unseen', 0, { tasks: 9 }));
  await page.run("location.hash = '#/1/cluster/1'");
  const [window] = await scene.windows();
  await scene.display.xdotool('windowfocus', '--sync', String(window));
  await until('the focus', () => page.run('return document.hasFocus()'));
  await Promise.all([scene.folder.post(goodbye('seen', 1)), scene.folder.post(goodbye('unseen', 1))]);
  assert.equal((await notice(1)).summary, 'unseen finished');
  assert.equal(scene.desk.notices().length, 1);
});
