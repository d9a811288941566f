// A desktop of the test's own: a session bus, a tray and a service for notices on it, and a person who clicks.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { until } from './wait.mjs';

const service = new URL('bus.py', import.meta.url).pathname;

export class Desk {
  #bus;
  #service;
  #answers = [];
  /** What happened on the bus, oldest first. */
  happened = [];

  /** A bus with a service for notices, and with a tray unless it is to come later or never. */
  static async open({ tray = true } = {}) {
    const desk = new Desk();
    desk.#bus = spawn('dbus-daemon', ['--session', '--nofork', '--print-address'], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [address] = await once(desk.#bus.stdout, 'data');
    desk.address = String(address).trim();
    desk.#service = spawn('/usr/bin/python3', [service], {
      env: { ...process.env, DBUS_SESSION_BUS_ADDRESS: desk.address },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    createInterface({ input: desk.#service.stdout }).on('line', (line) => {
      const said = JSON.parse(line);
      if ('event' in said) desk.happened.push(said);
      else desk.#answers.shift()(said);
    });
    await until('the desktop', () => desk.happened.length > 0);
    if (tray) await desk.ask('tray');
    return desk;
  }

  /** Has something done, one after the other. */
  async ask(what, more = {}) {
    const answered = new Promise((resolve) => this.#answers.push(resolve));
    this.#service.stdin.write(`${JSON.stringify({ do: what, ...more })}\n`);
    const { answer, error } = await answered;
    if (error !== undefined) throw new Error(error);
    return answer;
  }

  notices() {
    return this.happened.filter(({ event }) => event === 'notice');
  }

  /** The icon, once there is one. */
  item() {
    return until('an icon in the tray', async () => (await this.ask('items')).length > 0 && this.ask('item'), { seconds: 60 });
  }

  async close() {
    this.#service.stdin.end();
    if (this.#service.exitCode === null) await once(this.#service, 'exit');
    this.#bus.kill();
    if (this.#bus.exitCode === null && this.#bus.signalCode === null) await once(this.#bus, 'exit');
  }
}
