// The visits that tests share: a Bobbin that was told something, and a visitor who looks at it.

import { after, before } from 'node:test';
import { Bobbin } from './bobbin.mjs';
import { launch, Visitor } from './browser.mjs';

/**
 * One Bobbin and one visitor for all tests of a file, or of a `describe`. `tell` has the Bobbin before anybody enters; `met` takes both,
 * and the page.
 */
export function sharedVisit({ args = [], tell, options, met }) {
  let browser, bobbin, visitor;
  before(async () => {
    browser = await launch();
    bobbin = await Bobbin.start(...args);
    await tell?.(bobbin);
    visitor = await Visitor.enter(browser, bobbin, options);
    await met({ bobbin, visitor, page: visitor.page });
  });
  after(async () => {
    await visitor?.context.close();
    await bobbin?.remove();
    await browser?.close();
  });
}

/** A Bobbin of its own for each test that calls what this gives: it is told `batches()`, and nobody may complain while they `look`. */
export function ownVisits(options) {
  let browser;
  before(async () => {
    browser = await launch();
  });
  after(() => browser?.close());
  return async (batches, look) => {
    const bobbin = await Bobbin.start();
    try {
      for (const batch of batches()) await bobbin.post(batch);
      const visitor = await Visitor.enter(browser, bobbin, options);
      await look(visitor, bobbin);
      visitor.quiet();
      await visitor.context.close();
    } finally {
      await bobbin.remove();
    }
  };
}
