// The client for the window: the same commands, inside the process.

import { invoke } from '@tauri-apps/api/core';
import { listen } from '@tauri-apps/api/event';
import type { BundleContents, Change, Saved, SaveRequest } from '../generated/api';
import { beside } from './beside';
import { ApiError, apiError, isBeside, type Answer, type Client, type Command, type Handed, type Request } from './client';

async function call<K extends Command>(name: K, request: Request<K>): Promise<Answer<K>> {
  try {
    return await invoke<Answer<K>>('call', { name, request, beside: isBeside(name) ? beside : null });
  } catch (error) {
    throw apiError(error, `${name}: ${String(error)}`);
  }
}

function onChange(changed: (change: Change) => void, linked?: (up: boolean) => void): () => void {
  let stopped = false;
  let stop: (() => void) | undefined;
  void listen<Change>('change', (event) => changed(event.payload)).then((unlisten) => {
    if (stopped) unlisten();
    else {
      stop = unlisten;
      linked?.(true);
    }
  });
  return () => {
    stopped = true;
    stop?.();
  };
}

function onNews(news: () => void): void {
  void listen('news', () => news());
}

/** The window's own process reads files: the page hands over none of its own. */
function offer(file: File): Promise<BundleContents> {
  return Promise.reject(new ApiError('refused', `${file.name} did not come from the window`, 'Drop it on the window, or open it with Bobbin.'));
}

/** What the window looked at, or why it did not. */
interface Looked {
  number: number;
  name: string;
  contents: BundleContents | null;
  error: unknown;
}

function onHanded(waits: () => void): void {
  void listen('handed', () => waits()).then(waits);
}

async function nextHanded(): Promise<Handed | null> {
  try {
    const one = await invoke<Looked | null>('handed');
    if (one === null) return null;
    return {
      name: one.name,
      look: () => (one.contents === null ? Promise.reject(apiError(one.error, one.name)) : Promise.resolve(one.contents)),
      // Where that is not heard, it is handed again.
      decided: () => invoke<void>('decided', { number: one.number }).catch(() => undefined),
    };
  } catch (error) {
    throw apiError(error, `handed: ${String(error)}`);
  }
}

/** The window's own process makes the file, and asks where it is to be. */
async function save(request: SaveRequest): Promise<Saved | null> {
  try {
    return await invoke<Saved | null>('save', { request, beside });
  } catch (error) {
    throw apiError(error, `save: ${String(error)}`);
  }
}

const place = (name: string) => invoke<string | null>('choose_place', { name });
const choose = () => void invoke('choose_bundle');

export const tauri: Client = { call, offer, onChange, onNews, onHanded, nextHanded, save, place, choose };
