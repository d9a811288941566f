// The overview, its heat-map in all forms, the price book and what a cluster cost: pictures for people to look at.

import { test } from 'node:test';
import { busy, idle, lost, past, stalled, Story, weeks } from './support/story.mjs';
import { ownVisits } from './support/visit.mjs';

const second = 1_000_000;
const now = () => Date.now() * 1000;

const withBobbin = ownVisits({ timezoneId: 'Europe/Berlin', locale: 'de-DE' });

async function picture(visitor, name, address, wait, { themes = ['light', 'dark'] } = {}) {
  await visitor.go(address, wait);
  await visitor.page.mouse.move(2, 2);
  await visitor.page.waitForTimeout(250);
  for (const theme of themes) await visitor.shot(`${name}-${theme}`, theme, { fullPage: true });
}

test('with nothing reported in the period', () =>
  withBobbin(
    () => [past('old', { name: 'long-ago' }, { at: now() - 200 * 86_400 * second, seconds: 600, busy: 0.5, tasks: 10 })],
    async (visitor) => {
      await picture(visitor, 'overview-silent', 'overview', '[data-figure]');
      await picture(visitor, 'prices-own', 'prices', '.box');
      await picture(visitor, 'costs-none', 'costs?days=7', '.notice');
    },
  ));

test('alone on a laptop', () =>
  withBobbin(
    () => {
      const about = (name, project) => ({ name, user: 'ana', host: 'laptop', project });
      return ['thesis', 'thesis', 'weather', null].map((project, i) =>
        past(`l${i}`, about(`run-${i}`, project), { at: now() - (1 + i * 3) * 86_400 * second, seconds: 900, busy: 0.3 + i * 0.15, tasks: 400, erred: i === 2 ? 3 : 0 }),
      );
    },
    (visitor) => picture(visitor, 'overview-laptop', 'overview', '.heat'),
  ));

test('with much', () =>
  withBobbin(
    () => {
      const months = weeks(160, now()).concat(weeks(90, now() - 90 * 86_400 * second).map((batch) => batch.replaceAll('-past-', '-older-')));
      const many = Array.from({ length: 60 }, (_, i) => past(`many-${i}`, { name: `n-${i}`, user: `member-${String(i).padStart(2, '0')}`, host: `h${i % 9}`, project: `team-${i}` }, { at: now() - (i % 25) * 86_400 * second - 7200 * second, seconds: 300 + i * 40, busy: 0.6, tasks: 100 }));
      const huge = past('huge', { name: 'everything-again', user: 'ana', project: 'nightly-etl' }, { at: now() - 5 * 86_400 * second, seconds: 20_000, busy: 0.9, tasks: 900_000, workers: 60 });
      const quiet = new Story('quiet', { name: 'no memory told', user: 'zoe', project: 'untold', started: now() - 3 * 86_400 * second });
      const at = now() - 3 * 86_400 * second;
      const untold = quiet.batch([quiet.cluster(), { ...quiet.sample(at + 60 * second, { totals: { thread_seconds: 90_000, compute: 80_000 } }), memory_used_bytes: null, memory_managed_bytes: null, memory_unmanaged_bytes: null, memory_spilled_bytes: null, memory_limit_bytes: null }, quiet.stop(at + 61 * second)]);
      return [...months, ...many, huge, untold, ...[lost, idle, stalled, busy].flatMap((story) => story(now()).batches)];
    },
    async (visitor) => {
      const { page } = visitor;
      await picture(visitor, 'overview-much', 'overview', '.heat');
      await picture(visitor, 'overview-project-week', 'overview?days=91&by=project&bin=week&measure=cost', '.heat');
      await picture(visitor, 'overview-hours', 'overview?days=7&by=project&bin=hour&measure=cluster&rows=name', '.heat', { themes: ['light'] });
      await picture(visitor, 'overview-calendar', 'overview?form=calendar&measure=idle', '.heat');
      await picture(visitor, 'overview-hours-of-week', 'overview?form=week&measure=cost', '.heat');
      await picture(visitor, 'overview-memory', 'overview?by=project&measure=memory_peak', '.heat', { themes: ['light'] });
      const day = new Date(Date.now() - 5 * 86_400_000).toISOString().slice(0, 10);
      const later = new Date(Date.now() - 3 * 86_400_000).toISOString().slice(0, 10);
      await picture(visitor, 'overview-chosen', `overview?by=user&pick=%3Dana@${day}..${later};%3Dbo@${day}..${later}`, '.chosen');
      await picture(visitor, 'overview-toggled', `overview?by=user&pick=%3Dana@${day};%3Dbo@${later}`, '.chosen', { themes: ['light'] });
      await visitor.go('overview', '.heat');
      await page.keyboard.press('t');
      await page.waitForSelector('.rows table');
      await visitor.shot('overview-tables-light', 'light', { fullPage: true });
      await page.keyboard.press('t');
      const { rows } = await visitor.ask('clusters', { text: 'nightly 2026' });
      await picture(visitor, 'cluster-cost', `cluster/${rows[0].id}?tab=cost&item=prefix lambda`, '[data-cost]');
      const flat = (amount) => ({ low: amount, high: amount });
      const terms = (name, applies_to, rate, from) => ({ name, provenance: 'Bill of March 2026', from_micros: from, to_micros: null, applies_to, rate });
      await visitor.ask('set_price', { terms: terms('Rented, standard', { is: 'project', pattern: 'nightly-*' }, { is: 'rented', core_hour: { low: 0.04, high: 0.052 }, memory_gib_hour: flat(0.005), machine_hour: flat(0), workers_per_machine: 1 }, (Date.now() - 60 * 86_400_000) * 1000) });
      await visitor.ask('set_price', { id: 1, terms: terms('My own machine', { is: 'everything' }, { is: 'own', watts_per_core: { low: 5, high: 9 }, kilowatt_hour: flat(0.31) }, 0) });
      await picture(visitor, 'prices', 'prices', '.box');
      await visitor.go('costs?by=project&days=91', 'tfoot');
      await page.getByRole('button', { name: 'Price the lines of these clusters' }).click();
      await page.getByRole('region', { name: 'Lines, most expensive first' }).waitFor();
      for (const theme of ['light', 'dark']) await visitor.shot(`costs-${theme}`, theme, { fullPage: true });
      await picture(visitor, 'costs-by-two', 'costs?by=project&across=user', 'tfoot');
      await picture(visitor, 'clusters-by-cost', 'clusters?order=cost', 'tbody a');
      await visitor.go('prices', '.box');
      await page.getByRole('button', { name: 'New price' }).click();
      await visitor.shot('prices-form-light', 'light', { fullPage: true });
      await page.getByRole('button', { name: 'My own machine' }).last().click();
      await visitor.shot('prices-form-dark', 'dark', { fullPage: true });
      await picture(visitor, 'cluster-cost-rented', `cluster/${rows[0].id}?tab=cost`, '[data-cost]', { themes: ['light'] });
      for (const [name, size] of [['640', { width: 640, height: 900 }], ['360', { width: 360, height: 800 }]]) {
        await page.setViewportSize(size);
        await picture(visitor, `overview-${name}`, 'overview', '.heat', { themes: ['light'] });
        await picture(visitor, `cluster-cost-${name}`, `cluster/${rows[0].id}?tab=cost`, '[data-cost]', { themes: ['light'] });
        await picture(visitor, `prices-${name}`, 'prices', '.box', { themes: ['light'] });
        await picture(visitor, `costs-${name}`, 'costs', 'tfoot', { themes: ['light'] });
      }
      await page.setViewportSize({ width: 1280, height: 900 });
      await page.evaluate(() => (document.documentElement.style.fontSize = '200%'));
      for (const [name, address, wait] of [['overview', 'overview', '.heat'], ['prices', 'prices', '.box'], ['costs', 'costs', 'tfoot']]) {
        await visitor.page.evaluate((hash) => (location.hash = hash), `#/1/${address}`);
        await page.waitForSelector(wait);
        await page.waitForTimeout(300);
        await visitor.shot(`${name}-200-light`, 'light', { fullPage: true });
      }
    },
  ));
