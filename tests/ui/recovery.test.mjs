// The recovery key is offered once: an answer, whichever it was, holds over a restart.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Bobbin } from './support/bobbin.mjs';
import { launch, Visitor } from './support/browser.mjs';
import { Story } from './support/story.mjs';
import { ownVisits } from './support/visit.mjs';

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

  const visit = ownVisits();
  const clusters = () => {
    const story = new Story('early', { name: 'early' });
    return [story.batch([story.cluster(), story.sample(Date.now() * 1000, { workers: 1 })])];
  };

  test('who has clusters when the page is first opened is offered it below them, until it is answered', () =>
    visit(clusters, async (visitor) => {
      const { page } = visitor;
      await page.getByText('Compute time').first().waitFor();
      await offer(page).waitFor();
      await page.getByRole('button', { name: 'No, thanks' }).click();
      await offer(page).waitFor({ state: 'detached' });
      assert.equal((await visitor.ask('keys')).recovery, 'declined');
      await page.reload();
      await page.getByText('Compute time').first().waitFor();
      await visitor.settled();
      assert.equal(await offer(page).count(), 0);
    }));

  test('a page that is paused takes the answer, too, and where the key is locked nobody is asked for it', () =>
    visit(clusters, async (visitor) => {
      const { page } = visitor;
      await offer(page).waitFor();
      await visitor.ask('lock_key');
      await offer(page).waitFor({ state: 'detached' });
      const asked = [];
      page.on('request', (request) => asked.push(new URL(request.url()).pathname));
      await page.reload();
      await page.getByText('Compute time').first().waitFor();
      await visitor.settled();
      assert.ok(asked.includes('/api/overview') && !asked.includes('/api/keys'), asked.join(' '));
      await visitor.ask('unlock_key');
      await offer(page).waitFor();
      await page.keyboard.press('p');
      await page.getByRole('button', { name: 'No, thanks' }).click();
      await offer(page).waitFor({ state: 'detached' });
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
