import { expect, test, vi } from 'vitest';
import type { Handed } from '../api';
import type { BundleContents } from '../generated/api';

const called = vi.hoisted(() => [] as [string, unknown][]);
/** What waits outside of the page, and tells it so. */
const outside = vi.hoisted(() => ({ files: [] as Handed[], waits: () => {} }));

vi.mock('../api', () => ({
  ApiError: class extends Error {},
  client: {
    call: (name: string, request: unknown) => {
      called.push([name, request]);
      return Promise.resolve();
    },
    onHanded: (waits: () => void) => {
      outside.waits = waits;
      waits();
    },
    nextHanded: () => Promise.resolve(outside.files.shift() ?? null),
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

test('files from outside of the page are asked for one by one, and those behind the present one stay there', async () => {
  const one = (name: string) => ({ name, look: () => Promise.resolve({ id: name } as BundleContents) });
  await bundles.done();
  outside.files = [one('first'), one('second')];
  bundles.start();
  await settled();
  expect(bundles.name).toBe('first');
  // As many wait here as are lost when the page goes.
  expect(bundles.waiting).toEqual([]);
  expect(outside.files.map(({ name }) => name)).toEqual(['second']);
  outside.files.push(one('third'));
  outside.waits();
  await settled();
  expect(bundles.name).toBe('first');
  for (const name of ['second', 'third']) {
    await bundles.done();
    await settled();
    expect(bundles.contents?.id).toBe(name);
  }
  await bundles.done();
  await settled();
  expect(bundles.name).toBeNull();
});

test('a file that comes while the last answer is on its way is asked for, too', async () => {
  outside.waits();
  // The answer to this question is that none waits.
  outside.files.push({ name: 'late', look: () => Promise.resolve({ id: 'late' } as BundleContents) });
  outside.waits();
  await settled();
  expect(bundles.name).toBe('late');
});
