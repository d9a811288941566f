// Made-up clusters as batches, in the format of crates/core/src/wire/README.md. The same numbers every time.

const second = 1_000_000;
const gib = 1024 ** 3;

/** A plain generator: stories must not differ from run to run. */
export function dice(seed) {
  return () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return seed / 2_147_483_648;
  };
}

/** One cluster: keeps its sequence numbers, makes its batches. */
export class Story {
  constructor(key, about = {}) {
    this.key = key;
    this.seq = 1;
    this.about = { name: key, user: 'ana', host: 'laptop', project: null, tags: {}, started: Date.now() * 1000, interval: 10 * second, ...about };
  }

  batch(records, { skip = 0 } = {}) {
    this.seq += skip;
    const header = {
      kind: 'header',
      protocol: 1,
      cluster_id: `Scheduler-${this.key}`,
      instance_id: `instance-${this.key}`,
      first_seq: this.seq,
      records: records.length,
      sent_at_micros: Date.now() * 1000,
      monotonic_micros: this.seq * second,
      plugin_version: '0.1.0',
    };
    this.seq += records.length;
    return [header, ...records].map((record) => `${JSON.stringify(record)}\n`).join('');
  }

  cluster() {
    const { name, user, host, project, tags, started, interval, code = true, switches = {}, more = {} } = this.about;
    return {
      kind: 'cluster',
      at_micros: started,
      name,
      cluster_class: 'LocalCluster',
      scheduler_address: 'tcp://127.0.0.1:40123',
      dashboard_url: 'http://127.0.0.1:8787/status',
      started_micros: started,
      user,
      host,
      project,
      tags,
      versions: { dask: '2026.8.0', distributed: '2026.8.0', numpy: '2.4.1', pandas: '3.0.2', lz4: null },
      host_versions: { 'python-bits': '64', byteorder: 'little', LC_ALL: null, LANG: 'C.UTF-8' },
      python_version: '3.11.9',
      python_path: '~/envs/etl/bin/python',
      os: 'Linux 6.1',
      architecture: 'x86_64',
      plugin_version: '0.1.0',
      interval_micros: interval,
      switches: { code, profile: false, remote_close: false, events_allow: [], ...switches },
      ...more,
    };
  }

  sample(at, { workers = 4, tasks = {}, totals = {}, managed = 0.6, spilled = 0, idle = null, cost = {}, ...more } = {}) {
    const used = workers * gib;
    return {
      kind: 'sample',
      at_micros: at,
      workers,
      threads: workers * 4,
      memory_limit_bytes: workers * 4 * gib,
      memory_used_bytes: Math.round(used),
      memory_managed_bytes: Math.round(used * managed),
      memory_unmanaged_bytes: Math.round(used * (1 - managed)),
      memory_spilled_bytes: Math.round(spilled),
      tasks,
      idle_since_micros: idle,
      loop_lag_micros: 900,
      totals: { compute: 0, thread_seconds: 0, tasks_completed: 0, tasks_erred: 0, result_bytes: 0, ...totals },
      cost: { beat_micros: 1840, hook_micros: 310, loop_share: 0.00021, sent_bytes: 41_233, hook_errors: 0, waiting_records: 0, shed_records: 0, spooled_bytes: 0, ...cost },
      ...more,
    };
  }

  worker(at, id, event, more = {}) {
    return {
      kind: 'worker',
      at_micros: at,
      worker_id: `${this.key}-${id}`,
      address: `tcp://10.0.0.${id % 250}:${40_000 + id}`,
      name: `worker-${id}`,
      host: `node-${id % 4}`,
      event,
      cause: null,
      expected: null,
      threads: 4,
      memory_limit_bytes: 4 * gib,
      resources: {},
      nanny: true,
      ...more,
    };
  }

  metric(at, context, prefix, activity, unit, value, span_id = null) {
    return { kind: 'metric', at_micros: at, span_id, context, prefix, activity, unit, value };
  }

  span(at, id, { parent = null, name = id, tags = [name], start = at, stop = null, enqueued = start, groups = [] } = {}) {
    return { kind: 'span', at_micros: at, span_id: id, parent_id: parent, name, tags, start_micros: start, stop_micros: stop, enqueued_micros: enqueued, groups };
  }

  /** `functions`: `[name, file, line, text, samples]`, each called by the one before it. */
  /** `lines`: place of the function, line, its text, samples that ended there, and those there or in what it called. */
  profile(at, prefix, functions, { from = at - 30 * second, unattributed = 0, lines = [] } = {}) {
    const told = [...functions.flatMap(([name, file, , text]) => [name, file, text]), ...lines.map(([, , text]) => text)];
    const strings = [...new Set(told)].filter((text) => text !== null);
    const place = (text) => (text === null ? null : strings.indexOf(text));
    return {
      kind: 'profile',
      at_micros: at,
      from_micros: from,
      to_micros: at,
      prefix,
      samples: functions.reduce((sum, [, , , , n]) => sum + n, unattributed),
      sample_micros: 10_000,
      unattributed,
      strings,
      frames: { name: functions.map(([name]) => place(name)), file: functions.map(([, file]) => place(file)), line: functions.map(([, , line]) => line), text: functions.map(([, , , text]) => place(text)) },
      stacks: { parent: functions.map((_, i) => i - 1), frame: functions.map((_, i) => i) },
      leaves: { stack: functions.map((_, i) => i), count: functions.map(([, , , , n]) => n) },
      ...(lines.length === 0 ? {} : { lines: { frame: lines.map(([frame]) => frame), line: lines.map(([, line]) => line), text: lines.map(([, , text]) => place(text)), ended: lines.map(([, , , n]) => n), samples: lines.map(([, , , , n]) => n) } }),
    };
  }

  event(at, topic, payload, count = null) {
    return { kind: 'event', at_micros: at, topic, payload, count };
  }

  group(at, id, { prefix = id, states = {}, seconds = {}, bytes = 0, start = at, stop = at, needs = [], final = false, ...more } = {}) {
    return {
      kind: 'task_group',
      at_micros: at,
      group_id: id,
      name: `${prefix}-${hash(id)}`,
      prefix,
      states,
      seconds,
      result_bytes: bytes,
      types: ['pandas.core.frame.DataFrame'],
      start_micros: start,
      stop_micros: stop,
      dependencies: needs,
      final,
      ...more,
    };
  }

  computation(at, id, { start, stop = null, groups = [], states = {}, code = undefined, retried = 0 }) {
    return { kind: 'computation', at_micros: at, computation_id: id, start_micros: start, stop_micros: stop, groups, states, retried, ...(code === undefined ? {} : { code }) };
  }

  exception(at, id, more = {}) {
    return {
      kind: 'exception',
      at_micros: at,
      exception_id: id,
      group_id: null,
      group: null,
      origin: 'user',
      exception_type: 'ZeroDivisionError',
      message: 'division by zero',
      traceback: traceback,
      worker: 'tcp://127.0.0.1:40999',
      first_seen_micros: at - 20 * second,
      last_seen_micros: at,
      count: 3,
      dependents: 14,
      ...more,
    };
  }

  stop(at, reason = 'closed') {
    return { kind: 'stop', at_micros: at, reason };
  }
}

function hash(text) {
  let h = 2_166_136_261;
  for (const c of text) h = Math.imul(h ^ c.charCodeAt(0), 16_777_619) >>> 0;
  return h.toString(16).padStart(8, '0').repeat(4);
}

export const traceback = `Traceback (most recent call last):
  File "/home/ana/etl/clean.py", line 41, in clean
    ratio = record["views"] / record["clicks"]
            ~~~~~~~~~~~~~~~~^~~~~~~~~~~~~~~~~~
ZeroDivisionError: division by zero
`;

export const code = `def nightly(day):
    """Reads a day of events, joins and sums them."""
    events = dd.read_parquet(f"s3://lake/events/{day}")
    users = dd.read_parquet("s3://lake/users")
    joined = events.merge(users, on="user_id")
    # most rows have no clicks
    joined["ratio"] = joined.views / joined.clicks.map(lambda n: max(n, 1))
    daily = joined.groupby("country").agg({"ratio": "mean", "clicks": "sum"})
    result = daily.compute()
    result.to_parquet(f"/home/ana/out/{day}.parquet")
    for name in ["a", "b"]:
        print(name, 1.5, None)
    return result
`;

/** Names that would do harm if they were not drawn as text. */
export const hostile = {
  html: '<img src=x onerror="document.title=1">',
  bidi: 'live \u202Etxt.exe\u202C end',
  long: 'a'.repeat(200),
};

/** A cluster that is over, with one day's work: `[first batch]`. */
export function past(key, about, { at, seconds, busy, tasks, erred = 0, workers = 4 }) {
  const story = new Story(key, { ...about, started: at });
  const end = at + Math.round(seconds * second);
  const threads = workers * 4;
  const totals = { compute: seconds * threads * busy, transfer: seconds * 0.4, thread_seconds: seconds * threads, tasks_completed: tasks, tasks_erred: erred, result_bytes: tasks * 2_500_000 };
  const records = [
    story.cluster(),
    story.sample(at, { workers: 1, tasks: { waiting: tasks } }),
    story.sample(end, { workers, tasks: { released: tasks, erred }, totals }),
    story.group(end, `${key}-inc`, { prefix: 'inc', states: { released: tasks, erred }, seconds: { compute: totals.compute, transfer: totals.transfer }, bytes: totals.result_bytes, start: at, stop: end }),
  ];
  if (erred > 0) records.push(story.exception(end, `${key}-e`, { group: 'inc', count: erred, dependents: 2 }));
  records.push(story.stop(end));
  return story.batch(records);
}

/** Many clusters over four weeks; some days have none, one has reported and computed nothing. */
export function weeks(count, now) {
  const roll = dice(11);
  const projects = ['nightly-etl', 'churn-model', 'weather', hostile.html, 'geo-tiles', 'ad-hoc'];
  const users = ['ana', 'bo', 'chidi', 'dara', 'eun-ji'];
  const batches = [];
  for (let i = 0; i < count; i++) {
    const project = projects[Math.floor(roll() ** 1.4 * projects.length)];
    const age = (0.2 + roll() * 26.6) * 86_400 * second;
    const about = { name: `${['etl', 'train', 'tiles', 'shuffle'][i % 4]}-${1000 + i}`, user: users[Math.floor(roll() * 5)], host: `host-${i % 3}`, project: i % 9 === 4 ? null : project, tags: i % 4 ? {} : { env: 'prod' } };
    batches.push(
      past(`past-${i}`, about, {
        at: Math.round(now - age),
        seconds: 60 + roll() * roll() * 9000,
        busy: i % 41 === 7 ? 0 : 0.05 + roll() * 0.85,
        tasks: 12 + Math.floor(roll() * roll() * 60_000),
        erred: roll() < 0.14 ? 1 + Math.floor(roll() * 30) : 0,
        workers: 1 + Math.floor(roll() * 16),
      }),
    );
  }
  return batches;
}

/** What a state machine of Dask's says of itself when it finds a fault. */
export const packet = `{'stimulus_id': 'task-finished-1763630000.1',
 'key': "('merge-shuffle-9c2e', 3)",
 'last_workers': ['tcp://10.0.0.9:40009', 'tcp://10.0.0.8:40008'],
 'story': [('processing', 'released'), ('released', 'waiting'), ('waiting', 'processing')],
 'token': 'password=hunter2hunter2'}
`;

/** Sums over the workers of one sample. */
function hardware(threads, i) {
  return {
    cpu_percent: threads * 100 * (0.55 + 0.3 * Math.sin(i / 4)),
    network_read_bytes_per_s: 8_000_000 * (1 + Math.sin(i / 5)),
    network_write_bytes_per_s: 6_000_000 * (1 + Math.cos(i / 6)),
    disk_read_bytes_per_s: i > 40 ? 3_000_000 : 0,
    disk_write_bytes_per_s: i > 40 ? 9_000_000 : 200_000,
    worker_lag_micros: Math.round(20_000 + 15_000 * Math.sin(i / 3)),
  };
}

/** `total` in parts as the weights are. */
function shared(total, weights) {
  const all = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => (total * weight) / all);
}

/** Fine metrics as Dask's workers tell them. */
function fine(story, now, compute) {
  const out = [];
  const prefixes = ['read-parquet', 'merge-shuffle', 'lambda', 'groupby-agg', 'getitem'];
  // Nine tenths of each are computing.
  const sizes = shared(compute / 0.9, prefixes.map((_, i) => 1 / (i + 1)));
  for (const [i, prefix] of prefixes.entries()) {
    const size = sizes[i];
    const span = i % 2 ? 's-join' : 's-load';
    for (const [activity, part] of [['thread-cpu', 0.7], ['thread-noncpu', 0.2], ['deserialize', 0.03], ['executor', 0.04], ['disk-read', 0.02], ...(i === 2 ? [['failed', 0.1]] : [])])
      out.push(story.metric(now, 'execute', prefix, activity, 'seconds', size * part, span));
    out.push(story.metric(now, 'execute', prefix, 'disk-read', 'bytes', size * 9e6, span), story.metric(now, 'execute', prefix, 'disk-read', 'count', Math.round(size), span));
  }
  for (const [context, activity, seconds, bytes] of [['gather-dep', 'network', 210, 7e10], ['gather-dep', 'decompress', 12, 9e10], ['get-data', 'network', 160, 7e10], ['get-data', 'compress', 30, 7e10], ['memory-monitor', 'disk-write', 44, 2e10]])
    out.push(story.metric(now, context, null, activity, 'seconds', seconds), story.metric(now, context, null, activity, 'bytes', bytes), story.metric(now, context, null, activity, 'count', Math.round(seconds * 3)));
  return out;
}

function profiles(story, now) {
  const pandas = '/opt/env/lib/python3.11/site-packages/pandas/core';
  const mine = '/home/ana/projects/etl/clean.py';
  return [
    story.profile(now - 30 * second, 'lambda', [['clean', mine, 31, 'ratio = record["views"] / record["clicks"]', 420], ['merge', `${pandas}/reshape/merge.py`, 148, 'return op.get_result(copy=copy)', 610], ['_get_join_indexers', `${pandas}/reshape/merge.py`, 1720, 'lkey, rkey, count = _factorize_keys(lk, rk)', 1130]], { unattributed: 90, lines: [[0, 42, 'joined = views.merge(clicks)', 120, 1860], [0, 43, 'return joined.query("ratio > 0")', 300, 300]] }),
    story.profile(now - 30 * second, 'read-parquet', [['read_partition', '/opt/env/lib/python3.11/site-packages/dask/dataframe/io/parquet/arrow.py', 562, 'arrow_table = cls._read_table(', 40], ['read_table', '/opt/env/lib/python3.11/site-packages/pyarrow/parquet/core.py', 1793, 'return dataset.read(columns=columns)', 780]]),
    story.profile(now - 30 * second, null, [['serialize', '/opt/env/lib/python3.11/site-packages/distributed/protocol/serialize.py', 279, 'header, frames = dumps(x)', 130]]),
  ];
}

/** A cluster at work, with everything that its page can show. */
export function busy(now, about = {}) {
  const start = now - 300 * second;
  const mismatches = [
    { package: 'numpy', where: 'client', version: '2.3.0', count: 1 },
    { package: 'lz4', where: 'worker', version: '4.4.4', count: 3 },
  ];
  const switches = { profile: true, remote_close: true };
  const story = new Story('busy', { name: 'nightly 2026-11-20', project: 'nightly-etl', tags: { env: 'prod' }, interval: 120 * second, switches, more: { mismatches, idle_timeout_micros: 3_600 * second }, ...about, started: start });
  const beats = 60;
  const before = [story.cluster()];
  const after = [];
  let totals;
  for (let i = 0; i <= beats; i++) {
    if (i > 36 && i < 40) continue;
    const at = start + i * 5 * second;
    const workers = i < 3 ? 1 : i < 28 ? 5 : 8;
    const threads = workers * 4;
    // One worker has nothing to do: it begins with the others.
    const worked = Math.max(0, i - 2);
    totals = {
      compute: worked * 54 + 30 * Math.sin(worked / 4),
      transfer: worked * 9,
      disk_read: i > 40 ? (i - 40) * 2 : 0,
      disk_write: i > 40 ? i - 40 : 0,
      deserialize: i * 0.2,
      // Of one worker for the first two beats, then of five, then of eight.
      thread_seconds: 20 * (Math.min(i, 2) + 5 * Math.max(0, Math.min(i, 27) - 2) + 8 * Math.max(0, i - 27)),
      tasks_completed: i * 70,
      tasks_erred: i > 30 ? 3 : 0,
      result_bytes: i * 70 * 1_800_000,
    };
    const sample = story.sample(at, {
      workers,
      tasks: { processing: Math.round(threads * (0.7 + 0.3 * Math.sin(i / 3))), waiting: Math.max(0, 4800 - i * 75), memory: 200 + i * 3, released: i * 65, erred: i > 30 ? 3 : 0 },
      totals,
      managed: 0.45 + 0.25 * Math.sin(i / 9),
      spilled: i > 40 ? (i - 40) * 0.12 * gib : 0,
      ...hardware(threads, i),
      last_completed_micros: at - second,
      stall: { limit_micros: 60 * second, same_stacks: false, group_id: 'g0' },
      workers_paused: i > 44 ? 1 : 0,
      cost: { loop_share: 0.0002 + (i === 30 ? 0.004 : 0) },
      workers_each: Array.from({ length: workers }, (_, w) => [
        `busy-${w}`,
        50 + 45 * Math.sin(i / 5 + w) + 200 * (w % 2),
        Math.round((0.7 + 0.2 * Math.sin(i / 9 + w) + (w === 6 ? 2.6 : 0)) * gib),
        Math.round(0.5 * gib),
        i > 40 ? Math.round((i - 40) * 0.015 * gib) : 0,
        2 + (w % 3),
        2_000 + w * 700,
      ]),
    });
    (i <= 36 ? before : after).push(sample);
  }
  const prefixes = ['read-parquet', 'merge-shuffle', 'lambda', 'groupby-agg', 'getitem', 'hash-join-transfer', 'repartition', 'sum-part'];
  // Groups share what the last sample told of all.
  const sizes = shared(totals.compute, Array.from({ length: 40 }, (_, i) => 1 / (i * i * 0.4 + 1)));
  const part = (total, has) => shared(total, sizes.map((size, i) => (has(i) ? size : 0)));
  const [transfer, disk_read, disk_write, deserialize] = [part(totals.transfer, (i) => i % 3 > 0), part(totals.disk_read, (i) => i % 6 === 0), part(totals.disk_write, (i) => i % 6 === 0), part(totals.deserialize, () => true)];
  for (let i = 0; i < 40; i++) {
    const size = sizes[i];
    const at = start + (6 + i * 4) * second;
    const working = i < 3;
    after.push(
      story.group(now, `g${i}`, {
        prefix: prefixes[i % prefixes.length],
        states: working ? { waiting: 300, processing: 12, memory: 180, released: 600, erred: i === 2 ? 3 : 0 } : { memory: i % 3, released: 700 - i * 9 },
        seconds: { compute: size, transfer: transfer[i], disk_read: disk_read[i], disk_write: disk_write[i], deserialize: deserialize[i] },
        bytes: Math.round(size * 5_000_000),
        start: at,
        stop: working ? now - second : at + Math.round((20 + size / 20) * second),
        needs: i > 0 ? [`g${i - 1}`] : [],
        final: i > 25,
        durations: i === 7 ? null : { count: 700 - i * 9, mean_seconds: size / 400, std_seconds: size / 700, p50_seconds: size / 500, p95_seconds: (size / 500) * (i % 5 === 1 ? 8.5 : 1.9), max_seconds: (size / 500) * (i % 5 === 1 ? 21 : 2.4) },
        retried: i === 1 ? 12 : 0,
        span_id: i % 2 ? 's-load' : 's-join',
      }),
    );
  }
  for (let w = 0; w < 10; w++) before.push(story.worker(w === 0 ? start : w < 5 ? start + 12 * second : start + (138 + w) * second, w, 'joined', w === 3 ? { resources: { GPU: 1 } } : {}));
  before.push(story.worker(start + 170 * second, 8, 'left', { cause: 'retired', expected: true }));
  after.push(
    story.worker(start + 200 * second, 9, 'paused'),
    story.worker(start + 214 * second, 9, 'killed', { cause: 'memory' }),
    story.worker(start + 215 * second, 9, 'left', { cause: 'memory', expected: false }),
    story.worker(start + 230 * second, 6, 'paused'),
    ...fine(story, now, totals.compute),
    story.span(now, 's-default', { name: 'default', start: start + 5 * second }),
    story.span(now, 's-load', { parent: 's-default', name: 'load', tags: ['default', 'load'], start: start + 6 * second, enqueued: start + 5 * second, stop: start + 120 * second, groups: ['g1', 'g3', 'g5'] }),
    story.span(now, 's-join', { parent: 's-default', name: 'join', tags: ['default', 'join'], start: start + 60 * second, enqueued: start + 58 * second, groups: ['g0', 'g2'] }),
    ...profiles(story, now),
    story.event(now, 'worker-restart-memory', null, 1),
    story.event(now, 'my-progress', null, 18_231),
    story.event(now, '(workers)', null, 4_120),
    story.event(now, '(clients)', null, 12),
  );
  const frame = { code, filename: '/home/ana/projects/etl/jobs/nightly.py', line_relative: 8, line: 49 };
  const cell = { code: 'summary = nightly("2026-11-20")\nsummary.describe()\n', filename: '<ipython-input-12>', line_relative: 0, line: 1 };
  after.push(
    story.computation(now, 'c3', { start: now - 90 * second, groups: ['g0', 'g1', 'g2'], states: { waiting: 300, processing: 12, memory: 180, released: 600, erred: 3 }, code: [cell, frame], retried: 12 }),
    story.computation(now, 'c2', { start: now - 200 * second, stop: now - 120 * second, groups: ['g3', 'g4'], states: { released: 1300 }, code: [frame] }),
    story.computation(now, 'c1', { start: now - 290 * second, stop: now - 230 * second, groups: ['g5'], states: { released: 650 } }),
    story.exception(now - 100 * second, 'e1', { group_id: 'g2', group: `lambda-${hash('g2')}` }),
    story.exception(now - 60 * second, 'e2', {
      origin: 'dask',
      exception_type: 'distributed.scheduler.KilledWorker',
      message: "Attempted to run task 'merge-shuffle' on 4 different workers, but all those workers died while running it.",
      traceback: null,
      details: packet,
      group_id: 'g1',
      group: `merge-shuffle-${hash('g1')}`,
      count: 1,
    }),
  );
  return { story, batches: [story.batch(before), story.batch(after, { skip: 3 })] };
}

/** Connected, had work, has none since. */
export function idle(now) {
  const start = now - 1500 * second;
  const story = new Story('idle', { name: 'notebook', user: 'bo', project: 'ad-hoc', started: start, interval: 120 * second });
  // Two workers of four threads, a sample every 51 s; it worked for the first four.
  const totals = (i) => ({ compute: Math.min(i, 4) * 80, thread_seconds: i * 51 * 8, tasks_completed: Math.min(i, 3) * 300, result_bytes: Math.min(i, 3) * 1e9 });
  const samples = Array.from({ length: 30 }, (_, i) =>
    story.sample(start + i * 51 * second, { workers: 2, tasks: { released: Math.min(900, i * 300) }, totals: totals(i), idle: i > 3 ? start + 190 * second : null, last_completed_micros: i > 3 ? start + 190 * second : null }),
  );
  const group = story.group(now, 'inc', { states: { released: 900 }, seconds: { compute: 320 }, bytes: 3e9, start, stop: start + 190 * second });
  return { story, batches: [story.batch([story.cluster(), ...samples, group])] };
}

/** Reports every 0.2 s, and then no more. */
export function lost(now) {
  const start = now - 400 * second;
  const story = new Story('lost', { name: 'killed-by-oom', user: 'chidi', project: 'churn-model', started: start, interval: 200_000 });
  const samples = Array.from({ length: 20 }, (_, i) =>
    story.sample(start + i * 15 * second, { workers: 6, tasks: { processing: 24, waiting: 400 - i * 12, released: i * 12 }, totals: { compute: i * 90, thread_seconds: i * 360, tasks_completed: i * 12 } }),
  );
  const end = start + 19 * 15 * second;
  const group = story.group(end, 'fit', { states: { processing: 24, waiting: 172, released: 228 }, seconds: { compute: 19 * 90 }, start, stop: end });
  return { story, batches: [story.batch([story.cluster(), ...samples, group])] };
}

/** Work is assigned, and for minutes none of it ends. */
export function stalled(now) {
  const start = now - 900 * second;
  const story = new Story('stalled', { name: 'stuck-shuffle', user: 'dara', project: 'geo-tiles', started: start, interval: 120 * second });
  const last = now - 260 * second;
  const samples = Array.from({ length: 45 }, (_, i) => {
    const at = start + i * 20 * second;
    const tasks = Math.min(i, 32) * 12;
    return story.sample(at, {
      workers: 3,
      tasks: { processing: 12, waiting: 700 - tasks, released: tasks },
      totals: { compute: tasks * 3, thread_seconds: i * 240, tasks_completed: tasks },
      ...hardware(12, i),
      last_completed_micros: Math.min(at, last),
      stall: { limit_micros: 60 * second, same_stacks: i > 40 ? true : null, group_id: 'slow' },
    });
  });
  const group = story.group(now, 'slow', { prefix: 'shuffle-p2p', states: { processing: 12, waiting: 300, released: 384 }, seconds: { compute: 1152 }, start, stop: last, durations: { count: 384, mean_seconds: 3, std_seconds: 0.4, p50_seconds: 2.9, p95_seconds: 4.1, max_seconds: 4.8 }, retried: 0 });
  return { story, batches: [story.batch([story.cluster(), ...samples, group, ...[0, 1, 2].map((w) => story.worker(start, w, 'joined'))])] };
}

/** Everything that can be switched off is. */
export function secretive(now) {
  const start = now - 200 * second;
  const switches = { code: false, profile: false, exceptions: false, names: false, user: false, host: false, paths: false, events_allow: [] };
  const story = new Story('secretive', { name: 'quiet-cluster', user: null, host: null, started: start, interval: 120 * second, switches, more: { python_path: 'python', scheduler_address: null, dashboard_url: null } });
  const sample = story.sample(now, { workers: 2, tasks: { processing: 3, released: 40, erred: 1 }, totals: { compute: 60, thread_seconds: 1600, tasks_completed: 41, tasks_erred: 1 }, last_completed_micros: now - 2 * second });
  return {
    story,
    batches: [
      story.batch([
        story.cluster(),
        sample,
        { ...story.group(now, 'g', { prefix: 'task-1f2e3d4c', states: { released: 40, processing: 3, erred: 1 }, seconds: { compute: 60 } }), name: 'task-1f2e3d4c-9a8b7c6d' },
        story.computation(now, 'c', { start, groups: ['g'], states: { released: 40, processing: 3, erred: 1 } }),
        story.exception(now, 'e', { message: null, traceback: null, group_id: 'g', group: 'task-1f2e3d4c-9a8b7c6d', worker: 'worker-1' }),
        ...[1, 2].map((w) => story.worker(start, w, 'joined', { address: `worker-${w}`, name: `worker-${w}`, host: null })),
        story.event(now, 'my-progress', null, 77),
      ]),
    ],
  };
}

/** A version of Dask from before spans, fine metrics, queueing and more. */
export function old(now) {
  const start = now - 300 * second;
  const versions = { dask: '2022.6.1', distributed: '2022.6.1', numpy: '1.23.0' };
  const unavailable = ['queued', 'spans', 'metrics', 'retries', 'idle_since', 'threads_history'];
  const story = new Story('old', { name: 'old-timer', user: 'eun-ji', project: 'weather', started: start, interval: 120 * second, more: { versions, unavailable, python_version: '3.9.19' } });
  const samples = Array.from({ length: 20 }, (_, i) => story.sample(start + i * 15 * second, { workers: 2, tasks: { processing: 6, released: i * 9 }, totals: { compute: i * 12, thread_seconds: i * 120, tasks_completed: i * 9 } }));
  const group = story.group(now, 'g', { prefix: 'inc', states: { released: 171, processing: 6 }, seconds: { compute: 228 }, start, retried: null });
  return { story, batches: [story.batch([story.cluster(), ...samples, group, story.computation(now, 'c', { start, groups: ['g'], states: { released: 171, processing: 6 }, retried: null })])] };
}

/** A thousand workers: too many to be told one by one. */
export function crowd(now, size = 1000) {
  const start = now - 600 * second;
  const story = new Story('crowd', { name: 'thousand', user: 'bo', project: 'geo-tiles', started: start, interval: 120 * second });
  const records = [story.cluster()];
  let thread_seconds = 0;
  for (let i = 0; i <= 60; i++) {
    const workers = Math.min(size, i * 50);
    thread_seconds += workers * 4 * 10;
    const five = (middle, spread, most) => [0, middle - spread, middle, middle + spread, most];
    records.push(
      story.sample(start + i * 10 * second, {
        workers,
        tasks: { processing: workers * 3, waiting: Math.max(0, 90_000 - i * 1400), released: i * 1400 },
        totals: { compute: thread_seconds * 0.6, thread_seconds, tasks_completed: i * 1400 },
        ...hardware(workers * 4, i),
        last_completed_micros: now - second,
        workers_bands: workers <= 64 ? null : { cpu_percent: five(200 + 60 * Math.sin(i / 6), 70, 400), memory_used_bytes: five(gib * (1.4 + 0.3 * Math.sin(i / 8)), gib * 0.4, gib * 3.8), memory_spilled_bytes: [0, 0, 0, gib * 0.05, gib * 1.2], processing: five(3, 1, 9) },
      }),
    );
  }
  records.push(story.group(now, 'simulate', { states: { processing: size * 3, waiting: 6000, released: 84_000 }, seconds: { compute: thread_seconds * 0.6 }, start, stop: now }));
  for (let w = 0; w < size; w++) records.push(story.worker(start + Math.floor(w / 50) * 10 * second + w * 1000, w, 'joined'));
  for (let w = 0; w < 30; w++) records.push(story.worker(start + (300 + w) * second, w * 7, 'killed', { cause: 'memory' }));
  return { story, batches: [story.batch(records)] };
}
