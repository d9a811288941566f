// What the page can ask, whatever stands behind it: the window's own process or the UI door.

import type { BundleContents, Change, Code, Commands, Saved, SaveRequest } from '../generated/api';

export type Command = keyof Commands;
export type Answer<K extends Command> = Commands[K]['answer'];
export type Request<K extends Command> = Commands[K]['request'];

/** A file that was handed over, and how one looks at it. */
export interface Handed {
  name: string;
  look: () => Promise<BundleContents>;
  /** Says that something was decided of it. Until then, a page that is loaded anew is handed it again; null where it came with the page and is gone with it. */
  decided: (() => Promise<void>) | null;
}

export interface Client {
  /** Fails with an [`ApiError`] and nothing else. */
  call<K extends Command>(name: K, request: Request<K>): Promise<Answer<K>>;
  /** Hands a file over to be looked at; nothing of it is stored. Fails with an [`ApiError`] that says why it is no bundle. */
  offer(file: File): Promise<BundleContents>;
  /** Asks the reader where a file of this name is to be; null where they do not say. Null itself in a browser, which asks by itself. */
  place: ((name: string) => Promise<string | null>) | null;
  /** Saves what is shown as a file; null where the reader thought better of it. */
  save(request: SaveRequest): Promise<Saved | null>;
  /** `waits` is called when a file is opened from outside of the page, such as by a double click, and at once: one may have come before the page. */
  onHanded(waits: () => void): void;
  /** The next of these files; null where none waits. Those that nothing was decided of outlive the page. */
  nextHanded(): Promise<Handed | null>;
  /** `news` is called when clusters came, went or changed their state, also while no change is heard of; never in a browser. */
  onNews(news: () => void): void;
  /** Lets the reader choose a bundle; null in a browser, where the page does. */
  choose: (() => void) | null;
  /** `changed` is called after each commit; `linked` when contact is lost (false) and made (true). Gives the way to stop. */
  onChange(changed: (change: Change) => void, linked?: (up: boolean) => void): () => void;
}

/** `offline`: nobody answered. `signed_out`: somebody answered, and does not know this browser. */
export type ErrorCode = Code | 'offline' | 'signed_out';

export class ApiError extends Error {
  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly hint: string | null = null,
  ) {
    super(message);
    this.name = 'ApiError';
  }
}

const codes: Record<Code, true> = {
  invalid: true,
  too_large: true,
  not_found: true,
  refused: true,
  busy: true,
  disk_full: true,
  store: true,
  internal: true,
};

/** Reads the error shape that every door uses: `{"code","message","hint"}`. */
export function apiError(body: unknown, otherwise: string): ApiError {
  if (typeof body === 'object' && body !== null && 'code' in body && 'message' in body) {
    const code = String(body.code);
    const hint = 'hint' in body && body.hint != null ? String(body.hint) : null;
    return new ApiError(Object.hasOwn(codes, code) ? (code as Code) : 'internal', String(body.message), hint);
  }
  return new ApiError('internal', otherwise);
}

/** Commands on bundles themselves, which the reader's own Bobbin answers whatever the page looks at. */
const own: Command[] = ['bundle_contents', 'import_bundle', 'open_bundle', 'close_bundle', 'lens'];

/** Whether a command is about the bundle that is open beside the store. */
export function isBeside(name: Command): boolean {
  return !own.includes(name);
}
