// What axe-core, the checker of WCAG rules, has to say of a page.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { root } from './bobbin.mjs';

const source = await readFile(createRequire(join(root, 'ui/package.json')).resolve('axe-core/axe.min.js'), 'utf8');

/** Fails on what is serious or worse for somebody who does not see the page, or not well; of all rules, or of those that are named. */
export async function accessible(page, rules = null) {
  // What waits for an answer is paler until it comes.
  await page.waitForFunction(() => document.querySelector('.waits') === null);
  await page.evaluate(source);
  await page.evaluate(() => Promise.allSettled(document.getAnimations().filter((one) => one instanceof CSSTransition).map((one) => one.finished)));
  const only = rules === null ? {} : { runOnly: { type: 'rule', values: rules } };
  const { violations } = await page.evaluate((only) => globalThis.axe.run(document, { resultTypes: ['violations'], ...only }), only);
  const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  const words = serious.map(({ id, help, nodes }) => `${id}: ${help}\n${nodes.map(({ target, failureSummary }) => `  ${target.join(' ')}: ${failureSummary}`).join('\n')}`);
  assert.equal(words.length, 0, words.join('\n'));
}
