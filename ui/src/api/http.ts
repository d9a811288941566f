// The client for a browser: the UI door of `bobbin serve --ui`.

import type { Change } from '../generated/api';
import { ApiError, apiError, type Answer, type Client, type Command, type Request } from './client';

/** Between two attempts to hear changes again, once the browser has given up by itself. */
const againMs = 2_000;

async function call<K extends Command>(name: K, request: Request<K>): Promise<Answer<K>> {
  let response: Response;
  try {
    response = await fetch(`/api/${name}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(request),
      credentials: 'same-origin',
    });
  } catch {
    throw new ApiError('offline', 'Bobbin does not answer', 'Is `bobbin serve --ui` still running? The page goes on by itself.');
  }
  let body: unknown;
  try {
    body = await response.json();
  } catch {
    throw new ApiError('internal', `${name}: the answer (status ${response.status}) is not JSON`);
  }
  if (response.ok) return body as Answer<K>;
  const error = apiError(body, `${name}: status ${response.status}`);
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

export const http: Client = { call, onChange };
