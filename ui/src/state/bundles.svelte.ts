// Bundles, and files of other programs, that were handed over: looked at one after the other, until something is decided of each.

import { tick } from 'svelte';
import { ApiError, client, type Handed } from '../api';
import { beside, goBeside } from '../api/beside';
import { fileEnds, type BundleContents, type Identities, type Imported, type Level } from '../generated/api';

/** Files that wait in a page at most, as many as wait outside of it: nobody looks at more of them, one after the other. */
export const mostWaiting = 100;

class Bundles {
  /** The file that is looked at now. */
  name: string | null = $state(null);
  contents: BundleContents | null = $state.raw(null);
  error: ApiError | null = $state.raw(null);
  taken: Imported | null = $state.raw(null);
  /** Files that wait behind it in this page, and are gone with it. */
  waiting: Handed[] = $state.raw([]);
  /** Files that were too many to wait, too. */
  leftOut: number = $state(0);
  /** Whether a file may wait outside of the page: it is asked for when nothing else is looked at. */
  #outside = false;
  #asking = false;
  /** What is looked at now: an answer about another file comes too late to be shown. */
  #present: Handed | null = null;

  /** The bundle that this page looks at, beside the reader's store. */
  open: BundleContents | null = $state.raw(null);
  /** While the lens is made. */
  drawing: boolean = $state(false);
  openError: ApiError | null = $state.raw(null);

  /** Hears of what is opened from outside of the page. */
  start(): void {
    client.onHanded(() => {
      this.#outside = true;
      void this.#next();
    });
  }

  take(files: Iterable<File>): void {
    for (const file of files) this.hand({ name: file.name, look: () => client.offer(file), decided: null });
  }

  /** Lets the reader choose a file. */
  choose(): void {
    if (client.choose !== null) return client.choose();
    const input = document.createElement('input');
    input.type = 'file';
    input.accept = fileEnds.join(',');
    input.multiple = true;
    input.addEventListener('change', () => this.take(input.files ?? []));
    input.click();
  }

  hand(handed: Handed): void {
    if (this.name === null) void this.#look(handed);
    else if (this.waiting.length < mostWaiting) this.waiting = [...this.waiting, handed];
    else this.leftOut += 1;
  }

  async import(): Promise<void> {
    const id = this.contents?.id;
    if (id === undefined) return;
    const present = this.#present;
    await this.#try(async () => {
      const taken = await client.call('import_bundle', { id });
      await present?.decided?.();
      if (this.#present === present) this.taken = taken;
    });
  }

  async openBeside(): Promise<void> {
    const id = this.contents?.id;
    if (id === undefined) return;
    const present = this.#present;
    await this.#try(async () => {
      await client.call('open_bundle', { id });
      // It was closed meanwhile: what is looked at by then is another.
      if (this.#present !== present) return;
      await present?.decided?.();
      goBeside(id);
    });
  }

  /** What is not kept is removed; the next file is looked at. */
  async done(): Promise<void> {
    const id = this.contents?.id;
    const present = this.#present;
    this.#present = null;
    // Before another is asked for, or this one would come again.
    await present?.decided?.();
    this.name = null;
    this.contents = null;
    this.error = null;
    this.taken = null;
    // Its dialog goes first: a dialog that was closed does not open again for the next file.
    await tick();
    void this.#next();
    if (id !== undefined && id !== beside) await client.call('close_bundle', { id }).catch(() => undefined);
  }

  /** Draws the whole app as a share of this level is seen by whom it would be for, from the newest clusters or behind so many; without a level, as it is. */
  async lens(level: Level | null, offset = 0, destination = this.open?.lens?.destination ?? null, identities: Identities = this.open?.choice.identities ?? 'aliases'): Promise<void> {
    if (this.drawing) return;
    this.drawing = true;
    await this.#try(async () => {
      if (level === null) return this.closeOpen();
      const { id } = await client.call('lens', { choice: { level, identities }, destination, offset });
      if (beside !== null) await client.call('close_bundle', { id: beside });
      goBeside(id);
    });
    if (this.error !== null) [this.openError, this.error] = [this.error, null];
    this.drawing = false;
  }

  /** What this page looks at, where that is a bundle. */
  async about(): Promise<void> {
    if (beside === null) return;
    try {
      this.open = await client.call('bundle_contents', { id: beside });
    } catch (error) {
      this.openError = error as ApiError;
    }
  }

  async closeOpen(): Promise<void> {
    if (beside === null) return;
    await client.call('close_bundle', { id: beside }).catch(() => undefined);
    goBeside(null);
  }

  async #next(): Promise<void> {
    if (this.name !== null) return;
    const [next, ...rest] = this.waiting;
    if (next !== undefined) {
      this.waiting = rest;
      return this.#look(next);
    }
    this.leftOut = 0;
    if (!this.#outside || this.#asking) return;
    this.#outside = false;
    this.#asking = true;
    const handed = await client.nextHanded().catch((error: ApiError): Handed => ({ name: 'the file', look: () => Promise.reject(error), decided: null }));
    this.#asking = false;
    // Another may have come meanwhile.
    if (handed === null) return this.#next();
    this.#outside = true;
    this.hand(handed);
  }

  async #look(handed: Handed): Promise<void> {
    this.#present = handed;
    this.name = handed.name;
    await this.#try(async () => {
      const contents = await handed.look();
      if (this.#present === handed) this.contents = contents;
      // It was closed meanwhile, so nobody decides of it.
      else await client.call('close_bundle', { id: contents.id });
    });
  }

  async #try(what: () => Promise<unknown>): Promise<void> {
    const present = this.#present;
    try {
      this.error = null;
      await what();
    } catch (error) {
      if (this.#present === present) this.error = error instanceof ApiError ? error : new ApiError('internal', String(error));
    }
  }
}

export const bundles = new Bundles();
