// How long a view takes from the click to the picture, and what each command takes of that; and how long peers take for the same.
//
//     bench_views.mjs '{"size": "full|quick|smoke", "stores": [{"name", "clusters", "listening"}, …], "mlflow": "http://…"}'
//
// There are three stores of generated clusters: few, main, and many. In the main one five more follow: a graph of 500 groups and a
// larger one, a large profile, and two profiles to compare. Works take turns, in an order that changes with each repeat, so that
// whatever else the machine does meets all alike. Prints one JSON line for each metric and kind, one value a repeat.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';
import { Bobbin, root } from './support/bobbin.mjs';
import { launch } from './support/browser.mjs';
import { filtered, heatMap, list, overview, searches, slowest, sorts } from './support/questions.mjs';
import { dice, Story } from './support/story.mjs';

const { size, stores, mlflow } = JSON.parse(process.argv[2]);
const [few, main, many] = stores;
const repeats = { smoke: 2, quick: 5, full: 15 }[size];
/** Of what takes seconds. */
const slowRepeats = { smoke: 1, quick: 2, full: 3 }[size];
const [small, large, profile, before, after] = [1, 2, 3, 4, 5].map((place) => main.clusters + place);
const peers = join(root, 'tests/peers/node_modules');

/** Views as addresses, each with something that is there only once it is drawn. */
const heat = 'svg.cells, main .notice';
const rows = 'tbody tr, main .notice';
const chart = '#tabpanel canvas';
const views = {
  overview_28_days: ['overview', heat],
  overview_year: ['overview?days=364', heat],
  list_newest: ['clusters', rows],
  list_sorted: ['clusters?order=compute_seconds', rows],
  list_filtered: [`clusters?text=${encodeURIComponent('user:ana tasks>100')}`, rows],
};
const viewsOfMain = {
  cluster: [`cluster/${small}`, '#tabpanel tbody tr'],
  graph_500: [`cluster/${small}?tab=graph`, '#tabpanel canvas, #tabpanel svg'],
  graph_large: [`cluster/${large}?tab=graph`, '#tabpanel canvas, #tabpanel svg'],
  flame_large: [`cluster/${profile}?tab=profile`, chart],
  difference: [`cluster/${after}?tab=profile&f-as=difference&f-against=ids%3D${before}`, chart],
};

/** Questions of each store; of several of a kind, the slowest counts. */
const questions = {
  overview_year_asked: [overview(364)],
  heat_map_year_asked: [heatMap(364)],
  list_newest_asked: [list],
  list_slowest_sort_asked: sorts,
  list_slowest_filter_asked: filtered,
  search_slowest_asked: searches,
};

/** Before anything else in the page: says when it is drawn, and counts the questions whose answer was not read yet. */
function watch() {
  let waiting = 0;
  const ask = globalThis.fetch;
  const read = Response.prototype.json;
  globalThis.fetch = async (resource, options) => {
    waiting += 1;
    try {
      return await ask(resource, options);
    } catch (error) {
      waiting -= 1;
      throw error;
    }
  };
  Response.prototype.json = async function () {
    const body = await read.call(this);
    // It is drawn after this.
    setTimeout(() => (waiting -= 1));
    return body;
  };
  globalThis.frame = () => new Promise((done) => requestAnimationFrame(done));
  /** When this was there with nothing more to ask for, and stayed so for three frames. */
  globalThis.drawn = async (selector) => {
    const end = performance.now() + 60_000;
    let since = null;
    for (let quiet = 0; quiet < 3; ) {
      await globalThis.frame();
      if (performance.now() > end) throw new Error(`${location.hash} has no ${selector}, or waits for ${waiting} answers`);
      const is = document.querySelector(selector) !== null && waiting === 0;
      since = is ? (since ?? performance.now()) : null;
      quiet = is ? quiet + 1 : 0;
    }
    return since;
  };
}

/** In the page: goes from one address to another, and gives the milliseconds until that is drawn. */
async function go([from, fromDrawn, to, selector]) {
  location.hash = `#/1/${from}`;
  await globalThis.drawn(fromDrawn);
  for (let frames = 0; frames < 5; frames++) await globalThis.frame();
  const begun = performance.now();
  location.hash = `#/1/${to}`;
  return (await globalThis.drawn(selector)) - begun;
}

/** In the page: pans a flame graph, and gives the milliseconds that the page worked on the slowest frame. */
async function pan([address, selector]) {
  location.hash = `#/1/${address}`;
  await globalThis.drawn(selector);
  const chart = document.querySelector('.flame [role=application]');
  const press = (key) => chart.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
  for (let zoom = 0; zoom < 6; zoom++) press('w');
  await globalThis.drawn(selector);
  let slowest = 0;
  for (let step = 0; step < 60; step++) {
    press(step % 20 < 10 ? 'd' : 'a');
    // By now the frame is asked for: what is asked for after it comes when it is made.
    await Promise.resolve();
    const took = await new Promise((done) => requestAnimationFrame((begun) => done(performance.now() - begun)));
    slowest = Math.max(slowest, took);
  }
  press('0');
  return slowest;
}

/** In the page: types into the search over everything, and gives the milliseconds until what it finds is drawn. */
async function find(text) {
  location.hash = '#/1/connect';
  await globalThis.drawn('h1');
  document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'k', ctrlKey: true, bubbles: true }));
  await globalThis.drawn('dialog[open] input[role=combobox]');
  const dialog = document.querySelector('dialog[open]');
  const input = dialog.querySelector('input');
  const begun = performance.now();
  input.value = text;
  input.dispatchEvent(new InputEvent('input', { bubbles: true }));
  do await globalThis.frame();
  while (dialog.querySelector('[role=status]').innerText.includes('Searching'));
  const drawn = await globalThis.drawn('dialog[open] [role=option] mark');
  dialog.close();
  return drawn - begun;
}

/** In the page: the milliseconds from a question to its answer, read; and the answer. */
async function ask([command, request]) {
  const begun = performance.now();
  const response = await fetch(`/api/${command}`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(request) });
  const body = await response.json();
  if (!response.ok) throw new Error(`${command} ${JSON.stringify(request)}: ${JSON.stringify(body)}`);
  return [performance.now() - begun, body];
}

/** Files of the peers' packages, as they serve them. */
function serve(files) {
  const types = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.json': 'application/json', '.wasm': 'application/wasm' };
  const server = createServer(async (request, response) => {
    const path = new URL(request.url, 'http://peer').pathname;
    try {
      const body = files[path] ?? (await readFile(join(peers, path)));
      response.writeHead(200, { 'content-type': types[extname(path)] ?? 'application/octet-stream' }).end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  return new Promise((done) => server.listen(0, '127.0.0.1', () => done(server)));
}

/** A tree of so many nodes as stacks, the way profiles of Bobbin's generator grow. */
function tree(nodes) {
  const roll = dice(1);
  const functions = 500;
  const parents = [-1];
  const frame = [0];
  const leaf = [true];
  while (parents.length < nodes) {
    const there = parents.length;
    const parent = roll() < 0.7 ? Math.max(0, there - 1 - Math.floor(roll() * 8)) : Math.floor(roll() * there);
    leaf[parent] = false;
    leaf.push(true);
    parents.push(parent);
    frame.push(Math.floor(roll() * functions));
  }
  return { parents, frame, leaf, names: Array.from({ length: functions }, (_, at) => `function_${at}`) };
}

/** In speedscope's own format: stacks as they were sampled. */
function forSpeedscope({ parents, frame, leaf, names }) {
  const samples = [];
  for (let at = 0; at < parents.length; at++) {
    if (!leaf[at]) continue;
    const stack = [];
    for (let one = at; one >= 0; one = parents[one]) stack.push(frame[one]);
    samples.push(stack.reverse());
  }
  const weights = samples.map(() => 1);
  const sampled = { type: 'sampled', name: 'peer', unit: 'none', startValue: 0, endValue: samples.length, samples, weights };
  return JSON.stringify({ $schema: 'https://www.speedscope.app/file-format-schema.json', shared: { frames: names.map((name) => ({ name })) }, profiles: [sampled], name: 'peer' });
}

/** As d3-flame-graph takes it: nodes in nodes. */
function forD3({ parents, frame, leaf, names }) {
  const nodes = parents.map((_, at) => ({ name: names[frame[at]], value: leaf[at] ? 1 : 0, children: [] }));
  for (let at = parents.length - 1; at > 0; at--) {
    nodes[parents[at]].value += nodes[at].value;
    nodes[parents[at]].children.push(nodes[at]);
  }
  return JSON.stringify(nodes[0]);
}

/** A page that draws `/tree.json` with d3-flame-graph, and leaves out what is too narrow, as it can. */
const d3Parts = ['array', 'color', 'dispatch', 'ease', 'format', 'interpolate', 'time', 'timer', 'time-format', 'hierarchy', 'scale', 'selection', 'transition'];
const d3Page = `<!doctype html><title>peer</title><div id="chart"></div>
${d3Parts.map((name) => `<script src="/d3-${name}/dist/d3-${name}.min.js"></script>`).join('\n')}
<script src="/d3-flame-graph/dist/d3-flamegraph.umd.min.js"></script>
<script type="module">
  const data = await (await fetch('/tree.json')).json();
  const make = globalThis.flamegraph.flamegraph ?? globalThis.flamegraph.default;
  d3.select('#chart').datum(data).call(make().width(1240).minFrameSize(1).transitionDuration(0));
  requestAnimationFrame(() => requestAnimationFrame(() => { document.title = 'drawn'; }));
</script>`;

/** In the page: layouts of a graph. */
function dagreLayout({ nodes, edges }) {
  const graph = new globalThis.dagre.graphlib.Graph().setGraph({ rankdir: 'LR' }).setDefaultEdgeLabel(() => ({}));
  for (const node of nodes) graph.setNode(node, { width: 160, height: 40 });
  for (const [from, to] of edges) graph.setEdge(from, to);
  const begun = performance.now();
  globalThis.dagre.layout(graph);
  return performance.now() - begun;
}

async function elkLayout({ nodes, edges }) {
  const graph = {
    id: 'graph',
    layoutOptions: { 'elk.algorithm': 'layered' },
    children: nodes.map((id) => ({ id, width: 160, height: 40 })),
    edges: edges.map(([from, to], at) => ({ id: `edge-${at}`, sources: [from], targets: [to] })),
  };
  const begun = performance.now();
  await new globalThis.ELK().layout(graph);
  return performance.now() - begun;
}

const taken = new Map();
const note = (metric, kind, value, unit = 'ms') => {
  const key = JSON.stringify([metric, unit, kind]);
  taken.set(key, [...(taken.get(key) ?? []), value]);
};
const browser = await launch();
const opened = [];

/** A browser of its own for each store: doors on one host would share their cookies. */
async function visit(store) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, timezoneId: 'UTC' });
  await context.addInitScript(watch);
  const page = await context.newPage();
  await page.goto(store.listening.ui);
  await page.waitForSelector('h1');
  const visit = {
    context,
    page,
    origin: new URL(store.listening.ui).origin,
    // The browser draws slowly in a page that is not in front.
    go: async (...way) => (await page.bringToFront(), page.evaluate(go, way)),
    ask: async (...question) => page.evaluate(ask, question),
    find: async (text) => (await page.bringToFront(), page.evaluate(find, text)),
    pan: async (...way) => (await page.bringToFront(), page.evaluate(pan, way)),
  };
  opened.push(visit);
  return visit;
}

const visits = new Map();
for (const store of stores) visits.set(store.name, await visit(store));
const ofMain = visits.get(main.name);
const { page } = ofMain;

const [, { rows: groups }] = await ofMain.ask('task_groups', { id: small, limit: 1000 });
const known = new Set(groups.map(({ group_id }) => group_id));
const graph = { nodes: [...known], edges: groups.flatMap((one) => one.dependencies.filter((id) => known.has(id)).map((id) => [id, one.group_id])) };
assert.equal(graph.nodes.length, 500);
for (const [name, file] of [['dagre', '@dagrejs/dagre/dist/dagre.min.js'], ['ELK', 'elkjs/lib/elk.bundled.js']]) {
  await page.evaluate(`${await readFile(join(peers, file), 'utf8')}; globalThis.${name} ??= ${name};`);
}

// The key of a node to zoom to, and a word to look for.
const [, flame] = await ofMain.ask('flame', { selection: { ids: [profile] } });
const wide = flame.rectangles.key.find((key, at) => key > 0 && flame.rectangles.depth[at] === 2) ?? flame.rectangles.key[1];
const flameAddress = `cluster/${profile}?tab=profile`;

const empty = ['connect', 'h1'];
const works = [];
for (const store of stores) {
  const { go, ask, find } = visits.get(store.name);
  // Something that every store has: the prefix of its first cluster's costliest group.
  const [, { rows: costliest }] = await ask('task_groups', { id: 1, limit: 1 });
  works.push([`search_${store.name}`, 'bobbin', () => find(costliest[0].prefix)]);
  for (const [name, [address, selector]] of Object.entries(views)) works.push([`${name}_${store.name}`, 'bobbin', () => go(...empty, address, selector)]);
  for (const [name, asked] of Object.entries(questions)) {
    works.push([`${name}_${store.name}`, 'bobbin', async () => {
      const times = [];
      for (const question of asked) times.push((await ask(...question))[0]);
      return times;
    }]);
  }
}
for (const [name, [address, selector]] of Object.entries(viewsOfMain)) works.push([name, 'bobbin', () => ofMain.go(...empty, address, selector)]);
works.push(
  ['flame_large_zoomed', 'bobbin', () => ofMain.go(flameAddress, chart, `${flameAddress}&f-zoom=${wide}`, chart)],
  ['flame_large_searched', 'bobbin', () => ofMain.go(flameAddress, chart, `${flameAddress}&text=read`, chart)],
  ['flame_large_panned', 'bobbin', () => ofMain.pan(flameAddress, chart)],
  ['difference_chosen', 'bobbin', () => ofMain.go(`cluster/${after}?tab=profile`, chart, viewsOfMain.difference[0], chart)],
  ['graph_500_layout', 'bobbin', async () => (await ofMain.ask('graph', { id: small, whole: true }))[0]],
  ['graph_large_layout', 'bobbin', async () => (await ofMain.ask('graph', { id: large, whole: true }))[0]],
  ['graph_500_layout', 'dagre', () => page.evaluate(dagreLayout, graph)],
  ['graph_500_layout', 'elkjs', () => page.evaluate(elkLayout, graph)],
);

/** What fails says whose work it was. */
async function named(metric, kind, work) {
  try {
    return await work();
  } catch (error) {
    throw new Error(`${metric} of ${kind}`, { cause: error });
  }
}

const roll = dice(7);
const shuffled = (list) => list.map((one) => [roll(), one]).sort(([a], [b]) => a - b).map(([, one]) => one);
// The first of each reads from the disk what the others find in memory; it is not counted.
for (let repeat = -1; repeat < repeats; repeat++) {
  for (const [metric, kind, work] of shuffled(works)) {
    const value = await named(metric, kind, work);
    if (repeat >= 0) note(metric, kind, value);
  }
}

/** A page that was just opened, until what it shows is `seen`: the moment of that, by the clock that both have. */
async function opens(context, address, seen) {
  const own = await context.newPage();
  const begun = performance.timeOrigin + performance.now();
  await own.goto(address);
  const took = (await seen(own)) - begun;
  return [took, own];
}

// What a reader of a file waits for, or of a page that was not open; and merging what is not kept, which takes as long.
const profiled = { smoke: 5_000, quick: 200_000, full: 1_000_000 }[size];
const drawnTree = tree(profiled);
const peer = await serve({ '/profile.json': forSpeedscope(drawnTree), '/tree.json': forD3(drawnTree), '/d3.html': d3Page });
const peerOrigin = `http://127.0.0.1:${peer.address().port}`;
const scope = `${peerOrigin}/speedscope/dist/release/index.html#profileURL=${encodeURIComponent(`${peerOrigin}/profile.json`)}`;
// Since when it was drawn, as with views of an open page: what makes sure of that takes three frames more.
const isDrawn = (selector) => (own) => own.evaluate(async (selector) => performance.timeOrigin + (await globalThis.drawn(selector)), selector);
const isTrue = (of) => async (own) => {
  const moment = await own.waitForFunction(`(${of})() && performance.timeOrigin + performance.now()`, null, { timeout: 180_000, polling: 'raf' });
  return moment.jsonValue();
};
const others = await browser.newContext({ viewport: { width: 1280, height: 800 } });
let changed = 0;
/** A selection that was not asked for before: nothing was sampled so early. */
const anew = (selection) => ({ ...selection, from_micros: (changed += 1) });
const slow = [
  ['flame_large_opened', 'speedscope', async () => opens(others, scope, isTrue(() => document.title.includes('peer') && document.querySelector('canvas') !== null))],
  ['flame_large_opened', 'd3-flame-graph', async () => opens(others, `${peerOrigin}/d3.html`, isTrue(() => document.title === 'drawn'))],
  ['flame_large_opened', 'bobbin', async () => opens(ofMain.context, `${ofMain.origin}/#/1/${flameAddress}`, isDrawn(chart))],
  ['overview_opened', 'bobbin', async () => opens(ofMain.context, `${ofMain.origin}/#/1/overview`, isDrawn(heat))],
  ['list_opened', 'bobbin', async () => opens(ofMain.context, `${ofMain.origin}/#/1/clusters`, isDrawn(rows))],
  ['merge_of_all_profiles', 'bobbin', async () => [(await ofMain.ask('flame_about', { selection: anew({ clusters: {} }) }))[0]]],
  ['merge_of_large_profile', 'bobbin', async () => [(await ofMain.ask('flame_about', { selection: anew({ ids: [profile] }) }))[0]]],
  ['difference_merged', 'bobbin', async () => [(await ofMain.ask('flame_difference', { before: anew({ ids: [before] }), after: anew({ ids: [after] }) }))[0]]],
];
if (mlflow) {
  const listed = () => /cluster-\d/.test(document.body.innerText);
  for (const metric of ['overview_opened', 'list_opened']) slow.push([metric, 'MLflow', async () => opens(others, `${mlflow}/#/experiments/1/runs`, isTrue(listed))]);
}
/** Peers whose page does not live through it: they have no values, which the figures say. */
const crashed = new Set();
for (let repeat = 0; repeat < slowRepeats; repeat++) {
  for (const [metric, kind, work] of shuffled(slow)) {
    if (crashed.has(kind)) continue;
    const measured = await named(metric, kind, work).catch((error) => {
      if (kind === 'bobbin' || !/crashed/.test(error.cause?.message)) throw error;
      crashed.add(kind);
      taken.set(JSON.stringify([metric, 'ms', kind]), []);
    });
    if (measured === undefined) continue;
    const [took, own] = measured;
    note(metric, kind, took);
    if (own !== undefined && kind === 'bobbin' && metric === 'flame_large_opened') {
      const memory = await own.evaluate(() => performance.memory?.usedJSHeapSize ?? 0);
      note('flame_large_page_memory', kind, memory / 1e6, 'MB');
    }
    await own?.close();
  }
}
peer.close();

// From the acknowledgement of a batch to the picture of it, on a page that is open.
const receiver = Object.assign(new Bobbin(), { listening: main.listening, token: (await readFile(main.listening.token_file, 'utf8')).trim() });
const reporting = new Story('reporting', { name: 'reporting' });
const micros = () => Date.now() * 1000;
const beat = (seconds) => receiver.post(reporting.batch([reporting.group(micros(), 'busy', { seconds: { compute: seconds } }), reporting.sample(micros())]));
await receiver.post(reporting.batch([reporting.cluster()]));
await beat(10);
const [, { rows: [{ id: live }] }] = await ofMain.ask('clusters', { text: 'name:reporting' });
await ofMain.go(...empty, `cluster/${live}`, '#tabpanel tbody tr');
for (let seconds = 11; seconds < 11 + 2 * repeats; seconds++) {
  const seen = page.evaluate(async (text) => {
    while (!document.querySelector('#tabpanel').innerText.includes(text)) await globalThis.frame();
    return performance.timeOrigin + performance.now();
  }, `${seconds}.0`);
  await beat(seconds);
  const acknowledged = performance.timeOrigin + performance.now();
  note('acknowledged_to_drawn', 'bobbin', Math.max(0, (await seen) - acknowledged));
}
await browser.close();

for (const [key, values] of taken) {
  const [metric, unit, variant] = JSON.parse(key);
  console.log(JSON.stringify({ metric, unit, variant, values: Array.isArray(values[0]) ? slowest(values) : values }));
}
