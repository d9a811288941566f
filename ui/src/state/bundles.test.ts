import { expect, test, vi } from 'vitest';
import type { Handed } from '../api';
import type { BundleContents } from '../generated/api';

const called = vi.hoisted(() => [] as [string, unknown][]);
/** What waits outside of the page, and tells it so; and when a store beside is open. */
const outside = vi.hoisted(() => ({ files: [] as Handed[], waits: () => {}, opens: Promise.resolve() }));

vi.mock('../api/beside', () => ({ beside: null, goBeside: () => called.push(['goBeside', null]) }));

vi.mock('../api', () => ({
  ApiError: class extends Error {},
  client: {
    call: (name: string, request: unknown) => {
      called.push([name, request]);
      return name === 'open_bundle' ? outside.opens : Promise.resolve();
    },
    onHanded: (waits: () => void) => {
      outside.waits = waits;
      waits();
    },
    // The first stays until something is decided of it.
    nextHanded: () => Promise.resolve(outside.files[0] ?? null),
  },
}));

const { bundles, mostWaiting } = await import('./bundles.svelte');

/** A file about which the answer comes when it is told to. */
function file(name: string) {
  let come = () => {};
  let fail = () => {};
  const answer = new Promise<BundleContents>((resolve, reject) => {
    come = () => resolve({ id: name } as BundleContents);
    fail = () => reject(new Error(name));
  });
  bundles.hand({ name, look: () => answer, decided: null });
  return { come: () => come(), fail: () => fail() };
}

/** A file that waits outside of the page. */
function fromOutside(name: string): Handed {
  const one: Handed = {
    name,
    look: () => Promise.resolve({ id: name } as BundleContents),
    decided: () => {
      called.push(['decided', name]);
      outside.files = outside.files.filter((other) => other !== one);
      return Promise.resolve();
    },
  };
  return one;
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
  await bundles.done();
  outside.files = [fromOutside('first'), fromOutside('second')];
  bundles.start();
  await settled();
  expect(bundles.name).toBe('first');
  // Those that wait here are lost when the page goes.
  expect(bundles.waiting).toEqual([]);
  expect(outside.files.map(({ name }) => name)).toEqual(['first', 'second']);
  outside.files.push(fromOutside('third'));
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
  outside.files.push(fromOutside('late'));
  outside.waits();
  await settled();
  expect(bundles.name).toBe('late');
});

test('a file is decided of before the page goes to its store: the page that comes is not handed it again', async () => {
  called.length = 0;
  await bundles.openBeside();
  expect(called).toEqual([
    ['open_bundle', { id: 'late' }],
    ['decided', 'late'],
    ['goBeside', null],
  ]);
});

test('a file that is closed while its store opens is not gone to, and the next one still waits for a decision', async () => {
  outside.files = [fromOutside('opening'), fromOutside('behind')];
  await bundles.done();
  await settled();
  expect(bundles.contents?.id).toBe('opening');
  called.length = 0;
  let opened = () => {};
  outside.opens = new Promise((resolve) => (opened = resolve));
  const opening = bundles.openBeside();
  await bundles.done();
  await settled();
  expect(bundles.name).toBe('behind');
  opened();
  await opening;
  expect(outside.files.map(({ name }) => name)).toEqual(['behind']);
  expect(called.map(([name]) => name)).not.toContain('goBeside');
});

test('as many files wait as may, and the others are counted until all are through', async () => {
  for (let number = 0; number < mostWaiting + 3; number++) file(`${number}`);
  expect(bundles.waiting.length).toBe(mostWaiting);
  expect(bundles.leftOut).toBe(3);
  for (let number = 0; number <= mostWaiting; number++) {
    expect(bundles.leftOut).toBe(3);
    await bundles.done();
  }
  await settled();
  expect(bundles.name).toBeNull();
  expect(bundles.leftOut).toBe(0);
});
