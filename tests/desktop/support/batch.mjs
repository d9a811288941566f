// Small batches of a made-up cluster, in the format of crates/core/src/wire/README.md.

/**
 * Beat `number` (from 0) of a cluster, so many minutes ago: `tasks` tasks done so far; idle for so many minutes, where there are no more;
 * `watched` where its scheduler says how long none may end; `interval` is how often it says that it reports, in seconds; `closes` where it
 * allows to be closed from afar.
 */
export function beat(cluster, number, { tasks, erred = 0, name = cluster, idle_minutes = null, minutes_ago = 0, watched = false, interval = 1, closes = false }) {
  const now = Date.now() * 1000 - minutes_ago * 60_000_000;
  const idle_since = idle_minutes === null ? null : now - idle_minutes * 60_000_000;
  const records = [];
  if (number === 0) records.push(about(name, (idle_since ?? now) - 1_000_000, interval, closes));
  const stall = watched ? { limit_micros: 60_000_000, group_id: 'g1', same_stacks: null } : null;
  records.push({ ...sample(now, tasks, erred, idle_since), stall }, group(idle_since ?? now, tasks, idle_since));
  return batch(cluster, number, number === 0 ? 1 : 2 + 2 * number, records);
}

/** The end of a cluster after so many beats. */
export function goodbye(cluster, beats) {
  return batch(cluster, beats, 2 + 2 * beats, [{ kind: 'stop', at_micros: Date.now() * 1000, reason: 'closed' }]);
}

function batch(cluster, number, first_seq, records) {
  const header = {
    kind: 'header',
    protocol: 1,
    cluster_id: `Scheduler-${cluster}`,
    instance_id: `instance-${cluster}`,
    first_seq,
    records: records.length,
    sent_at_micros: Date.now() * 1000,
    monotonic_micros: 1_000_000 * (number + 1),
    plugin_version: '0.1.0',
  };
  return [header, ...records].map((record) => `${JSON.stringify(record)}\n`).join('');
}

const about = (name, now, interval, closes) => ({
  kind: 'cluster',
  at_micros: now,
  name,
  cluster_class: 'LocalCluster',
  scheduler_address: 'tcp://127.0.0.1:40123',
  dashboard_url: 'http://127.0.0.1:8787/status',
  started_micros: now,
  user: 'ada',
  host: 'laptop',
  project: 'weather',
  tags: {},
  versions: { dask: '2026.8.0', distributed: '2026.8.0' },
  python_version: '3.11.7',
  python_path: '~/env/bin/python',
  os: 'Linux',
  architecture: 'x86_64',
  plugin_version: '0.1.0',
  interval_micros: interval * 1_000_000,
  switches: { code: true, profile: false, remote_close: closes },
});

/** None where there is nothing to do any more. */
const processing = (idle_since) => (idle_since === null ? { processing: 4 } : {});

const sample = (now, tasks, erred, idle_since) => ({
  kind: 'sample',
  at_micros: now,
  workers: 2,
  threads: 4,
  memory_limit_bytes: 8_000_000_000,
  memory_used_bytes: 400_000_000,
  memory_managed_bytes: 100_000_000,
  memory_unmanaged_bytes: 300_000_000,
  memory_spilled_bytes: 0,
  tasks: { ...processing(idle_since), memory: tasks },
  idle_since_micros: idle_since,
  loop_lag_micros: 1_000,
  totals: { compute: tasks / 2, thread_seconds: tasks, tasks_completed: tasks, tasks_erred: erred, result_bytes: tasks * 1_000 },
});

const group = (now, tasks, idle_since) => ({
  kind: 'task_group',
  at_micros: now,
  group_id: 'g1',
  name: 'inc-0123456789abcdef0123456789abcdef',
  prefix: 'inc',
  states: { memory: tasks, ...processing(idle_since) },
  seconds: { compute: tasks / 2 },
  result_bytes: tasks * 1_000,
  types: ['int'],
  start_micros: now - 1_000_000,
  stop_micros: now,
  dependencies: [],
  final: false,
});
