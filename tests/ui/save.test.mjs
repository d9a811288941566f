// Files that are saved of what is shown: tables, pictures and profiles, from the page and from the shell, read again by others.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { gunzipSync, inflateSync } from 'node:zlib';
import { accessible } from './support/axe.mjs';
import { binary, Bobbin, root } from './support/bobbin.mjs';
import { launch, screenshots, Visitor } from './support/browser.mjs';
import { nightly } from './support/graphs.mjs';
import { stacks } from './support/profiles.mjs';
import { busy, hostile, Story, weeks } from './support/story.mjs';

const run = promisify(execFile);
const second = 1_000_000;
const now = Date.now() * 1000;
/** `cargo xtask setup` installs them. */
const peers = join(root, 'tests/peers/node_modules');
let browser, bobbin, visitor, page, files;
const ids = {};

before(async () => {
  browser = await launch();
  bobbin = await Bobbin.start();
  for (const batch of busy(now, { name: 'busy' }).batches) await bobbin.post(batch);
  for (const batch of weeks(40, now)) await bobbin.post(batch);
  for (const batch of nightly(now).batches) await bobbin.post(batch);
  const sampled = new Story('sampled', { name: 'sampled', started: now - 600 * second, interval: 120 * second, switches: { profile: true } });
  await bobbin.post(sampled.batch([sampled.cluster(), sampled.sample(now - 60 * second), stacks(sampled, now - 60 * second, 'score', { seed: 5 }), sampled.profile(now - 30 * second, 'score', [['a;b\n', '/m"<&.py', 3, null, 7]], { from: now - 40 * second })]));
  const nothing = new Story('nothing', { name: hostile.html, started: now - 60 * second });
  await bobbin.post(nothing.batch([nothing.cluster()]));
  visitor = await Visitor.enter(browser, bobbin, { viewport: { width: 1280, height: 900 }, acceptDownloads: true });
  page = visitor.page;
  for (const row of (await visitor.ask('clusters', { limit: 1000 })).rows) ids[row.name] = row.id;
  files = join(bobbin.home, 'files');
  await mkdir(files);
  await mkdir(screenshots, { recursive: true });
});

after(async () => {
  await visitor?.context.close();
  await bobbin?.remove();
  await browser?.close();
});

/** A verb in the shell, its file and what it says. */
async function shell(name, ...args) {
  const path = join(files, name);
  const env = { ...process.env, TZ: 'Europe/Berlin' };
  const { stdout, stderr } = await run(binary, [...args.map(String), '-o', path, '--data-dir', join(bobbin.home, 'data'), '--json'], { env });
  return { path, bytes: await readFile(path), saved: JSON.parse(stdout), stderr };
}

/** What is written in a picture, over the ends of its lines. */
async function words(name, ...args) {
  const svg = (await shell(name, 'picture', ...args)).bytes.toString();
  return svg.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');
}

/** Width, height and pixels of a PNG without a palette. */
function png(bytes) {
  assert.equal(bytes.subarray(1, 4).toString(), 'PNG');
  const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
  const parts = [];
  for (let at = 8; at < bytes.length; ) {
    const length = bytes.readUInt32BE(at);
    if (bytes.subarray(at + 4, at + 8).toString() === 'IDAT') parts.push(bytes.subarray(at + 8, at + 8 + length));
    at += length + 12;
  }
  const rows = inflateSync(Buffer.concat(parts));
  assert.equal(rows.length, height * (width * 3 + 1));
  return { width, height, shades: new Set(rows).size };
}

const kinds = [
  ['heatmap', [], /Compute time/],
  ['timeline', ['busy'], /Timeline of busy/],
  ['graph', ['nightly graph'], /Task groups of nightly graph/],
  ['flame', ['sampled'], /Profile of sampled/],
];

for (const [what, cluster, title] of kinds) {
  test(`a ${what} is a picture that stands alone, light and dark`, async () => {
    const of = cluster.map((name) => ids[name]);
    for (const theme of ['light', 'dark']) {
      const more = theme === 'dark' ? ['--dark'] : [];
      const svg = (await shell(`${what}-${theme}.svg`, 'picture', what, ...of, ...more)).bytes.toString();
      const seen = await page.evaluate((text) => {
        const document = new DOMParser().parseFromString(text, 'image/svg+xml');
        return {
          error: document.querySelector('parsererror')?.textContent ?? null,
          title: document.querySelector('title')?.textContent,
          words: [...document.querySelectorAll('text')].map((one) => one.textContent.trim()),
          scripts: document.querySelectorAll('script, foreignObject, a, image').length,
          ground: document.querySelector('rect').getAttribute('fill').toLowerCase(),
        };
      }, svg);
      assert.equal(seen.error, null);
      assert.match(seen.title, title);
      assert.match(seen.words.join(' '), /Bobbin \d+\.\d+\.\d+ · .*Europe\/Berlin/);
      assert.equal(seen.scripts, 0);
      // The page's own ground.
      assert.equal(seen.ground, theme === 'dark' ? '#171b23' : '#ffffff');
      const picture = png((await shell(`${what}-${theme}.png`, 'picture', what, ...of, '--width', '1000', ...more)).bytes);
      assert.equal(picture.width, what === 'graph' ? picture.width : 2000);
      assert.ok(picture.height > 200 && picture.shades > 16, JSON.stringify(picture));
      await writeFile(join(screenshots, `saved-${what}-${theme}.png`), await readFile(join(files, `${what}-${theme}.png`)));
      const context = await browser.newContext({ viewport: { width: 1240, height: 800 } });
      const reader = await context.newPage();
      await reader.goto(`file://${join(files, `${what}-${theme}.svg`)}`);
      await reader.screenshot({ path: join(screenshots, `saved-${what}-${theme}-svg.png`) });
      await context.close();
    }
  });
}

test('what a picture is of is named in it, and hostile names are text', async () => {
  const { rows } = await visitor.ask('task_groups', { id: ids['nightly graph'] });
  const svg = (await shell('whole.svg', 'picture', 'graph', ids['nightly graph'], '--whole')).bytes.toString();
  const prefixes = new Set(rows.map(({ prefix }) => prefix));
  const named = [...prefixes].filter((prefix) => svg.includes(prefix.slice(0, 8)));
  assert.ok(named.length >= prefixes.size * 0.9, `${named.length} of ${prefixes.size}`);
  const evil = (await shell('evil.svg', 'picture', 'timeline', ids[hostile.html])).bytes.toString();
  assert.doesNotMatch(evil, /<(script|img|iframe|b)\b/i);
  assert.match(evil, /No samples were reported/);
  const blank = png((await shell('blank.png', 'picture', 'flame', ids[hostile.html], '--dark')).bytes);
  assert.ok(blank.shades > 8);
  for (const what of ['graph', 'flame']) await writeFile(join(screenshots, `saved-${what}-none.png`), (await shell(`none-${what}.png`, 'picture', what, ids[hostile.html])).bytes);
});

test('one table says the same as CSV, JSON and Parquet, and the sums of the window', async (t) => {
  const csv = (await shell('groups.csv', 'table', 'task_groups', '--cluster', ids.busy)).bytes.toString();
  const json = JSON.parse((await shell('groups.json', 'table', 'task_groups', '--cluster', ids.busy)).bytes);
  const parquet = await shell('groups.parquet', 'table', 'task_groups', '--cluster', ids.busy);
  const shown = (await visitor.ask('task_groups', { id: ids.busy })).rows;
  const sum = (rows, of) => rows.reduce((all, row) => all + of(row), 0);
  const wanted = sum(shown, (row) => row.seconds.compute);
  assert.ok(wanted > 0);
  assert.ok(Math.abs(sum(json.rows, (row) => row.compute_seconds) - wanted) < 1e-6);
  assert.deepEqual([json.rows_given, json.rows_total, json.truncated], [shown.length, shown.length, false]);
  assert.equal(csv.trim().split('\r\n').length, shown.length + 1);
  const python = join(root, 'target/python/objects/bin/python');
  if (!existsSync(python)) return t.skip('no DuckDB: cargo xtask setup');
  const script = `import duckdb, sys
one = duckdb.sql(f"select count(*), sum(compute_seconds), count(distinct name), min(typeof(started_at)) from '{sys.argv[1]}'").fetchall()[0]
two = duckdb.sql(f"select count(*), sum(compute_seconds), count(distinct name) from read_csv('{sys.argv[2]}')").fetchall()[0]
print(one, two, sep="\\n")
assert one[:1] == two[:1] and one[2] == two[2] and abs(one[1] - two[1]) < 1e-6 and abs(one[1] - float(sys.argv[3])) < 1e-6, (one, two)
assert one[3] == "TIMESTAMP WITH TIME ZONE", one`;
  await run(python, ['-c', script, parquet.path, join(files, 'groups.csv'), String(wanted)]);
});

test('every table that the shell names is written, and each file has its row in the ledger', async () => {
  const before = (await visitor.ask('ledger')).rows.length;
  const names = ['clusters', 'hours', 'computations', 'exceptions', 'workers', 'spans', 'metrics', 'events', 'topics', 'timeline'];
  for (const name of names) {
    const { saved } = await shell(`${name}-all.json`, 'table', name, '--cluster', ids.busy);
    assert.equal(saved.truncated, false, name);
  }
  const { rows } = await visitor.ask('ledger');
  assert.equal(rows.length, before + names.length);
  assert.ok(rows.slice(-names.length).every((row) => JSON.stringify(row).includes('export')));
  await assert.rejects(shell('workers-all.json', 'table', 'workers', '--cluster', ids.busy), (error) => error.code === 3 && /does not overwrite it: choose another name/.test(error.stdout));
  await assert.rejects(shell('a.csv', 'table', 'workers'), (error) => error.code === 2 && /--cluster/.test(error.stdout));
  await assert.rejects(shell('a.txt', 'picture', 'heatmap'), (error) => error.code === 2 && /\.svg or \.png/.test(error.stdout));
});

/** The fields of a message of protocol buffers: numbers and bytes by field, by the wire format alone. */
function fields(bytes) {
  const all = [];
  let at = 0;
  const varint = () => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++];
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  while (at < bytes.length) {
    const key = Number(varint());
    if ((key & 7) === 0) all.push([key >> 3, varint()]);
    else if ((key & 7) === 2) {
      const length = Number(varint());
      all.push([key >> 3, bytes.subarray(at, (at += length))]);
    } else throw new Error(`wire type ${key & 7}`);
  }
  return all;
}
const of = (message, field) => message.filter(([number]) => number === field).map(([, value]) => value);
const packed = (bytes) => {
  const values = [];
  let [value, shift] = [0n, 0n];
  for (const byte of bytes) {
    value |= BigInt(byte & 0x7f) << shift;
    shift += 7n;
    if (byte < 0x80) {
      values.push(Number(value));
      [value, shift] = [0n, 0n];
    }
  }
  return values;
};

test('a profile is read by others with all of its samples', async () => {
  const about = await visitor.ask('flame_about', { selection: { ids: [ids.sampled] } });
  assert.ok(about.samples > 1000);
  const folded = (await shell('p.folded.txt', 'profile', ids.sampled, '--format', 'folded')).bytes.toString();
  const sums = new Map(folded.trim().split('\n').map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]));
  assert.equal([...sums.values()].reduce((a, b) => a + b), about.samples);
  assert.equal(sums.get('a,b‹U+000A› (/m"<&.py:3)'), 7);

  // Field numbers of pprof's profile.proto.
  const profile = fields(gunzipSync((await shell('p.pb.gz', 'profile', ids.sampled, '--format', 'pprof')).bytes));
  const texts = of(profile, 6).map((bytes) => bytes.toString());
  assert.equal(texts[0], '');
  const types = of(profile, 1).map((bytes) => of(fields(bytes), 1).map((at) => texts[Number(at)])[0]);
  assert.deepEqual(types, ['samples', 'time']);
  const functions = new Map(of(profile, 5).map((bytes) => [Number(of(fields(bytes), 1)[0]), texts[Number(of(fields(bytes), 2)[0])]]));
  const places = new Map(of(profile, 4).map((bytes) => [Number(of(fields(bytes), 1)[0]), functions.get(Number(of(fields(of(fields(bytes), 4)[0]), 1)[0]))]));
  const samples = of(profile, 2).map((bytes) => ({ way: packed(of(fields(bytes), 1)[0]).map((place) => places.get(place)), values: packed(of(fields(bytes), 2)[0]) }));
  assert.equal(samples.reduce((all, { values }) => all + values[0], 0), about.samples);
  assert.ok(samples.every(({ way }) => way.every((name) => name !== undefined)));
  assert.equal(samples.length, sums.size);
  const seconds = samples.reduce((all, { values }) => all + values[1], 0) / 1e9;
  assert.ok(Math.abs(seconds - about.seconds) < about.seconds * 1e-6, `${seconds} ${about.seconds}`);
});

test('speedscope opens a profile as its own', async () => {
  const { bytes } = await shell('p.speedscope.json', 'profile', ids.sampled);
  const Ajv = createRequire(join(root, 'ui/package.json'))('ajv');
  const ajv = new Ajv({ schemaId: 'auto', logger: false });
  const schema = JSON.parse(await readFile(join(peers, 'speedscope/dist/release/file-format-schema.json')));
  const valid = ajv.validate(schema, JSON.parse(bytes));
  assert.ok(valid, JSON.stringify(ajv.errors?.slice(0, 3)));
  const server = createServer(async (request, response) => {
    const path = new URL(request.url, 'http://peer').pathname;
    const content = path === '/p.json' ? bytes : await readFile(join(peers, path)).catch(() => null);
    const type = { html: 'text/html', js: 'text/javascript', css: 'text/css', json: 'application/json' }[path.split('.').at(-1)] ?? 'application/octet-stream';
    response.writeHead(content === null ? 404 : 200, { 'content-type': type }).end(content);
  });
  await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
  const origin = `http://127.0.0.1:${server.address().port}`;
  const context = await browser.newContext();
  try {
    const reader = await context.newPage();
    await reader.goto(`${origin}/speedscope/dist/release/index.html#profileURL=${encodeURIComponent(`${origin}/p.json`)}`);
    await reader.waitForFunction(() => document.title.includes('sampled') && document.querySelector('canvas') !== null, null, { timeout: 60_000 });
  } finally {
    await context.close();
    server.close();
  }
});

test('what was saved of a profile is taken in again with all of its samples', async () => {
  const { path } = await shell('again.speedscope.json', 'profile', ids.sampled);
  await shell('again-1.folded.txt', 'profile', ids.sampled, '--format', 'folded');
  const sum = (text) => text.trim().split('\n').reduce((all, line) => all + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
  const about = await visitor.ask('flame_about', { selection: { ids: [ids.sampled] } });
  // What is told in seconds comes back as so many microseconds.
  const wanted = { json: Math.round(about.seconds * 1e6), txt: about.samples };
  for (const file of [path, join(files, 'again-1.folded.txt')]) {
    const data = join(bobbin.home, `again-${file.endsWith('json') ? 'speedscope' : 'folded'}`);
    await run(binary, ['import', file, '--data-dir', data]);
    const out = join(data, 'out.txt');
    await run(binary, ['profile', '1', '--format', 'folded', '-o', out, '--data-dir', data]);
    assert.equal(sum(await readFile(out, 'utf8')), wanted[file.split('.').at(-1)], file);
  }
});

/** Chooses from the menu, and gives the file and what is said. */
async function save(what, item, group = null) {
  await page.getByRole('button', { name: `Save ${what}` }).first().click();
  const among = group === null ? page : page.getByRole('group', { name: group, exact: true });
  const [download] = await Promise.all([page.waitForEvent('download', { timeout: 60_000 }), among.getByRole('menuitem', { name: item }).first().click()]);
  return { name: download.suggestedFilename(), bytes: await readFile(await download.path()) };
}

test('the page saves its charts as pictures', async () => {
  await visitor.go(`cluster/${ids.busy}`, '.charts');
  const svg = await save('the timeline', /^SVG, dark/);
  assert.equal(svg.name, 'timeline-of-busy-dark.svg');
  assert.match(svg.bytes.toString(), /<title>Timeline of busy<\/title>/);
  await page.getByText('Saved timeline-of-busy-dark.svg').waitFor();
  await visitor.go(`cluster/${ids['nightly graph']}?tab=graph`, '.picture');
  assert.ok(png((await save('the graph', /^PNG, light/)).bytes).width > 600);
  await visitor.go('overview', '#heat-title');
  assert.match((await save('the heat-map', /^SVG, light/)).bytes.toString(), /Compute time/);
  const cells = (await save('the heat-map', /^CSV/)).bytes.toString();
  assert.match(cells, /^(user|project),column,from_at,to_at,compute_seconds,clusters\r\n/);
  await visitor.go(`cluster/${ids.sampled}?tab=profile`, 'canvas');
  assert.match((await save('the profile', /^Folded/)).bytes.toString(), / \d+\n$/);
});

test('a right click on a table, and the keyboard, open the same menu', async () => {
  await visitor.go(`cluster/${ids.busy}?tab=groups`, '[role=region] table, table');
  const menu = page.getByRole('menu', { name: 'Save task groups' });
  await page.locator('td.number').first().click({ button: 'right' });
  await menu.waitFor();
  await accessible(page);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  const [download] = await Promise.all([page.waitForEvent('download', { timeout: 60_000 }), page.keyboard.press('Enter')]);
  assert.equal(download.suggestedFilename(), 'task_groups.parquet');
  assert.equal((await readFile(await download.path())).subarray(0, 4).toString(), 'PAR1');
  assert.equal(await menu.count(), 0);
  await page.getByRole('button', { name: 'Save task groups' }).focus();
  await page.keyboard.press('Enter');
  await menu.waitFor();
  await visitor.shot('saved-menu-light', 'light');
  await page.keyboard.press('Escape');
  assert.equal(await menu.count(), 0);
  assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('aria-label')), 'Save task groups');
});

test('the ledger and the tables of the settings are saved, too', async () => {
  await visitor.go('ledger', 'table');
  const ledger = (await save('the ledger', /^CSV/)).bytes.toString();
  assert.match(ledger, /^number,at,kind,what,/);
  // The chain is the file, so that others can check it.
  const there = await readFile(join(bobbin.home, 'data', 'ledger.ndjson'), 'utf8');
  const chain = await save('the ledger', /^NDJSON/);
  assert.deepEqual([chain.name, chain.bytes.toString()], ['bobbin-ledger.ndjson', there]);
  await visitor.go('settings/people', '#people-title');
  assert.match((await save('people', /^CSV/)).bytes.toString(), /^user,person,[^]*\r\nana,/);
});

test('charts by worker, the heat-map and what threads did are saved as what they show', async () => {
  await visitor.go(`cluster/${ids.busy}?charts=prefixes&heat=processing`, 'svg[role=application]');
  const cells = await save('the timeline', /^CSV/, 'Heat-map');
  assert.equal(cells.name, 'heat-map-processing.csv');
  assert.match(cells.bytes.toString(), /^worker_id,worker,from_at,to_at,processing\r\n[^]*worker-6,/);
  await visitor.go(`cluster/${ids.busy}?charts=workers`, 'path.thread');
  const cpu = (await save('the timeline', /^CSV/, 'CPU by worker')).bytes.toString();
  assert.match(cpu, /^worker_id,worker,at,cpu_percent\r\n[^]*worker-6,/);
  await visitor.go(`cluster/${ids.busy}`, '.charts');
  assert.match((await save('the timeline', /^CSV/, 'Threads')).bytes.toString(), /^activity,prefix,from_at,to_at,share\r\ncomputing,/);
});

test('a heat-map of what was not told says that in its legend', async () => {
  const at = now - 3600 * second;
  const quiet = new Story('quiet', { name: 'no memory told', user: 'zoe', started: at });
  const sample = quiet.sample(at + 60 * second, { totals: { thread_seconds: 900, compute: 300 }, memory_used_bytes: null, memory_limit_bytes: null, memory_managed_bytes: null, memory_unmanaged_bytes: null, memory_spilled_bytes: null });
  await bobbin.post(quiet.batch([quiet.cluster(), sample, quiet.stop(at + 61 * second)]));
  assert.match(await words('memory.svg', 'heatmap', '--measure', 'memory'), /not available nothing reported/);
  assert.doesNotMatch(await words('computed.svg', 'heatmap'), /not available/);
});

test('a picture that is larger than a picture can be says what it leaves out', async () => {
  const count = 300;
  const chain = new Story('chain', { name: 'a long chain', started: now - 300 * second });
  const links = Array.from({ length: count }, (_, n) => chain.group(now - 20 * second, `link-${n}`, { states: { released: 1 }, seconds: { compute: 1 }, needs: n > 0 ? [`link-${n - 1}`] : [] }));
  await bobbin.post(chain.batch([chain.cluster(), chain.sample(now - 20 * second), ...links]));
  const svg = await words('chain.svg', 'graph', 'a long chain', '--whole');
  const [, left] = svg.match(/left out for lack of room: (\d+) task groups/);
  const drawn = new Set(svg.match(/link-\d+/g)).size;
  assert.ok(drawn > 50 && drawn < count, String(drawn));
  assert.equal(drawn + Number(left), count);
  const deep = join(files, 'deep.folded');
  await writeFile(deep, `${Array.from({ length: 600 }, (_, n) => `f${n}`).join(';')} 40\n`);
  await run(binary, ['import', deep, '--data-dir', join(bobbin.home, 'data')]);
  const flame = await words('deep.svg', 'flame', 'deep');
  assert.match(flame, /deeper rows left out/);
  assert.match(flame, /\bf300\b/);
  assert.doesNotMatch(flame, /\bf599\b/);
  // What has room says nothing.
  assert.doesNotMatch(await words('room.svg', 'graph', ids['nightly graph'], '--whole'), /left out/);
  assert.doesNotMatch(await words('shallow.svg', 'flame', ids.sampled), /left out/);
});
