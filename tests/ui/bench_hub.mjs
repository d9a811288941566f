// How long a team's hub takes to answer its members, over TLS, as a browser asks.
//
//     bench_hub.mjs '{"size": "full|quick|smoke", "members": N, "clusters": N, "account": ID, "socket": PATH, "listening": {"tcp", "certificate_sha256"}}'
//
// Every member is invited, joins and signs in as people do. Then questions take turns, in an order that changes with each
// repeat, each asked by the next member; then many members ask at once. Prints one JSON line a metric, one value a repeat.

import assert from 'node:assert/strict';
import { request as local } from 'node:http';
import { Agent, request } from 'node:https';
import { filtered, heatMap, list, overview, searches, slowest, sorts } from './support/questions.mjs';
import { dice } from './support/story.mjs';

const { size, members, clusters, account, socket, listening } = JSON.parse(process.argv[2]);
const repeats = { smoke: 2, quick: 10, full: 40 }[size];
/** Who ask at once, and how often. */
const crowd = Math.min(members, { smoke: 3, quick: 20, full: 40 }[size]);
const rounds = { smoke: 1, quick: 3, full: 10 }[size];
const origin = `https://${listening.tcp}`;
const [host, port] = listening.tcp.split(':');

function answered(asked, body) {
  return new Promise((resolve, reject) => {
    asked.on('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part) => (text += part));
      response.on('end', () => resolve({ response, text }));
    });
    asked.on('error', reject).end(body);
  });
}

/** Whoever runs the hub, on its own machine. */
async function command(of) {
  const asked = local({ socketPath: socket, path: '/v1/command', method: 'POST', headers: { host: 'bobbin', 'content-type': 'application/json' } });
  const { response, text } = await answered(asked, JSON.stringify({ command: 'within', account, of }));
  assert.equal(response.statusCode, 200, text);
  return JSON.parse(text);
}

class Member {
  // The hub is known by its certificate, as laptops know it, and not by who signed that.
  agent = new Agent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: false });

  async send(path, type, body, headers = {}) {
    const asked = request({ host, port, path, method: 'POST', agent: this.agent, headers: { 'content-type': type, ...headers } });
    // A connection that is kept was looked at when it was made.
    asked.on('socket', (socket) => socket.connecting && socket.once('secureConnect', () => {
      const shown = socket.getPeerCertificate().fingerprint256.replaceAll(':', '').toLowerCase();
      assert.equal(shown, listening.certificate_sha256);
    }));
    return answered(asked, body);
  }

  static async joined(name) {
    const member = new Member();
    const { code } = await command({ command: 'invite', name, role: 'viewer', bundle: null, days: 1, token_days: 1 });
    const invite = code.slice(code.lastIndexOf(':') + 1);
    const { response, text } = await member.send('/v1/join', 'application/json', JSON.stringify({ invite, device: 'bench' }));
    assert.equal(response.statusCode, 200, text);
    member.token = JSON.parse(text).token;
    return member;
  }

  async signIn() {
    const { response } = await this.send('/sign-in', 'application/x-www-form-urlencoded', `token=${this.token}`, { origin });
    assert.equal(response.statusCode, 303);
    this.cookie = response.headers['set-cookie'][0].split(';')[0];
  }

  /** Milliseconds until the whole answer is here. */
  async ask([name, question]) {
    const begun = performance.now();
    const { response, text } = await this.send(`/api/${name}`, 'application/json', JSON.stringify(question), { origin, cookie: this.cookie });
    const took = performance.now() - begun;
    assert.equal(response.statusCode, 200, text);
    return { took, answer: JSON.parse(text) };
  }
}

const taken = new Map();
const note = (metric, value) => taken.set(metric, [...(taken.get(metric) ?? []), value]);

const all = [];
for (let one = 0; one < members; one++) all.push(await Member.joined(`member ${one}`));
for (const one of all) await one.signIn();

const { answer: newest } = await all[0].ask(list);
assert.equal(newest.total, clusters);
const questions = {
  overview_28_days: [overview(28)],
  overview_year: [overview(364)],
  heat_map_year: [heatMap(364)],
  list_newest: [list],
  list_slowest_sort: sorts,
  list_slowest_filter: filtered,
  search_slowest: searches,
  cluster: [['cluster', { id: newest.rows[0].id }]],
};

const roll = dice(7);
const shuffled = (things) => things.map((one) => [roll(), one]).sort(([a], [b]) => a - b).map(([, one]) => one);
let turn = 0;
const next = () => all[turn++ % all.length];
for (let repeat = 0; repeat < repeats; repeat++) {
  for (const [metric, asked] of shuffled(Object.entries(questions))) {
    const times = [];
    for (const question of asked) times.push((await next().ask(question)).took);
    note(metric, times);
  }
}

for (let round = 0; round < rounds; round++) {
  const asking = all.slice(0, crowd).map(async (one) => [(await one.ask(questions.overview_28_days[0])).took, (await one.ask(list)).took]);
  for (const [first, second] of await Promise.all(asking)) {
    note(`overview_28_days_of_${crowd}_at_once`, first);
    note(`list_newest_of_${crowd}_at_once`, second);
  }
}

for (const one of all) one.agent.destroy();
for (const [metric, values] of taken) {
  console.log(JSON.stringify({ metric, unit: 'ms', variant: 'bobbin', values: Array.isArray(values[0]) ? slowest(values) : values }));
}
