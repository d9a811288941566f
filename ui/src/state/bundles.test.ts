import { expect, test, vi } from 'vitest';
import type { BundleContents } from '../generated/api';

const called = vi.hoisted(() => [] as [string, unknown][]);

vi.mock('../api', () => ({
  ApiError: class extends Error {},
  client: {
    call: (name: string, request: unknown) => {
      called.push([name, request]);
      return Promise.resolve();
    },
  },
}));

const { bundles } = await import('./bundles.svelte');

/** A file about which the answer comes when it is told to. */
function file(name: string) {
  let come = () => {};
  let fail = () => {};
  const answer = new Promise<BundleContents>((resolve, reject) => {
    come = () => resolve({ id: name } as BundleContents);
    fail = () => reject(new Error(name));
  });
  bundles.hand({ name, look: () => answer });
  return { come: () => come(), fail: () => fail() };
}

const settled = () => new Promise((resolve) => setTimeout(resolve));

test('a file that was closed before its answer came is let go, and not shown in the place of the next', async () => {
  const [first, second, third] = [file('first'), file('second'), file('third')];
  expect(bundles.name).toBe('first');
  await bundles.done();
  expect(bundles.name).toBe('second');
  await bundles.done();
  expect(bundles.name).toBe('third');
  third.come();
  first.come();
  second.fail();
  await settled();
  expect(bundles.contents?.id).toBe('third');
  expect(bundles.error).toBeNull();
  expect(called).toEqual([['close_bundle', { id: 'first' }]]);
});
