// The web view's own driver, spoken to in plain WebDriver: one session, one window.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { writeFile } from 'node:fs/promises';
import { until } from './wait.mjs';

const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf';

export class Session {
  #driver;
  #base;

  /** Starts `binary` with `args` under a driver on this display. */
  static async start({ environment, binary, args }) {
    const port = await free_port();
    const session = new Session();
    session.#driver = spawn('WebKitWebDriver', [`--port=${port}`, '--host=127.0.0.1'], {
      // The driver starts the window, which takes its environment from here.
      env: { ...environment, TAURI_WEBVIEW_AUTOMATION: 'true' },
      stdio: ['ignore', 'inherit', 'inherit'],
      detached: true,
    });
    const root = `http://127.0.0.1:${port}`;
    try {
      await until('the driver', async () => (await fetch(`${root}/status`)).ok);
      const options = { 'webkitgtk:browserOptions': { binary, args } };
      const { sessionId } = await ask('POST', `${root}/session`, { capabilities: { alwaysMatch: options } });
      session.#base = `${root}/session/${sessionId}`;
      // What is looked for may be drawn in a moment.
      await ask('POST', `${session.#base}/timeouts`, { implicit: 5_000 });
    } catch (error) {
      await session.stop();
      throw error;
    }
    return session;
  }

  /** Runs a function's body in the page; `arguments` are there as in any function. */
  run(script, ...args) {
    return ask('POST', `${this.#base}/execute/sync`, { script, args });
  }

  /** As `run`, for a body that returns a promise. Gives `{ value }` or `{ error }`. */
  run_async(script, ...args) {
    const body = `const done = arguments[arguments.length - 1];
      (async () => { ${script} })().then((value) => done({ value }), (error) => done({ error: String(error?.message ?? JSON.stringify(error)) }));`;
    return ask('POST', `${this.#base}/execute/async`, { script: body, args });
  }

  /** Text of the whole page as a person sees it. */
  text() {
    return this.run('return document.body.innerText');
  }

  async click(selector) {
    const found = await ask('POST', `${this.#base}/element`, { using: 'css selector', value: selector });
    await ask('POST', `${this.#base}/element/${found[ELEMENT]}/click`, {});
  }

  address() {
    return ask('GET', `${this.#base}/url`);
  }

  windows() {
    return ask('GET', `${this.#base}/window/handles`);
  }

  /** A picture of what the page drew. */
  async picture(path) {
    await writeFile(path, Buffer.from(await ask('GET', `${this.#base}/screenshot`), 'base64'));
  }

  /** Ends driver and window, however far they came. */
  async stop() {
    if (this.#base) await ask('DELETE', this.#base).catch(() => {});
    if (this.#driver.exitCode === null && this.#driver.signalCode === null) {
      process.kill(-this.#driver.pid, 'SIGKILL');
      await once(this.#driver, 'exit');
    }
  }
}

async function ask(method, url, body) {
  const response = await fetch(url, {
    method,
    body: body && JSON.stringify(body),
    headers: body && { 'content-type': 'application/json' },
  });
  const { value } = await response.json();
  if (!response.ok) throw new Error(`${method} ${new URL(url).pathname}: ${value.error}: ${value.message}`);
  return value;
}

function free_port() {
  return new Promise((resolve, reject) => {
    const server = createServer().on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
