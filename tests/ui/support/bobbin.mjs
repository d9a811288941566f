// The real binary with a folder of its own, and the receiver's side of it.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export const root = new URL('../../..', import.meta.url).pathname;
export const binary = process.env.BOBBIN_BINARY ?? join(process.env.BOBBIN_BINARIES ?? join(root, 'target/debug'), 'bobbin');

export class Bobbin {
  /** Starts `bobbin serve --ui` and waits until it listens. */
  static async start(...args) {
    const bobbin = new Bobbin();
    bobbin.home = await mkdtemp(join(tmpdir(), 'bobbin-page-'));
    bobbin.args = args;
    await bobbin.#begin();
    return bobbin;
  }

  /** Ends it, and starts another one on the same folder. */
  async restart() {
    await this.stop();
    await this.#begin();
  }

  async #begin() {
    const command = ['serve', '--data-dir', join(this.home, 'data'), '--port', '0', '--ui', ...this.args];
    const env = { ...process.env, HOME: this.home, XDG_CONFIG_HOME: join(this.home, 'config'), XDG_DATA_HOME: join(this.home, 'share') };
    this.child = spawn(binary, command, { stdio: ['ignore', 'pipe', 'pipe'], env });
    this.talk = '';
    this.child.stderr.setEncoding('utf8').on('data', (text) => (this.talk += text));
    const lines = createInterface({ input: this.child.stdout });
    const line = await Promise.race([
      once(lines, 'line').then(([text]) => text),
      once(this.child, 'exit').then(() => {
        throw new Error(`bobbin did not start: ${this.talk}`);
      }),
    ]);
    this.listening = JSON.parse(line);
    this.token = (await readFile(this.listening.token_file, 'utf8')).trim();
    this.origin = new URL(this.listening.ui).origin;
  }

  /** Posts a batch and gives the receipt of its durable commit. */
  async post(batch) {
    const { status, text } = await this.#send(batch);
    if (status !== 200) throw new Error(`the receiver answered ${status}: ${text}`);
    const receipt = JSON.parse(text);
    if (receipt.refused.length > 0) throw new Error(`refused: ${JSON.stringify(receipt.refused)}`);
    return receipt;
  }

  /** As a plugin on this machine does: through the socket. `fetch` would be taken for a browser, and refused. */
  #send(batch) {
    return new Promise((resolve, reject) => {
      const headers = { host: 'bobbin', authorization: `Bearer ${this.token}`, 'content-type': 'application/x-ndjson' };
      // A connection each: one that was kept may be closed by the receiver just when the next batch is written to it.
      const options = { socketPath: this.listening.socket, path: '/v1/batches', method: 'POST', headers, agent: false };
      const asked = request(options, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part) => (text += part));
        response.on('end', () => resolve({ status: response.statusCode, text }));
      });
      asked.on('error', reject).end(batch);
    });
  }

  async stop() {
    if (this.child.exitCode === null && this.child.signalCode === null) {
      const gone = once(this.child, 'exit');
      this.child.kill('SIGTERM');
      const late = setTimeout(() => this.child.kill('SIGKILL'), 10_000);
      await gone;
      clearTimeout(late);
    }
  }

  async remove() {
    await this.stop();
    await rm(this.home, { recursive: true, force: true, maxRetries: 5 });
  }
}
