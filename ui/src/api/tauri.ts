// The client for the window: the same commands, inside the process.

import { invoke } from '@tauri-apps/api/core';
import { listen } from '@tauri-apps/api/event';
import type { Change } from '../generated/api';
import { apiError, type Answer, type Client, type Command, type Request } from './client';

async function call<K extends Command>(name: K, request: Request<K>): Promise<Answer<K>> {
  try {
    return await invoke<Answer<K>>('call', { name, request });
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

export const tauri: Client = { call, onChange };
