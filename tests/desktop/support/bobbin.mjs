// Bobbin as the tests use it: the binaries of the clone, a folder of its own, and the shell to ask for the truth.

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { until } from './wait.mjs';

const run = promisify(execFile);

export const root = new URL('../../..', import.meta.url).pathname;
export const binaries = process.env.BOBBIN_BINARIES ?? join(root, 'target/debug');
export const desktop = join(binaries, 'bobbin-desktop');
export const shell = join(binaries, 'bobbin');
export const screenshots = join(root, 'target/screenshots');

/** A folder for one Bobbin, and one for what its window remembers. */
export class Folder {
  static async make() {
    const folder = new Folder();
    folder.home = await mkdtemp(join(tmpdir(), 'bobbin-'));
    folder.data = join(folder.home, 'data');
    folder.args = ['--data-dir', folder.data, '--port', '0'];
    folder.environment = { XDG_CONFIG_HOME: join(folder.home, 'config'), XDG_DATA_HOME: join(folder.home, 'share') };
    return folder;
  }

  /** What the shell answers, read from the file or beside the window. */
  async ask(...words) {
    const { stdout } = await run(shell, [...words, '--json', '--data-dir', this.data], { maxBuffer: 1 << 26 });
    return JSON.parse(stdout);
  }

  /** Where the receiver of this folder listens. */
  receiver() {
    return until('a receiver', async () => JSON.parse(await readFile(join(this.data, 'receiver.json'), 'utf8')));
  }

  /** Posts a batch and gives the receipt. */
  async post(batch) {
    const { socket } = await this.receiver();
    const token = (await readFile(join(this.data, 'token'), 'utf8')).trim();
    const { status, body } = await post(socket, token, batch);
    if (status !== 200) throw new Error(`the receiver answered ${status}: ${body}`);
    return JSON.parse(body);
  }

  /** Where the page was, as it is kept for the next window every half minute. */
  async last_address() {
    return JSON.parse(await readFile(join(this.data, 'window.json'), 'utf8')).address;
  }

  remove() {
    return rm(this.home, { recursive: true, force: true, maxRetries: 5 });
  }
}

function post(socketPath, token, batch) {
  return new Promise((resolve, reject) => {
    const headers = { host: 'bobbin', authorization: `Bearer ${token}`, 'content-type': 'application/x-ndjson' };
    const asked = request({ socketPath, path: '/v1/batches', method: 'POST', headers }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (text) => (body += text));
      response.on('end', () => resolve({ status: response.statusCode, body }));
    });
    asked.on('error', reject).end(batch);
  });
}

/** A window without a driver: for everything that happens outside of the page. */
export class Process {
  constructor(binary, args, env) {
    this.words = '';
    this.child = spawn(binary, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => (this.words += text));
    }
    this.ended = once(this.child, 'close').then(([code, signal]) => ({ code, signal, words: this.words }));
  }

  is_running() {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  /** Its end, or an error after `seconds`. */
  async end({ seconds = 30 } = {}) {
    await until(`process ${this.child.pid} to end; it said: ${this.words}`, () => !this.is_running(), { seconds });
    return this.ended;
  }

  async kill() {
    if (this.is_running()) this.child.kill('SIGKILL');
    await this.ended;
  }
}
