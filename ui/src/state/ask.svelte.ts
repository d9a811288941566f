// A question that stays asked: again when its request changes, and again when core says that something changed.

import { untrack } from 'svelte';
import { ApiError, client, type Answer, type Command, type Request } from '../api';
import { handy, near, paced, Turn, wide } from '../api/feed';
import { live, time } from './live.svelte';
import { questions } from './questions.svelte';
import { together } from './together';

export class Asked<K extends Command> {
  /** The newest answer; kept while the next one is on its way. */
  answer: Answer<K> | null = $state.raw(null);
  /** The request that it is the answer to. */
  of: Request<K> | null = $state.raw(null);
  error: ApiError | null = $state.raw(null);
  /** Whether an answer to the present request is still to come. */
  waiting: boolean = $state(true);
}

/** Most of what is asked here follows from the address of the page. Who fills in a form knows what they typed, and is told of that alone. */
function ofAddress(error: ApiError): ApiError {
  if (error.code !== 'invalid' || error.hint !== null) return error;
  return new ApiError(error.code, error.message, 'The link may be from another version of Bobbin.');
}

/**
 * Asks `name` with what `request` gives, for as long as the component lives. `subject` says what the answer is about:
 * when it changes, the old answer is taken away at once instead of being shown until the new one is here. `byHand`: it is
 * brought about from the page.
 */
export function ask<K extends Command>(
  name: K,
  request: () => Request<K> | null,
  options: { subject?: () => unknown; cluster?: () => number | null; byHand?: boolean } = {},
): Asked<K> {
  const asked = new Asked<K>();
  const turn = new Turn();
  const key = Symbol(name);
  let present: Request<K> | null = null;
  let subject: unknown;

  async function put() {
    const request = present;
    if (request === null) return;
    const question = turn.next();
    try {
      const answer = await together.of(client.call(name, request));
      if (!turn.take(question)) return;
      asked.answer = answer;
      asked.of = request;
      asked.error = null;
    } catch (error) {
      if (!turn.take(question)) return;
      asked.error = error instanceof ApiError ? ofAddress(error) : new ApiError('internal', String(error));
    }
    if (turn.latest(question)) asked.waiting = false;
  }

  const again = paced(live.following(() => void put()), options.cluster !== undefined ? near : options.byHand === true ? handy : wide);

  let written = '';
  $effect(() => {
    const next = request();
    const nextSubject = options.subject?.();
    untrack(() => {
      const text = JSON.stringify(next);
      if (text === written && nextSubject === subject) return;
      written = text;
      present = next;
      if (nextSubject !== subject) {
        subject = nextSubject;
        asked.answer = null;
      }
      if (next === null) questions.drop(key);
      else questions.put(key, { command: name, request: text });
      asked.error = null;
      asked.waiting = next !== null;
      turn.forget();
      void put();
    });
  });

  $effect(() => {
    const stop = live.hear((change) => {
      const only = options.cluster === undefined ? null : untrack(options.cluster);
      if (change === time) again.tick();
      else if (only === null || change.cluster_ids.length === 0 || change.cluster_ids.includes(only)) again();
    }, options.cluster !== undefined);
    return () => {
      stop();
      again.stop();
      turn.forget();
      questions.drop(key);
    };
  });

  return asked;
}
