// The recovery key is offered once: an answer, whichever it was, holds over a restart.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Bobbin } from './support/bobbin.mjs';
import { launch, Visitor } from './support/browser.mjs';

let browser;
before(async () => (browser = await launch()));
after(() => browser?.close());

const offer = (page) => page.getByRole('heading', { name: 'Keep a recovery key' });

/** Opens the first page and waits until all of it was answered. */
async function enter(bobbin) {
  const visitor = await Visitor.enter(browser, bobbin);
  await visitor.page.getByText('Waiting for the first report').waitFor();
  return visitor;
}

async function answered_once(answer) {
  const bobbin = await Bobbin.start();
  try {
    const first = await enter(bobbin);
    await offer(first.page).waitFor();
    await answer(first);
    await offer(first.page).waitFor({ state: 'detached' });
    first.quiet();
    await first.context.close();
    await bobbin.restart();
    const second = await enter(bobbin);
    const { state, recovery } = await second.ask('keys');
    assert.equal(state, 'open');
    assert.notEqual(recovery, 'open');
    assert.equal(await offer(second.page).count(), 0);
    second.quiet();
    await second.context.close();
    return recovery;
  } finally {
    await bobbin.remove();
  }
}

describe('the offer of a recovery key', () => {
  test('declined, it does not come again', () => answered_once(({ page }) => page.getByRole('button', { name: 'No, thanks' }).click()));

  test('shown, the key is not shown again, nor offered', () =>
    answered_once(async ({ page }) => {
      await page.getByRole('button', { name: 'Show recovery key' }).click();
      await page.getByText(/AGE-SECRET-KEY-1/).first().waitFor();
      await page.getByRole('button', { name: 'I saved it, hide it' }).click();
    }));

  test('not answered, it comes again', async () => {
    const bobbin = await Bobbin.start();
    try {
      const first = await enter(bobbin);
      await offer(first.page).waitFor();
      await first.context.close();
      await bobbin.restart();
      const second = await enter(bobbin);
      await offer(second.page).waitFor();
      await second.context.close();
    } finally {
      await bobbin.remove();
    }
  });
});
