// Links into the page, files and places handed over by a second start, and what the menu does.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { beat } from './support/batch.mjs';
import { Scene } from './support/scene.mjs';
import { until } from './support/wait.mjs';

const scene = Scene.for_each_test();
const hash = () => scene.page.run('return location.hash');
const at = (address) => until(`the page at ${address}`, async () => (await hash()) === address, { seconds: 60 });

/** Starts Bobbin once more, as a double click and a link do. */
async function second(...words) {
  const { code, words: said } = await scene.start_window(...words).end({ seconds: 60 });
  assert.equal(code, 0, said);
}

test('a second start hands over links and files, without a session bus', async () => {
  await scene.open_page();
  await scene.folder.post(beat('linked', 0, { tasks: 5 }));
  await second('bobbin://cluster/1?tab=workers');
  await at('#/1/cluster/1?tab=workers');
  await second('bobbin://cluster/Scheduler-linked?range=5..9');
  await at('#/1/cluster/1?from=5&to=9');
  await second('/nowhere/at-all.bobbin');
  await until('what is said of the file', async () => (await scene.page.text()).includes('at-all.bobbin'), { seconds: 60 });
});

test('a link that leads nowhere is said kindly and changes nothing', async () => {
  await scene.open_page();
  await scene.folder.post(beat('linked', 0, { tasks: 5 }));
  const before = '#/1/exceptions';
  await scene.page.run(`location.hash = '${before}'`);
  const boxes = async () => (await scene.windows()).length;
  let shown = await boxes();
  for (const link of ['bobbin://cluster/99', 'bobbin://delete/1', 'bobbin://review?ids=1', 'bobbin://cluster/1?text=%00', 'bobbin://sql?sql=select']) {
    await second(link);
    shown += 1;
    await until(`words about ${link}`, async () => (await boxes()) === shown, { seconds: 60 });
    assert.equal(await hash(), before, link);
  }
  assert.equal((await scene.folder.ask('clusters')).rows.length, 1);
});

test('a window opens where a link says, else where the last one was', async () => {
  await scene.open_page();
  await scene.folder.post(beat('linked', 0, { tasks: 5 }));
  await scene.close_page();
  await scene.open_page('bobbin://cluster/1?tab=facts');
  await at('#/1/cluster/1?tab=facts');
  await scene.page.run("location.hash = '#/1/clusters?states=finished'");
  const [window] = await scene.windows();
  await scene.display.xdotool('windowfocus', '--sync', String(window));
  // Ctrl-Q: the driver only ever kills.
  await scene.display.xdotool('key', '--clearmodifiers', 'ctrl+q');
  await until('the end', async () => (await scene.windows()).length === 0, { seconds: 60 });
  await scene.close_page();
  await scene.open_page();
  await at('#/1/clusters?states=finished');
});

test('keys of the menu go to every section, back and forward, and to what is shared', async () => {
  await scene.open_page();
  await until('the first run', async () => (await scene.page.text()).includes('Connect a cluster'), { seconds: 60 });
  await scene.folder.post(beat('linked', 0, { tasks: 5 }));
  // The page of the first run gets an address of its own once something was heard.
  await at('#/1/connect');
  const [window] = await scene.windows();
  await scene.display.xdotool('windowfocus', '--sync', String(window));
  const press = (keys) => scene.display.xdotool('key', '--clearmodifiers', keys);
  await press('ctrl+comma');
  await at('#/1/settings');
  const sections = ['overview', 'clusters', 'exceptions', 'costs', 'sql', 'review', 'connect', 'settings', 'ledger'];
  for (const [place, view] of sections.entries()) {
    await press(`ctrl+${place + 1}`);
    await at(`#/1/${view}`);
  }
  await press('alt+Left');
  await at('#/1/settings');
  await press('alt+Right');
  await at('#/1/ledger');
  const asked = () => scene.page.run("return document.querySelector('dialog[open] input') !== null");
  await press('ctrl+k');
  await until('the box', asked);
  await press('Escape');
  await until('no box', async () => !(await asked()));
  await scene.page.run("location.hash = '#/1/cluster/1'");
  await at('#/1/cluster/1');
  await press('ctrl+s');
  await until('the desk', async () => (await hash()).startsWith('#/1/review'), { seconds: 60 });
});

test('the menu gives the window its first size again, in the middle of the screen', async () => {
  const window = await scene.window_of(scene.start_window());
  await scene.folder.receiver();
  const { display } = scene;
  const [width, height] = await display.size(window);
  const geometry = async () => [...(await display.place(window)), ...(await display.size(window))];
  await display.xdotool('windowsize', '--sync', String(window), '700', '500');
  await display.xdotool('windowmove', '--sync', String(window), '640', '30');
  await until('another place and size', async () => String(await geometry()) === '640,30,700,500');
  await display.xdotool('windowfocus', '--sync', String(window));
  await until('its first size', async () => {
    if (String(await display.size(window)) === `${width},${height}`) return true;
    // Alt-W opens the menu of the window, and R chooses from it. A window that has just begun may not hear the first time.
    for (const key of ['Escape', 'alt+w', 'r']) {
      await display.xdotool('key', '--clearmodifiers', key);
      await sleep(300);
    }
    return false;
  });
  // Not by choosing it once more: by then it has the size that it is put there by.
  const middle = [Math.floor((1400 - width) / 2), Math.floor((1000 - height) / 2), width, height];
  await until(`the window at ${middle}`, async () => String(await geometry()) === String(middle));
});
