// Bundles, and files of other programs, that were handed over: looked at one after the other, until something is decided of each.

import { ApiError, client } from '../api';
import { beside, goBeside } from '../api/beside';
import { fileEnds, type BundleContents, type Identities, type Imported, type Level } from '../generated/api';

/** A file that was handed over. */
interface Handed {
  name: string;
  look: () => Promise<BundleContents>;
}

class Bundles {
  /** The file that is looked at now. */
  name: string | null = $state(null);
  contents: BundleContents | null = $state.raw(null);
  error: ApiError | null = $state.raw(null);
  taken: Imported | null = $state.raw(null);
  /** Files that wait behind it. */
  waiting: Handed[] = $state.raw([]);

  /** The bundle that this page looks at, beside the reader's store. */
  open: BundleContents | null = $state.raw(null);
  /** While the lens is made. */
  drawing: boolean = $state(false);
  openError: ApiError | null = $state.raw(null);

  /** Hears of what is opened from outside of the page. */
  start(): void {
    client.onHanded((name, look) => this.hand({ name, look }));
  }

  take(files: Iterable<File>): void {
    for (const file of files) this.hand({ name: file.name, look: () => client.offer(file) });
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
    else this.waiting = [...this.waiting, handed];
  }

  async import(): Promise<void> {
    const id = this.contents?.id;
    if (id !== undefined) await this.#try(async () => (this.taken = await client.call('import_bundle', { id })));
  }

  async openBeside(): Promise<void> {
    const id = this.contents?.id;
    if (id === undefined) return;
    await this.#try(async () => {
      await client.call('open_bundle', { id });
      goBeside(id);
    });
  }

  /** What is not kept is removed; the next file is looked at. */
  async done(): Promise<void> {
    const id = this.contents?.id;
    this.name = null;
    this.contents = null;
    this.error = null;
    this.taken = null;
    const [next, ...rest] = this.waiting;
    this.waiting = rest;
    if (next !== undefined) void this.#look(next);
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

  async #look(handed: Handed): Promise<void> {
    this.name = handed.name;
    await this.#try(async () => (this.contents = await handed.look()));
  }

  async #try(what: () => Promise<unknown>): Promise<void> {
    try {
      this.error = null;
      await what();
    } catch (error) {
      this.error = error instanceof ApiError ? error : new ApiError('internal', String(error));
    }
  }
}

export const bundles = new Bundles();
