// The client for a browser: the UI door of `bobbin serve --ui`.

import type { BundleContents, Change, Saved, SaveRequest } from '../generated/api';
import { beside } from './beside';
import { ApiError, apiError, isBeside, type Answer, type Client, type Command, type Request } from './client';
import { download } from './download';

/** Between two attempts to hear changes again, once the browser has given up by itself. */
const againMs = 2_000;

async function call<K extends Command>(name: K, request: Request<K>): Promise<Answer<K>> {
  const query = beside !== null && isBeside(name) ? `?beside=${beside}` : '';
  return (await post(name, query, 'application/json', JSON.stringify(request))) as Answer<K>;
}

async function offer(file: File): Promise<BundleContents> {
  return (await post('offer_bundle', `?name=${encodeURIComponent(file.name)}`, 'application/octet-stream', file)) as BundleContents;
}

/** The door makes the file; the browser asks where it is to be, or has its own folder for it. */
async function save(request: SaveRequest): Promise<Saved> {
  const query = beside !== null ? `?beside=${beside}` : '';
  const response = await send('save', query, 'application/json', JSON.stringify(request));
  if (!response.ok) await read('save', response);
  const saved = JSON.parse(response.headers.get('bobbin-saved') ?? 'null') as Saved | null;
  if (saved === null) throw new ApiError('internal', 'save: the answer does not say what it is');
  download(saved.name, await response.blob());
  return saved;
}

async function post(name: string, query: string, type: string, body: BodyInit): Promise<unknown> {
  return read(name, await send(name, query, type, body));
}

async function send(name: string, query: string, type: string, body: BodyInit): Promise<Response> {
  try {
    return await fetch(`/api/${name}${query}`, { method: 'POST', headers: { 'content-type': type }, body, credentials: 'same-origin' });
  } catch {
    throw new ApiError('offline', 'Bobbin does not answer', 'Is `bobbin serve --ui` still running? The page goes on by itself.');
  }
}

async function read(name: string, response: Response): Promise<unknown> {
  let said: unknown;
  try {
    said = await response.json();
  } catch {
    throw new ApiError('internal', `${name}: the answer (status ${response.status}) is not JSON`);
  }
  if (response.ok) return said;
  const error = apiError(said, `${name}: status ${response.status}`);
  // The door's own refusals have no code of core's.
  if (response.status === 401) throw new ApiError('signed_out', error.message, error.hint);
  if (response.status === 403) throw new ApiError('refused', error.message, error.hint);
  throw error;
}

function onChange(changed: (change: Change) => void, linked?: (up: boolean) => void): () => void {
  let source: EventSource;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let wasDown = false;

  function listen() {
    source = new EventSource('/api/live');
    source.addEventListener('open', () => {
      linked?.(true);
      // Whatever changed in between is unknown: everything may have.
      if (wasDown) changed({ revision: 0, cluster_ids: [] });
      wasDown = false;
    });
    source.addEventListener('change', (event) => changed(JSON.parse(event.data) as Change));
    source.addEventListener('error', () => {
      wasDown = true;
      linked?.(false);
      if (source.readyState === EventSource.CLOSED) retry = setTimeout(listen, againMs);
    });
  }

  listen();
  return () => {
    clearTimeout(retry);
    source.close();
  };
}

export const http: Client = { call, offer, onChange, save, place: null, choose: null, onNews: () => undefined, onHanded: () => undefined, nextHanded: () => Promise.resolve(null) };
