// How long a report takes to be opened, Bobbin's and Dask's own of the same cluster, and how large each is.
//
//     bench_report.mjs '{"repeats": 9, "bobbin": "ours.html", "performance_report": "report.html", "scripts": "…/bokeh/server/static/js"}'
//
// Dask's loads its scripts from a server; here they come from the disk, at no cost of a network. They take turns, each in a browser's
// context of its own. Prints one JSON line for each metric and kind, one value a repeat.

import { readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { launch } from './support/browser.mjs';

const { repeats, scripts, ...files } = JSON.parse(process.argv[2]);

/** In the page: whether the first picture is drawn. What is below the edge of the screen, or in another tab, may follow. */
const drawn = {
  bobbin: () => document.querySelector('h1') !== null && document.querySelectorAll('main section, main canvas, main table').length > 0,
  performance_report: () => globalThis.Bokeh?.documents?.[0]?.is_idle === true,
};

const browser = await launch();
const took = { bobbin: [], performance_report: [] };
const fetched = { bobbin: 0, performance_report: 0 };
for (let repeat = 0; repeat < repeats; repeat++) {
  const kinds = Object.keys(took);
  if (repeat % 2 === 1) kinds.reverse();
  for (const kind of kinds) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    fetched[kind] = 0;
    await context.route(/^https?:/, async (route) => {
      // On the disk without its version.
      const name = basename(new URL(route.request().url()).pathname).replace(/-\d+(\.\w+)*(?=\.min)/, '');
      const bytes = await readFile(join(scripts, name)).catch(() => null);
      if (bytes === null) return route.abort();
      fetched[kind] += bytes.length;
      return route.fulfill({ body: bytes, contentType: 'text/javascript', headers: { 'access-control-allow-origin': '*' } });
    });
    const page = await context.newPage();
    const begun = performance.now();
    await page.goto(pathToFileURL(files[kind]).href, { waitUntil: 'commit' });
    await page.waitForFunction(drawn[kind], null, { timeout: 120_000, polling: 'raf' });
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    took[kind].push(performance.now() - begun);
    await context.close();
  }
}
await browser.close();

const say = (metric, unit, variant, values) => console.log(JSON.stringify({ metric, unit, variant, values }));
for (const kind of Object.keys(took)) {
  const { size } = await stat(files[kind]);
  say('report_opened', 'ms', kind, took[kind]);
  say('report_size', 'kB', kind, [size / 1000]);
  say('report_size_with_what_it_loads', 'kB', kind, [(size + fetched[kind]) / 1000]);
}
