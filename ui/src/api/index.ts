// The one client of this page.

import type { Client } from './client';
import { http } from './http';
import { tauri } from './tauri';

export { ApiError } from './client';
export type { Answer, Client, Command, ErrorCode, Handed, Request } from './client';

/** Whether this is the window, which opens no other page. */
export const inWindow = '__TAURI_INTERNALS__' in window;

export const client: Client = inWindow ? tauri : http;
