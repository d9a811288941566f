// The one client of this page.

import type { Client } from './client';
import { http } from './http';
import { tauri } from './tauri';

export { ApiError } from './client';
export type { Answer, Client, Command, ErrorCode, Request } from './client';

export const client: Client = '__TAURI_INTERNALS__' in window ? tauri : http;
