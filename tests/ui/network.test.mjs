// Nothing leaves by itself: in a network of its own, of which every packet to the world is logged, everything of the page is clicked.

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';

/** A way to the whole world that ends in nothing, and a name server out there. The rest of the arguments runs in it. */
const network = `
set -e
ip link set lo up
ip link add world type veth peer name nothing
ip link set nothing up
ip link set world arp off up
ip address add 198.51.100.2/24 dev world
ip -6 address add 2001:db8::2/64 dev world nodad
ip route add default dev world
ip -6 route add default dev world
mount --bind "$1/resolv.conf" /etc/resolv.conf
mount --bind "$1/nsswitch.conf" /etc/nsswitch.conf
shift
exec "$@"
`;

const folder = await mkdtemp(join(tmpdir(), 'bobbin-network-'));
await writeFile(join(folder, 'resolv.conf'), 'nameserver 192.0.2.53\n');
await writeFile(join(folder, 'nsswitch.conf'), 'hosts: files dns\n');
after(() => rm(folder, { recursive: true, force: true }));

const apart = (...command) => ['unshare', ['--net', '--mount', 'sh', '-c', network, 'network', folder, ...command]];
const path = (name) => fileURLToPath(new URL(name, import.meta.url));
const tried = spawnSync(...apart('true'), { encoding: 'utf8' });
const skip = tried.status === 0 ? false : `no network of one's own is permitted here: ${(tried.error?.message ?? tried.stderr).trim()}`;

let said;

before(async () => {
  if (skip) return;
  // A child of the runner of tests would be taken for one of its files.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const child = spawn(...apart(process.execPath, path('apart.mjs'), 'world', path('support/packets.py')), { stdio: ['ignore', 'pipe', 'inherit'], env });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (part) => (text += part));
  const [code] = await once(child, 'close');
  assert.equal(code, 0, 'what runs in the network of its own failed');
  said = JSON.parse(text);
});

test('every section, dialog and setting, the demo and a report are clicked, and no packet leaves', { skip }, () => {
  const { clicked, clicked_in_report: read } = said;
  assert.ok(clicked.length > 400, `${clicked.length} things were clicked`);
  assert.ok(read.length > 50, `${read.length} things of the report were clicked`);
  const places = ['cluster/#', 'overview', 'clusters', 'exceptions', 'costs', 'prices', 'compare', 'connect', 'sql', 'review', 'ledger'];
  const sections = ['receiver', 'storage', 'prices', 'people', 'privacy', 'inbox', 'team', 'desktop', 'appearance', 'doctor', 'updates', 'keys'].map((section) => `settings/${section}`);
  for (const place of [...places, ...sections]) assert.ok(clicked.some((what) => what.startsWith(`${place}:`)), `nothing of ${place} was clicked`);
  for (const what of [/Save report/, /Replay the/, /Connect this machine/, /Review the bytes/, /Copy as SQL/, /^dialog “Views”/, /Close .*\?/, /“Lock”/, /Load the samples|Open samples/])
    assert.ok(clicked.some((one) => what.test(one)), `${what} was not clicked`);
  assert.deepEqual(said.faults, []);
  assert.deepEqual(said.elsewhere, []);
  assert.deepEqual(said.before, []);
  assert.deepEqual(said.while_clicked, []);
  assert.equal(said.connections, 0, 'the ledger says so, too');
});

test('a packet would have been seen: of the page, of Bobbin, and of a name that is asked for', { skip }, () => {
  assert.equal(said.page_elsewhere, 'tcp to 192.0.2.1 port 80');
  assert.equal(said.bobbin_elsewhere, 'tcp to 192.0.2.1 port 8789');
  assert.equal(said.bobbin_asks, 'udp to 192.0.2.53 port 53 for hub.example');
});
