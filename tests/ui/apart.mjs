// Run by network.test.mjs in a network of its own: Bobbin is started, everything is clicked, and it is told what was sent to anywhere else.

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { Bobbin, binary } from './support/bobbin.mjs';
import { launch, until, Visitor } from './support/browser.mjs';
import { Clicker } from './support/clicker.mjs';
import { busy, past } from './support/story.mjs';

const run = promisify(execFile);
const [interfaceName, log] = process.argv.slice(2);

/** What was sent by the way to the world, as a line of each packet. */
const sent = [];
const logger = spawn('python3', [log, interfaceName], { stdio: ['ignore', 'pipe', 'inherit'] });
const lines = createInterface({ input: logger.stdout });
await once(lines, 'line');
lines.on('line', (line) => sent.push(line));

/** What was sent since this was asked last. A packet of one's own is sent behind it: once that is in the log, so is the rest. */
async function caughtUp() {
  const own = 'tcp to 192.0.2.9 port 9';
  const socket = connect({ host: '192.0.2.9', port: 9 });
  socket.on('error', () => {});
  await until(() => sent.includes(own));
  socket.destroy();
  return [...new Set(sent.splice(0))].filter((line) => line !== own);
}

/** That something goes out, and is seen. */
const seen = (what) => until(() => sent.includes(what), 20_000).then(() => what);

/** Bobbin looks for a hub that is not there. */
async function joining(name, what) {
  const dir = join(home, name);
  const hub = spawn(binary, ['hub', '--hub-dir', dir, 'serve', '--listen', '127.0.0.1:0', '--name', `${name}:8789`], { stdio: ['ignore', 'pipe', 'ignore'] });
  const at = async (...args) => JSON.parse((await run(binary, ['hub', '--hub-dir', dir, ...args, '--json'])).stdout);
  let laptop;
  try {
    await once(createInterface({ input: hub.stdout }), 'line');
    await at('account', 'add', 'blue');
    const { code } = await at('--account', 'blue', 'invite', 'new', 'Ada');
    laptop = spawn(binary, ['join', code, '--data-dir', join(bobbin.home, 'data')], { stdio: 'ignore' });
    return await seen(what);
  } finally {
    laptop?.kill('SIGKILL');
    hub.kill('SIGTERM');
  }
}

const home = await mkdtemp(join(tmpdir(), 'bobbin-clicked-'));
const said = {};
const bobbin = await Bobbin.start('--demo');
// What a browser asks its maker for by itself is none of the page's doing.
const makers = ['google.com', 'googleapis.com', 'gstatic.com', 'gvt1.com'].flatMap((name) => [`MAP ${name} ~NOTFOUND`, `MAP *.${name} ~NOTFOUND`]);
const browser = await launch({ args: [`--host-resolver-rules=${makers.join(', ')}`] });
try {
  const now = Date.now() * 1000;
  await bobbin.post(past('past', { name: 'past' }, { at: now - 86_400e6, seconds: 300, busy: 0.5, tasks: 40, erred: 2 }));
  for (const batch of busy(now).batches) await bobbin.post(batch);
  const visitor = await Visitor.enter(browser, bobbin, { acceptDownloads: true });
  const { page } = visitor;
  const own = async (text) => (await visitor.ask('clusters', { text })).rows[0].id;
  const [first, second] = [await own('nightly'), await own('past')];
  said.before = await caughtUp();

  // What takes away what the rest is about is used at the end.
  const removing = ['delete', 'remove', 'forget', 'rotate', 'replace', 'lock', 'pause'];
  const clicker = new Clicker(page, ['cancel', 'close', ...removing]);
  const tabs = ['groups', 'graph', 'computations', 'exceptions', 'workers', 'activity', 'profile', 'cost', 'events', 'facts'];
  const sections = ['receiver', 'storage', 'prices', 'people', 'privacy', 'inbox', 'team', 'desktop', 'appearance', 'doctor', 'updates', 'keys'];
  const views = [
    ...tabs.map((tab) => `cluster/${first}?tab=${tab}`),
    'overview', 'clusters', 'exceptions', 'costs', 'prices', `compare?a=${second}&b=${first}`, `profile?ids=${first}`,
    'connect', 'sql?sql=select+1', 'review', `review?ids=${first},${second}`, 'ledger', 'nowhere',
    ...sections.map((section) => `settings/${section}`),
  ];
  for (const view of views) await clicker.all(view);
  said.clicked = Object.keys(clicker.done);
  said.elsewhere = visitor.complaints.filter((what) => what.startsWith('request to '));
  said.faults = visitor.complaints.filter((what) => /^(policy|error): /.test(what));

  // A report is a file that whoever has it opens.
  const report = join(home, 'report.html');
  await run(binary, ['report', String(first), '--output', report, '--data-dir', join(bobbin.home, 'data')]);
  const reading = await visitor.context.newPage();
  reading.on('pageerror', (error) => said.faults.push(`report: ${error.stack}`));
  await reading.goto(pathToFileURL(report).href);
  await reading.waitForSelector('h1');
  const reader = new Clicker(reading);
  await reader.all('');
  said.clicked_in_report = Object.keys(reader.done);
  said.while_clicked = await caughtUp();
  said.connections = (await visitor.ask('ledger')).connections;

  // None of it would have gone unseen: a page that loads from elsewhere, and Bobbin itself, which asks for a name or not.
  const away = await visitor.context.newPage();
  void away.goto('http://192.0.2.1/').catch(() => {});
  said.page_elsewhere = await seen('tcp to 192.0.2.1 port 80');
  await away.close();
  said.bobbin_elsewhere = await joining('192.0.2.1', 'tcp to 192.0.2.1 port 8789');
  said.bobbin_asks = await joining('hub.example', 'udp to 192.0.2.53 port 53 for hub.example');
  console.log(JSON.stringify(said));
} finally {
  await browser.close();
  await bobbin.remove();
  logger.kill();
  await rm(home, { recursive: true, force: true });
}
