// The one client of a report: it asks nobody. What it was not written with is not there, and is said so.

import { ApiError, type Answer, type Client, type Command, type Request } from '../api/client';
import type { FlameTable, FlameTableRequest, GraphRequest } from '../generated/api';
import { keyOf } from './answers';
import { held } from './held';
import { tableOf } from './functions';

export { ApiError } from '../api/client';
export type { Answer, Client, Command, ErrorCode, Request } from '../api/client';

export const inWindow = false;

const answers = new Map(held.answers.map(({ command, request, answer }) => [keyOf(command, request), answer]));

/** Folds are opened all at once: each by itself would be a picture of its own. */
function held_as<K extends Command>(name: K, request: Request<K>): Request<K> {
  if (name !== 'graph' || (request as GraphRequest).open.length === 0) return request;
  return { ...request, open: [], whole: true };
}

async function call<K extends Command>(name: K, request: Request<K>): Promise<Answer<K>> {
  const found = answers.get(keyOf(name, held_as(name, request)));
  if (found === undefined) throw new ApiError('not_found', 'This is not in the report', 'Open the cluster in Bobbin to see everything.');
  if (name === 'flame_table') return tableOf(found as FlameTable, request as FlameTableRequest) as Answer<K>;
  return found as Answer<K>;
}

const nowhere = () => Promise.reject(new ApiError('refused', 'A report can’t open files'));

export const client: Client = { call, offer: nowhere, save: nowhere, place: null, choose: null, onNews: () => undefined, onHanded: () => undefined, nextHanded: () => Promise.resolve(null), onChange: () => () => undefined };
