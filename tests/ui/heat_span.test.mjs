// Rows by span: what a cluster used is divided among its spans, in the heat-map, in what is chosen of it, and in the table of costs.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { accessible } from './support/axe.mjs';
import { until } from './support/browser.mjs';
import { busy, weeks } from './support/story.mjs';
import { sharedVisit } from './support/visit.mjs';

const themes = ['light', 'dark'];

describe('spans', () => {
  let visitor, page;
  sharedVisit({
    tell: async (bobbin) => {
      const now = Date.now() * 1000;
      for (const batch of [...weeks(9, now), ...busy(now).batches]) await bobbin.post(batch);
    },
    met: (there) => ({ visitor, page } = there),
  });

  const rows = () => page.locator('.labels .row').allInnerTexts();
  const value = (key) => page.locator(`[data-figure=${key}] [data-value]`).innerText();

  test('are rows of the heat-map, beside what ran in none', async () => {
    await visitor.go('overview', 'svg.cells');
    await page.getByRole('combobox', { name: 'Rows' }).selectOption('span');
    await page.locator('#heat-title').getByText('Compute time by span and day').waitFor();
    await page.waitForURL(/by=span/);
    await until(async () => (await rows()).toSorted().join() === ['default › join', 'default › load', 'no span'].join());
    for (const theme of themes) await visitor.shot(`heat-span-${theme}`, theme, { fullPage: true });
    await accessible(page);
  });

  test('chosen, count for their part of the cluster', async () => {
    await visitor.go('overview?by=span', 'svg.cells');
    const [all, threads] = [await value('clusters'), await value('thread_seconds')];
    await page.locator('.labels .row', { hasText: 'default › join' }).click();
    await until(async () => (await value('clusters')) === '1');
    assert.notEqual(all, '1');
    assert.notEqual(await value('thread_seconds'), threads);
    await page.getByRole('button', { name: 'Remove filter: default › join' }).waitFor();
    const names = page.locator('section.list tbody tr td:first-child');
    await until(async () => (await names.allInnerTexts()).join() === 'nightly 2026-11-20');
    const whole = await visitor.ask('overview', { by: 'name', cells: [{ row: 'nightly 2026-11-20', from_micros: 0, to_micros: Date.now() * 1000 }].map((cell) => ({ ...cell, from_micros: cell.to_micros - 28 * 86_400_000_000 })) });
    const of = async (row) => (await visitor.ask('overview', { by: 'span', cells: [{ row, from_micros: whole.from_micros, to_micros: whole.to_micros }] })).period.thread_seconds;
    const [join, load] = [await of('default › join'), await of('default › load')];
    assert.ok(join > 0 && load > 0);
    assert.ok(Math.abs(join + load - whole.period.thread_seconds) < 1e-3, `${join} + ${load} of ${whole.period.thread_seconds}`);
    await page.keyboard.press('Escape');
  });

  test('are rows of the costs', async () => {
    await visitor.go('costs?by=span', 'tbody tr');
    await page.getByRole('region', { name: 'Costs by Span' }).waitFor();
    await page.getByRole('cell', { name: 'default › join' }).waitFor();
    await page.getByRole('cell', { name: 'no span' }).waitFor();
    visitor.quiet();
  });
});
