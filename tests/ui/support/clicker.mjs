// Clicks whatever can be clicked: each thing of a view once, what a click brings up before the rest, and of rows that are alike the first few.

/** Runs in the page: the next thing that was not used yet is used. What was done, or nothing: all was. */
function step({ scope, done, last, most }) {
  const words = (text) => (text ?? '').replace(/\s+/g, ' ').replace(/\d+/g, '#').trim().slice(0, 60);
  const dialog = [...document.querySelectorAll('dialog[open]')].at(-1);
  const inside = dialog ?? document.body;
  const place = dialog ? `dialog “${words(dialog.getAttribute('aria-label') ?? dialog.querySelector('h1, h2, h3')?.textContent)}”` : scope;
  const selector = 'a[href], button, summary, input, select, textarea, canvas, [role=option], [role=tab], [role=treeitem], [role=menuitem], [tabindex="0"]';
  const alike = new Map();
  const there = [];
  for (const element of inside.querySelectorAll(selector)) {
    if (element.disabled || element.readOnly || !element.checkVisibility({ visibilityProperty: true })) continue;
    const href = element.getAttribute('href');
    if (href !== null && !href.startsWith('#')) continue;
    const labels = [...(element.labels ?? [])].map((label) => label.innerText).join(' ');
    const name = words(element.getAttribute('aria-label') || labels || element.innerText || element.textContent || element.title || element.name);
    const where = dialog || element.closest('main') ? place : 'frame';
    const key = `${where}: ${element.getAttribute('role') ?? element.type ?? element.tagName.toLowerCase()} .${element.className.baseVal ?? element.className} “${name}”`;
    const list = element.closest('tr, li, article, svg, [role=row], [role=listbox]');
    const shape = `${element.tagName}.${element.getAttribute('class')} in ${list?.tagName}.${list?.parentElement?.tagName}.${list?.parentElement?.getAttribute('class')}`;
    const before = alike.get(shape) ?? 0;
    alike.set(shape, before + 1);
    if (list !== null && before >= most) continue;
    if (!done[key]) there.push({ element, key, name });
  }
  const late = ({ name }) => last.some((pattern) => new RegExp(pattern, 'i').test(name));
  there.sort((a, b) => Number(late(a)) - Number(late(b)));
  const next = there[0];
  if (next === undefined) return { dialog: dialog !== undefined, left: 0 };
  const { element, key } = next;
  const tell = (...kinds) => kinds.forEach((kind) => element.dispatchEvent(new Event(kind, { bubbles: true })));
  element.scrollIntoView({ block: 'nearest' });
  if (element instanceof SVGElement || element.tagName === 'CANVAS') {
    // What is drawn looks at where the mouse is.
    const box = element.getBoundingClientRect();
    return { key, dialog: dialog !== undefined, left: there.length - 1, point: { x: box.x + box.width / 3, y: box.y + Math.min(box.height / 2, 30) } };
  } else if (element.tagName === 'SELECT') {
    element.selectedIndex = (element.selectedIndex + 1) % element.options.length;
    tell('input', 'change');
  } else if (['text', 'search', 'number', 'date', 'textarea'].includes(element.type)) {
    element.focus();
    if (element.value === '') element.value = { number: '7', date: '2026-11-01' }[element.type] ?? 'merge';
    tell('input', 'change');
    element.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true }));
  } else {
    element.focus();
    element.click();
  }
  return { key, dialog: dialog !== undefined, left: there.length - 1 };
}

export class Clicker {
  /** `last`: what is used when nothing else is left, as patterns of names. */
  constructor(page, last = []) {
    this.page = page;
    this.last = last;
    /** What was used: where, what, and its name. */
    this.done = {};
    this.reopened = {};
    this.pending = new Set();
    const asks = (request) => !request.url().endsWith('/api/live');
    page.on('request', (request) => asks(request) && this.pending.add(request));
    for (const end of ['requestfinished', 'requestfailed']) page.on(end, (request) => this.pending.delete(request));
    page.on('domcontentloaded', () => this.pending.clear());
  }

  /** Until what was asked is answered and drawn. What takes longer goes on beside what is used next, unless a dialog works it out before it lets that be used. */
  async settled() {
    const began = Date.now();
    const drawn = () => this.page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn))));
    const works = () => this.#asked(() => document.querySelector('dialog[open] [aria-busy="true"]') !== null);
    for (;;) {
      // Some of what is clicked loads the page anew.
      await drawn().catch(() => this.page.waitForSelector('h1'));
      const working = await works();
      if (!working && this.pending.size === 0) return;
      if (Date.now() - began > (working ? 60_000 : 2_000)) return;
    }
  }

  /** Everything of the view at an address, and of what comes up over it. */
  async all(address) {
    const home = address.split('?')[0];
    const scope = home.replace(/\d+/g, '#');
    let opener;
    await this.#go(address);
    for (;;) {
      const used = await this.#asked(step, { scope, done: this.done, last: this.last, most: 2 });
      if (used.key === undefined) {
        if (!used.dialog) return;
        await this.#close();
        continue;
      }
      this.done[used.key] = true;
      if (used.point !== undefined) await this.page.mouse.click(used.point.x, used.point.y);
      await this.settled();
      const { open, hash } = await this.#asked(() => ({ open: document.querySelector('dialog[open]') !== null, hash: location.hash }));
      if (open && !used.dialog) opener = used.key;
      if (!open && used.dialog && used.left > 0) this.#again(opener);
      if (!open && !hash.startsWith(`#/1/${home}`)) await this.#go(address);
    }
  }

  /** What the page gives. One that begins to load anew meanwhile is asked once it is there. */
  async #asked(what, argument) {
    for (let patience = 3; ; patience -= 1) {
      try {
        return await this.page.evaluate(what, argument);
      } catch (error) {
        if (patience === 0 || !/context was destroyed/.test(error.message)) throw error;
        await this.page.waitForSelector('h1');
      }
    }
  }

  /** A dialog that closed is opened once more for what is left in it. */
  #again(opener) {
    this.reopened[opener] = (this.reopened[opener] ?? 0) + 1;
    if (this.reopened[opener] < 6) delete this.done[opener];
  }

  async #go(address) {
    await this.#asked((hash) => (location.hash = hash), `#/1/${address}`);
    await this.settled();
  }

  async #close() {
    await this.page.keyboard.press('Escape');
    await this.#asked(() => document.querySelectorAll('dialog[open]').forEach((dialog) => dialog.close()));
    await this.settled();
  }
}
