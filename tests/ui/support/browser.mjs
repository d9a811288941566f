// Chromium, signed in, and everything that a page complains about.

import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { root } from './bobbin.mjs';

// The browser's driver is a tool of the page's package.
const { chromium } = createRequire(join(root, 'ui/package.json'))('playwright-core');

export const screenshots = join(root, 'target/screenshots');
await mkdir(screenshots, { recursive: true });

export async function launch(options = {}) {
  return chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', ...options });
}

/** One signed-in browser on one Bobbin. */
export class Visitor {
  static async enter(browser, bobbin, options = {}) {
    const visitor = new Visitor();
    visitor.origin = bobbin.origin;
    visitor.context = await browser.newContext({ viewport: { width: 1280, height: 800 }, timezoneId: 'UTC', ...options });
    visitor.complaints = [];
    visitor.asked = new Set();
    const hear = (what) => visitor.complaints.push(what);
    await visitor.context.exposeFunction('tellViolation', (text) => hear(`policy: ${text}`));
    await visitor.context.addInitScript(() => {
      document.addEventListener('securitypolicyviolation', (event) =>
        window.tellViolation(`${event.effectiveDirective} ${event.blockedURI} ${event.sample}`),
      );
    });
    visitor.context.on('page', (page) => {
      // Answers with an error are told once and by their address: the browser may say all those of before again.
      const answered = 'Failed to load resource: the server responded with';
      page.on('console', (message) => ['error', 'warning'].includes(message.type()) && !message.text().startsWith(answered) && hear(`console: ${message.text()}`));
      page.on('response', (response) => response.status() >= 400 && hear(`${new URL(response.url()).pathname}: the server responded with a status of ${response.status()}`));
      page.on('pageerror', (error) => hear(`error: ${error.stack}`));
      page.on('dialog', (dialog) => hear(`dialog: ${dialog.message()}`));
      page.on('request', (request) => {
        if (!request.url().startsWith(visitor.origin)) hear(`request to ${request.url()}`);
        // What a page asked goes with it.
        if (request.isNavigationRequest()) visitor.asked.clear();
        if (request.method() === 'POST') visitor.asked.add(request);
      });
      for (const over of ['requestfinished', 'requestfailed']) page.on(over, (request) => visitor.asked.delete(request));
    });
    visitor.page = await visitor.context.newPage();
    await visitor.page.goto(bobbin.listening.ui);
    await visitor.page.waitForSelector('h1');
    return visitor;
  }

  /** What the door answers to the same question that the page asks. */
  async ask(command, request = {}) {
    const response = await this.context.request.post(`${this.origin}/api/${command}`, {
      data: request,
      headers: { origin: this.origin, 'content-type': 'application/json' },
    });
    const body = await response.json();
    assert.equal(response.status(), 200, JSON.stringify(body));
    return body;
  }

  /** Goes to an address of the page and waits until what it shows is there. */
  async go(address, wait = 'h1') {
    await this.page.goto(`${this.origin}/#/1/${address}`);
    await this.page.waitForSelector(wait);
    await this.drawn();
  }

  /**
   * Waits until all that the page asked is answered and drawn. The browser's own word for an idle network is of no use for that: it is said
   * once, when the page is loaded, and another address of the page loads nothing.
   */
  async settled() {
    await until(async () => this.asked.size === 0 && (await frame(this.page)) && this.asked.size === 0, 30_000);
  }

  /** Chromium may stop to draw a page whose window changed its size: nothing can be clicked then, until it changes again. */
  async drawn() {
    if (await frame(this.page)) return;
    const { width, height } = this.page.viewportSize();
    await this.page.setViewportSize({ width, height: height + 1 });
    await this.page.setViewportSize({ width, height });
    assert.ok(await frame(this.page), 'the browser draws no more');
  }

  /** Answers to a command are late, all of them or those to some requests, until what this gives is called. */
  async late(command, which = () => true) {
    let letGo;
    const gate = new Promise((resolve) => (letGo = resolve));
    const held = new Set();
    const hold = (route) => {
      const going = (which(route.request().postDataJSON()) ? gate : Promise.resolve()).then(() => route.continue());
      held.add(going);
      return going.finally(() => held.delete(going));
    };
    const address = `**/api/${command}`;
    await this.page.route(address, hold);
    return async () => {
      letGo();
      // What is taken away while it holds is continued by the browser, and then once more.
      await Promise.all(held);
      await this.page.unroute(address, hold);
    };
  }

  /** Nothing was complained about so far. */
  quiet() {
    assert.deepEqual(this.complaints, []);
  }

  async shot(name, theme, options = {}) {
    await this.page.emulateMedia({ colorScheme: theme });
    // The bar that stays in sight would be drawn across the middle of a whole page.
    if (options.fullPage) await this.page.evaluate(() => scrollTo(0, 0));
    await this.page.screenshot({ path: join(screenshots, `page-${name}.png`), animations: 'disabled', ...options });
  }
}

/** Whether the page is given a frame soon. */
const frame = (page) =>
  page.evaluate(
    () =>
      new Promise((given) => {
        requestAnimationFrame(() => given(true));
        setTimeout(() => given(false), 5_000);
      }),
  );

/** Waits until `f` gives something true; what it threw last is what is told. */
export async function until(f, ms = 15_000) {
  const end = Date.now() + ms;
  for (;;) {
    try {
      const value = await f();
      if (value) return value;
      if (Date.now() > end) assert.fail(`still ${JSON.stringify(value)} after ${ms} ms: ${f}`);
    } catch (error) {
      if (Date.now() > end) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
