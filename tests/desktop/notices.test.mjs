// Notices of the desktop: what nobody saw, once, and a click leads to the proof.

import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { beat, goodbye } from './support/batch.mjs';
import { Scene } from './support/scene.mjs';
import { until } from './support/wait.mjs';
import { ask_to_close } from './support/x11.mjs';

const scene = Scene.for_each_test();
beforeEach(async () => {
  await scene.open_desk();
  await mkdir(scene.folder.data, { mode: 0o700 });
});

const choose = (notices) => writeFile(join(scene.folder.data, 'desktop.json'), JSON.stringify({ notices }));
const notice = (number) => until('a notice', () => scene.desk.notices()[number - 1], { seconds: 90 });

/** The first look only remembers what is so. */
const first_look = () => until('a first look', () => readFile(join(scene.folder.data, 'notices.json')), { seconds: 60 });

async function in_tray() {
  scene.start_tray();
  await first_look();
}

/** Clicks a notice; its proof is on the page that opens. */
async function follow(number, address) {
  await scene.desk.ask('follow', { number });
  await until('the window', async () => (await scene.windows()).length === 1, { seconds: 60 });
  await until('the proof', async () => (await scene.folder.last_address()) === address, { seconds: 90 });
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

  await follow(alone.number, '#/1/cluster/2');
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
  await first_look();
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

test('what was said beside a window leads to its proof when only the tray is left', async () => {
  await writeFile(join(scene.folder.data, 'desktop.json'), JSON.stringify({ on_close: 'keep', notices: { finished_minutes: 0 } }));
  const bobbin = scene.start_window();
  const window = await scene.window_of(bobbin);
  await first_look();
  await scene.folder.post(beat('one', 0, { tasks: 9 }));
  await scene.folder.post(goodbye('one', 1));
  const { number } = await notice(1);
  await ask_to_close(scene.display, window);
  await until('no window', async () => (await scene.windows()).length === 0, { seconds: 60 });
  await scene.desk.item();
  await follow(number, '#/1/cluster/1');
});

test('a cluster with nothing to do is said with what it costs, and leads to when it worked', async () => {
  await choose({ idle_minutes: 5 });
  await in_tray();
  let beats = 0;
  const said = async () => {
    await scene.folder.post(beat('one', beats++, { tasks: 9, idle_minutes: 6 }));
    return scene.desk.notices()[0];
  };
  const { number, summary, body } = await until('a notice', said, { seconds: 90 });
  assert.equal(summary, 'one is idle');
  assert.match(body, /^Nothing to do for 6 min.*; 2 workers are still up, at ≈ .+ an hour\.$/);
  await follow(number, '#/1/cluster/1?tab=activity');
});

/** Reports of a cluster that has had nothing to do for six minutes, until that is said. */
async function idles(more = {}) {
  let beats = 0;
  const said = async () => {
    await scene.folder.post(beat('one', beats++, { tasks: 9, idle_minutes: 6, ...more }));
    return scene.desk.notices()[0];
  };
  return until('a notice', said, { seconds: 90 });
}

const kept_file = () => join(scene.folder.data, 'idle_kept.json');
const kept_until = () => until('that it is kept', async () => JSON.parse(await readFile(kept_file(), 'utf8').catch(() => '{}'))[1]);

test('an idle cluster is kept by an answer to its notice, without a window', async () => {
  await choose({ idle_minutes: 5 });
  await in_tray();
  const { number, actions } = await idles();
  assert.deepEqual(actions, ['default', 'Open', 'keep', 'Keep for an hour'], 'it does not allow to be stopped');
  const before = Date.now();
  await scene.desk.ask('follow', { number, action: 'keep' });
  const left = (await kept_until()) / 1000 - before;
  assert.ok(Math.abs(left - 3_600_000) < 30_000, `${left} ms`);
  assert.deepEqual(await scene.windows(), []);
  assert.equal(scene.desk.notices().length, 1);
});

test('an idle cluster that allows it is stopped by an answer to its notice', async () => {
  await choose({ idle_minutes: 5 });
  await in_tray();
  const { number, actions } = await idles({ closes: true });
  assert.deepEqual(actions, ['default', 'Open', 'keep', 'Keep for an hour', 'stop', 'Stop now']);
  await scene.desk.ask('follow', { number, action: 'stop' });
  const said = await notice(2);
  assert.equal(said.summary, 'one is asked to stop');
  assert.deepEqual(said.actions, ['default', 'Open']);
  const { stop } = await scene.folder.post(beat('one', 999, { tasks: 9, idle_minutes: 6 }));
  assert.equal(stop.instance_id, 'instance-one');
  assert.deepEqual(await scene.windows(), []);
});

test('the page of an idle cluster keeps it, too', async () => {
  await choose({ idle_minutes: 60 });
  const page = await scene.open_page();
  await scene.folder.post(beat('one', 0, { tasks: 9, idle_minutes: 6 }));
  await page.run("location.hash = '#/1/cluster/1'");
  const press = "[...document.querySelectorAll('button')].find((one) => one.textContent.trim() === 'Keep for an hour')";
  await until('the button', () => page.run(`return ${press} !== undefined`), { seconds: 60 });
  await page.run(`${press}.click()`);
  await until('the words', async () => (await page.text()).includes('Kept until'), { seconds: 60 });
  await kept_until();
});

test('a cluster of which no task ends is said once, and leads to its workers', async () => {
  await choose({});
  await in_tray();
  await scene.folder.post(beat('one', 0, { tasks: 9, minutes_ago: 6 }));
  let beats = 1;
  const stands_still = () => scene.folder.post(beat('one', beats++, { tasks: 9, watched: true }));
  const said = async () => {
    await stands_still();
    return scene.desk.notices()[0];
  };
  const { number, summary, body } = await until('a notice', said, { seconds: 90 });
  assert.equal(summary, 'one stalled');
  assert.match(body, /^No task finished for 6 min.*\.$/);
  // It goes on standing still: nothing is said again, also by the next look.
  for (let more = 0; more < 5; more++) {
    await stands_still();
    await sleep(1_000);
  }
  assert.equal(scene.desk.notices().length, 1);
  await follow(number, '#/1/cluster/1?tab=workers');
});

test('a stall that is switched off is not said', async () => {
  await choose({ stalled: false, finished_minutes: 0 });
  await in_tray();
  await scene.folder.post(beat('one', 0, { tasks: 9, minutes_ago: 6 }));
  await scene.folder.post(beat('one', 1, { tasks: 9, watched: true }));
  await until('the stall', async () => (await scene.folder.ask('clusters')).rows[0].state === 'stalled');
  await scene.folder.post(beat('two', 0, { tasks: 9 }));
  await scene.folder.post(goodbye('two', 1));
  assert.equal((await notice(1)).summary, 'two finished');
  assert.equal(scene.desk.notices().length, 1);
});

test('a budget that is spent is said, and leads to the costs', async () => {
  const page = await scene.open_page();
  await first_look();
  await page.run("location.hash = '#/1/costs'");
  const press = (label) => page.run(`[...document.querySelectorAll('button')].find((one) => one.textContent.trim() === '${label}').click()`);
  await until('the costs', async () => (await page.text()).includes('No budgets yet'), { seconds: 60 });
  await press('New budget');
  await page.run(`
    const amount = [...document.querySelectorAll('label')].find((one) => one.textContent.includes('Per month')).control;
    amount.value = '0.000001';
    amount.dispatchEvent(new Event('input', { bubbles: true }));
  `);
  await press('Save');
  await until('the budget', async () => !(await page.text()).includes('No budgets yet'));
  await scene.folder.post(beat('one', 0, { tasks: 900 }));
  await scene.close_page();
  // Sums of a month are not asked for at each look, and at the first one of a start.
  scene.start_tray();
  const { number, summary, body } = await notice(1);
  assert.equal(summary, 'all clusters: 100 % of the budget is used');
  assert.equal(body, 'For this month. Bobbin does not stop anything.');
  await follow(number, '#/1/costs');
});
