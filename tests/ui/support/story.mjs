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
    const { name, user, host, project, tags, started, interval, code = true } = this.about;
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
      python_version: '3.11.9',
      python_path: '~/envs/etl/bin/python',
      os: 'Linux 6.1',
      architecture: 'x86_64',
      plugin_version: '0.1.0',
      interval_micros: interval,
      switches: { code, profile: false, remote_close: false, events_allow: [] },
    };
  }

  sample(at, { workers = 4, tasks = {}, totals = {}, managed = 0.6, spilled = 0, idle = null } = {}) {
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
      cost: { beat_micros: 1840, sent_bytes: 41_233, hook_errors: 0, waiting_records: 0 },
    };
  }

  group(at, id, { prefix = id, states = {}, seconds = {}, bytes = 0, start = at, stop = at, needs = [], final = false } = {}) {
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
    };
  }

  computation(at, id, { start, stop = null, groups = [], states = {}, code = undefined }) {
    return { kind: 'computation', at_micros: at, computation_id: id, start_micros: start, stop_micros: stop, groups, states, ...(code === undefined ? {} : { code }) };
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

/** A cluster at work, with everything that its page can show. */
export function busy(now, about = {}) {
  const start = now - 300 * second;
  const story = new Story('busy', { name: 'nightly 2026-11-20', project: 'nightly-etl', tags: { env: 'prod' }, interval: 120 * second, ...about, started: start });
  const beats = 60;
  const before = [story.cluster()];
  const after = [];
  for (let i = 0; i <= beats; i++) {
    if (i > 36 && i < 40) continue;
    const at = start + i * 5 * second;
    const workers = i < 3 ? 1 : i < 28 ? 5 : 8;
    const threads = workers * 4;
    const totals = {
      compute: i * 52 + 30 * Math.sin(i / 4),
      transfer: i * 9,
      disk_read: i > 40 ? (i - 40) * 2 : 0,
      disk_write: i > 40 ? i - 40 : 0,
      deserialize: i * 0.2,
      thread_seconds: i * 5 * threads,
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
    });
    (i <= 36 ? before : after).push(sample);
  }
  const prefixes = ['read-parquet', 'merge-shuffle', 'lambda', 'groupby-agg', 'getitem', 'hash-join-transfer', 'repartition', 'sum-part'];
  for (let i = 0; i < 40; i++) {
    const size = 1600 / (i * i * 0.4 + 1);
    const at = start + (6 + i * 4) * second;
    const working = i < 3;
    after.push(
      story.group(now, `g${i}`, {
        prefix: prefixes[i % prefixes.length],
        states: working ? { waiting: 300, processing: 12, memory: 180, released: 600, erred: i === 2 ? 3 : 0 } : { memory: i % 3, released: 700 - i * 9 },
        seconds: { compute: size, transfer: i % 3 ? size * 0.22 : 0, disk_read: i % 6 ? 0 : size * 0.06, disk_write: i % 6 ? 0 : size * 0.03, deserialize: size * 0.004 },
        bytes: Math.round(size * 5_000_000),
        start: at,
        stop: working ? now - second : at + Math.round((20 + size / 20) * second),
        needs: i > 0 ? [`g${i - 1}`] : [],
        final: i > 25,
      }),
    );
  }
  const frame = { code, filename: '/home/ana/projects/etl/jobs/nightly.py', line_relative: 8, line: 49 };
  const cell = { code: 'summary = nightly("2026-11-20")\nsummary.describe()\n', filename: '<ipython-input-12>', line_relative: 0, line: 1 };
  after.push(
    story.computation(now, 'c3', { start: now - 90 * second, groups: ['g0', 'g1', 'g2'], states: { waiting: 300, processing: 12, memory: 180, released: 600, erred: 3 }, code: [cell, frame] }),
    story.computation(now, 'c2', { start: now - 200 * second, stop: now - 120 * second, groups: ['g3', 'g4'], states: { released: 1300 }, code: [frame] }),
    story.computation(now, 'c1', { start: now - 290 * second, stop: now - 230 * second, groups: ['g5'], states: { released: 650 } }),
    story.exception(now - 100 * second, 'e1', { group_id: 'g2', group: `lambda-${hash('g2')}` }),
    story.exception(now - 60 * second, 'e2', {
      origin: 'dask',
      exception_type: 'distributed.scheduler.KilledWorker',
      message: "Attempted to run task 'merge-shuffle' on 4 different workers, but all those workers died while running it.",
      traceback: null,
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
  const totals = { compute: 320, thread_seconds: 12_000, tasks_completed: 900, result_bytes: 3e9 };
  const samples = Array.from({ length: 30 }, (_, i) =>
    story.sample(start + i * 51 * second, { workers: 2, tasks: { released: Math.min(900, i * 300) }, totals: i > 3 ? totals : {}, idle: i > 3 ? start + 190 * second : null }),
  );
  return { story, batches: [story.batch([story.cluster(), ...samples])] };
}

/** Reports every 0.2 s, and then no more. */
export function lost(now) {
  const start = now - 400 * second;
  const story = new Story('lost', { name: 'killed-by-oom', user: 'chidi', project: 'churn-model', started: start, interval: 200_000 });
  const samples = Array.from({ length: 20 }, (_, i) =>
    story.sample(start + i * 15 * second, { workers: 6, tasks: { processing: 24, waiting: 400 - i * 12, released: i * 12 }, totals: { compute: i * 90, thread_seconds: i * 360, tasks_completed: i * 12 } }),
  );
  return { story, batches: [story.batch([story.cluster(), ...samples])] };
}
