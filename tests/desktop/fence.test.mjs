// What the page in the window may not do, tried from inside the page.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { desktop, Folder } from './support/bobbin.mjs';
import { Display } from './support/display.mjs';
import { Session } from './support/driver.mjs';
import { until } from './support/wait.mjs';

let display;
let folder;
let page;

before(async () => {
  display = await Display.open();
  folder = await Folder.make();
  page = await Session.start({ environment: display.environment(folder.environment), binary: desktop, args: folder.args });
  await until('the page', async () => (await page.text()).length > 0);
});

after(async () => {
  await page?.stop();
  await folder?.remove();
  await display?.close();
});

test('the one command answers, and errors have their shape', async () => {
  const status = await page.run_async(`return window.__TAURI_INTERNALS__.invoke('call', { name: 'status', request: {} })`);
  assert.equal(status.value?.data_dir, folder.data, JSON.stringify(status));
  const failed = await page.run_async(
    `return window.__TAURI_INTERNALS__.invoke('call', { name: 'erase', request: {} }).catch((error) => error)`,
  );
  assert.deepEqual(Object.keys(failed.value).sort(), ['code', 'hint', 'message']);
  assert.equal(failed.value.code, 'not_found');
});

test('a request of the wrong shape or size is refused by kind', async () => {
  for (const request of ['{ id: "1" }', '{}', '{ id: 1.5 }', '{ id: null }', '{ id: 1, text: "x".repeat(100_000) }']) {
    const { value } = await page.run_async(
      `return window.__TAURI_INTERNALS__.invoke('call', { name: 'cluster', request: ${request} }).then(() => 'answered', (error) => error)`,
    );
    assert.equal(value.code, 'invalid', request);
  }
  const { value } = await page.run_async(
    `return window.__TAURI_INTERNALS__.invoke('call', { name: 'cluster', request: { id: -7 } }).catch((error) => error)`,
  );
  assert.equal(value.code, 'not_found');
});

test('no other command of Tauri or of a plugin is allowed', async () => {
  for (const name of [
    'plugin:window|close',
    'plugin:window|set_title',
    'plugin:webview|create_webview_window',
    'plugin:event|emit',
    'plugin:path|resolve_directory',
    'plugin:app|version',
    'plugin:window-state|filename',
    'plugin:shell|open',
    'plugin:fs|read_file',
  ]) {
    const { value, error } = await page.run_async(`return window.__TAURI_INTERNALS__.invoke('${name}', {})`);
    assert.match(error ?? '', /not allowed|not found|denied/i, `${name} gave ${JSON.stringify(value)}`);
  }
});

test('there is no global Tauri object', async () => {
  assert.equal(await page.run('return typeof window.__TAURI__'), 'undefined');
});

test('nothing is fetched from anywhere else', async () => {
  const { tcp } = await folder.receiver();
  for (const url of [`http://${tcp}/v1/health`, 'https://example.org/', 'http://127.0.0.1:8787/status']) {
    const { error } = await page.run_async(
      `const blocked = new Promise((resolve) => addEventListener('securitypolicyviolation', (event) => resolve(event.effectiveDirective), { once: true }));
       await fetch('${url}').catch(() => {});
       throw new Error(await blocked);`,
    );
    assert.equal(error, 'connect-src', url);
  }
});

test('markup in the page neither runs nor loads', async () => {
  const { value } = await page.run_async(`
    const seen = [];
    const listen = (event) => seen.push(event.effectiveDirective);
    addEventListener('securitypolicyviolation', listen);
    const box = document.body.appendChild(document.createElement('div'));
    box.innerHTML = '<img src="x" onerror="window.canary = 1"><iframe src="https://example.org/"></iframe><form action="https://example.org/"><input></form>';
    const inline = document.createElement('script');
    inline.textContent = 'window.canary = 2';
    box.append(inline);
    const remote = document.createElement('script');
    remote.src = 'https://example.org/x.js';
    box.append(remote);
    box.querySelector('form').submit();
    try { (0, eval)('window.canary = 3'); } catch {}
    await new Promise((resolve) => setTimeout(resolve, 500));
    removeEventListener('securitypolicyviolation', listen);
    box.remove();
    return { canary: window.canary ?? null, seen };
  `);
  assert.equal(value.canary, null);
  const refused = value.seen.join(' ');
  for (const directive of ['script-src', 'frame-src', 'form-action']) assert.ok(refused.includes(directive), `${directive} in ${refused}`);
});

test('the window goes nowhere and opens nothing', async () => {
  const here = await page.address();
  assert.match(here, /^tauri:\/\/localhost(\/|$)/);
  await page.run(`
    const link = document.body.appendChild(document.createElement('a'));
    link.href = 'https://example.org/';
    link.click();
    link.target = '_blank';
    link.click();
    link.remove();
  `);
  await page.run(`location.href = 'https://example.org/'`).catch(() => {});
  await page.run(`window.open('https://example.org/')`).catch(() => {});
  await page.run_async('await new Promise((resolve) => setTimeout(resolve, 500))');
  assert.equal(await page.address(), here);
  assert.equal((await page.windows()).length, 1);
  assert.equal((await display.windows('.')).length, 1);
});
