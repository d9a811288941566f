import { afterEach, expect, test, vi } from 'vitest';
import { ApiError, apiError } from './client';
import { http } from './http';

afterEach(() => vi.unstubAllGlobals());

test('an error keeps its code, its words and its hint', () => {
  expect(apiError({ code: 'disk_full', message: 'the disk is full', hint: 'free some' }, '')).toMatchObject({
    code: 'disk_full',
    message: 'the disk is full',
    hint: 'free some',
  });
  expect(apiError({ code: 'constructor', message: 'odd' }, '')).toMatchObject({ code: 'internal', hint: null });
  expect(apiError('a string', 'status 500')).toMatchObject({ code: 'internal', message: 'status 500' });
});

function answer(status: number, body: string) {
  vi.stubGlobal('fetch', async () => new Response(body, { status }));
}

test('answers and refusals of the door', async () => {
  answer(200, '{"clusters":3}');
  expect(await http.call('status', {})).toEqual({ clusters: 3 });
  answer(404, '{"code":"not_found","message":"there is no cluster 7","hint":null}');
  await expect(http.call('cluster', { id: 7 })).rejects.toMatchObject({ code: 'not_found' });
  answer(401, '{"code":"not_signed_in","message":"this browser is not signed in","hint":"open the link"}');
  await expect(http.call('status', {})).rejects.toMatchObject({ code: 'signed_out', hint: 'open the link' });
  answer(502, '<html>');
  await expect(http.call('status', {})).rejects.toMatchObject({ code: 'internal' });
});

test('nobody there is said as such', async () => {
  vi.stubGlobal('fetch', async () => {
    throw new TypeError('failed');
  });
  await expect(http.call('status', {})).rejects.toBeInstanceOf(ApiError);
  await expect(http.call('status', {})).rejects.toMatchObject({ code: 'offline' });
});

test('changes are heard, and what was missed while away is asked for', () => {
  const sources: FakeSource[] = [];
  class FakeSource extends EventTarget {
    static readonly CLOSED = 2;
    readyState = 0;
    constructor() {
      super();
      sources.push(this);
    }
    close() {}
  }
  vi.stubGlobal('EventSource', FakeSource);
  const heard: unknown[] = [];
  http.onChange(
    (change) => heard.push(change.cluster_ids),
    (up) => heard.push(up),
  );
  const source = sources[0]!;
  source.dispatchEvent(new Event('open'));
  source.dispatchEvent(new MessageEvent('change', { data: '{"revision":4,"cluster_ids":[7]}' }));
  source.dispatchEvent(new Event('error'));
  source.dispatchEvent(new Event('open'));
  expect(heard).toEqual([true, [7], false, true, []]);
});
