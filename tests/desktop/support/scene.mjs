// What the tests of a file happen on: one display for all of them, and for each a folder; a desktop where it opens one, and what
// it starts, which ends with it.

import { after, afterEach, before, beforeEach } from 'node:test';
import { desktop, Folder, Process, shell } from './bobbin.mjs';
import { Desk } from './desk.mjs';
import { Display } from './display.mjs';
import { Session } from './driver.mjs';
import { until } from './wait.mjs';

export class Scene {
  #open = [];

  /** For the tests of the file that asks. */
  static for_each_test() {
    const scene = new Scene();
    before(async () => (scene.display = await Display.open()));
    after(() => scene.display.close());
    beforeEach(async () => (scene.folder = await Folder.make()));
    afterEach(() => scene.#clear());
    return scene;
  }

  async #clear() {
    await this.close_page();
    for (const process of this.#open.splice(0).reverse()) await process.kill();
    await this.desk?.close();
    this.desk = undefined;
    await this.folder.remove();
  }

  /** A session bus with what shows notices, and a tray unless it is to come later or never. */
  async open_desk(options) {
    this.desk = await Desk.open(options);
  }

  environment(more = {}) {
    const bus = this.desk && { DBUS_SESSION_BUS_ADDRESS: this.desk.address };
    return this.display.environment({ ...this.folder.environment, ...bus, ...more });
  }

  start(binary, args, environment = this.environment()) {
    const process = new Process(binary, args, environment);
    this.#open.push(process);
    return process;
  }

  /** Bobbin with a window, on the folder of this test. */
  start_window(...more) {
    return this.start(desktop, [...this.folder.args, ...more]);
  }

  /** Bobbin in the tray, as a session starts it. */
  start_tray(...more) {
    return this.start(shell, ['tray', ...this.folder.args, ...more]);
  }

  /** The windows of Bobbin, and its dialogs about failures. */
  windows() {
    return this.display.windows('^Bobbin$');
  }

  /** The window of a process, once there is one. */
  window_of(process) {
    return until(
      'the window',
      async () => {
        if (!process.is_running()) throw new Error(process.words);
        return (await this.windows())[0];
      },
      { seconds: 60 },
    );
  }

  /** Bobbin with a window whose page is driven. */
  async open_page(...more) {
    this.page = await Session.start({ environment: this.environment(), binary: desktop, args: [...this.folder.args, ...more] });
    await until('the page', async () => (await this.page.text()).length > 0, { seconds: 60 });
    return this.page;
  }

  async close_page() {
    await this.page?.stop();
    this.page = undefined;
  }
}
