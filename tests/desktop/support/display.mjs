// A display of its own for each file of tests: nothing that is open on the machine is seen or clicked.

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';

const run = promisify(execFile);

export class Display {
  #server;

  constructor(server, number) {
    this.#server = server;
    this.name = `:${number}`;
  }

  static async open({ width = 1400, height = 1000 } = {}) {
    // Xvfb takes the first free number and writes it to descriptor 3.
    const server = spawn('Xvfb', ['-displayfd', '3', '-screen', '0', `${width}x${height}x24`, '-nolisten', 'tcp'], {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    });
    const [number] = await once(server.stdio[3], 'data');
    return new Display(server, Number(String(number)));
  }

  /** What programs on this display need, and nothing of the session that the tests run in. */
  environment(more = {}) {
    const { DBUS_SESSION_BUS_ADDRESS, WAYLAND_DISPLAY, BOBBIN_DATA_DIR, ...own } = process.env;
    return {
      ...own,
      DISPLAY: this.name,
      // Without a bus nothing is autolaunched that would outlive the test.
      DBUS_SESSION_BUS_ADDRESS: 'disabled:',
      NO_AT_BRIDGE: '1',
      LANG: 'en_US.UTF-8',
      ...more,
    };
  }

  async xdotool(...words) {
    const { stdout } = await run('xdotool', words, { env: this.environment() });
    return stdout.trim();
  }

  /** The windows with this title, as X numbers them. */
  async windows(title) {
    const found = await this.xdotool('search', '--onlyvisible', '--name', title).catch(() => '');
    return found.split('\n').filter(Boolean).map(Number);
  }

  /** Size of a window in pixels. */
  size(window) {
    return this.#geometry(window, 'WIDTH', 'HEIGHT');
  }

  /** Where a window is, from the upper left corner of the display. */
  place(window) {
    return this.#geometry(window, 'X', 'Y');
  }

  async #geometry(window, ...names) {
    const words = await this.xdotool('getwindowgeometry', '--shell', String(window));
    return names.map((name) => Number(words.match(new RegExp(`^${name}=(-?\\d+)$`, 'm'))[1]));
  }

  /** What the window tells a window manager. */
  async properties(window) {
    const { stdout } = await run('xprop', ['-id', String(window)], { env: this.environment(), maxBuffer: 1 << 24 });
    return stdout;
  }

  /** A picture of a window as it stands on the display. */
  async picture(window, path) {
    await run('import', ['-window', String(window), path], { env: this.environment() });
  }

  async close() {
    if (this.#server.exitCode !== null) return;
    this.#server.kill();
    await once(this.#server, 'exit');
  }
}
