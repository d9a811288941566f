// Made-up clusters with graphs of task groups: one to read, one of thousands, and one that nobody would draw.

import { dice, Story } from './story.mjs';

const second = 1_000_000;
const mib = 1024 ** 2;
const code = [{ code: 'def nightly(day):\n    return joined.groupby("user").sum().compute()\n', filename: 'nightly.py', line_relative: 1, line: 42 }];

/** A night of real life: two sources are cleaned, joined, summed and written; part has failed and part is to come. */
export function nightly(now) {
  const started = now - 300 * second;
  const story = new Story('graph-nightly', { name: 'nightly graph', started, interval: 120 * second });
  const done = (n) => ({ memory: 0, released: n, forgotten: 0, erred: 0, processing: 0, waiting: 0 });
  const groups = [
    // Name, what it needs, tasks by state, seconds of compute, bytes, from and to in seconds.
    ['read-parquet', [], done(400), 620, 4200, 0, 80],
    ['read-csv', [], done(120), 190, 900, 0, 60],
    ['clean', ['read-parquet'], done(400), 240, 4000, 10, 95],
    ['parse-dates', ['read-csv'], done(120), 60, 880, 12, 66],
    ['drop-duplicates', ['parse-dates'], done(120), 45, 700, 20, 70],
    ['lookup', [], done(1), 2, 12, 0, 3],
    ['shuffle-transfer', ['clean'], done(400), 80, 3900, 40, 130],
    ['shuffle-transfer-right', ['drop-duplicates'], done(120), 20, 690, 42, 120],
    ['shuffle-barrier', ['shuffle-transfer', 'shuffle-transfer-right'], done(1), 0, 0, 130, 131],
    ['join', ['shuffle-barrier', 'lookup'], { released: 150, memory: 40, erred: 12, processing: 4, waiting: 94 }, 310, 2500, 131, 240],
    ['groupby-sum', ['join'], { memory: 60, processing: 4, waiting: 236 }, 90, 300, 150, 240],
    ['quality-checks', ['clean', 'join'], { memory: 10, erred: 3, waiting: 30 }, 33, 4, 100, 230],
    ['sum-agg', ['groupby-sum'], { waiting: 12 }, 0, 0, null, null],
    ['to-parquet', ['sum-agg', 'quality-checks'], { waiting: 12 }, 0, 0, null, null],
  ];
  const at = (s) => (s === null ? null : started + s * second);
  const records = [story.cluster(), story.sample(now - 30 * second, { tasks: { processing: 8, waiting: 384 } })];
  for (const [prefix, needs, states, compute, bytes, start, stop] of groups)
    records.push(
      story.group(now - 30 * second, `id-${prefix}`, {
        prefix,
        states,
        seconds: { compute, transfer: compute / 8, disk_read: compute / 40, disk_write: 0, deserialize: compute / 100, other: 0 },
        bytes: bytes * mib,
        start: at(start),
        stop: at(stop),
        needs: needs.map((need) => `id-${need}`),
        ...(compute > 0 ? { durations: { count: 100, mean_seconds: 1.2, std_seconds: 0.6, p50_seconds: 1, p95_seconds: 2.4, max_seconds: 6 } } : {}),
      }),
    );
  records.push(story.computation(now - 30 * second, 'all', { start: started, groups: groups.map(([prefix]) => `id-${prefix}`), states: { released: 1 }, code }));
  records.push(story.computation(now - 40 * second, 'csv', { start: started, stop: at(70), groups: ['id-read-csv', 'id-parse-dates', 'id-drop-duplicates'], states: { released: 1 } }));
  records.push(story.exception(now - 60 * second, 'zero', { group_id: 'id-join', group: 'join', count: 12 }));
  return { story, batches: [story.batch(records)] };
}

/** `wide` pipelines that come together again and again, and a few groups that take most of the time. */
export function large(now, groups, name) {
  const started = now - 3000 * second;
  const story = new Story(`graph-${name}`, { name: `${name} graph`, started, interval: 120 * second });
  const roll = dice(groups);
  const prefixes = ['read-parquet', 'getitem', 'fillna', 'merge', 'groupby-chunk', 'groupby-agg', 'rechunk', 'tensordot', 'store-map', 'from-delayed'];
  const batches = [];
  let records = [story.cluster(), story.sample(now - 30 * second)];
  for (let i = 0; i < groups; i += 1) {
    const id = `g${String(i).padStart(5, '0')}`;
    const needs = new Set();
    if (i > 40) for (let n = 1 + Math.floor(roll() * 7); n > 0; n -= 1) needs.add(`g${String(Math.max(0, i - 30 - Math.floor(roll() ** 3 * 900))).padStart(5, '0')}`);
    const heavy = roll() > 0.985 ? 4000 : 1;
    const n = roll() > 0.8 ? 1 : 20 + Math.floor(roll() * 300);
    const start = started + Math.floor(i / groups * 2500) * second;
    records.push(
      story.group(now - 30 * second, id, {
        prefix: prefixes[Math.floor(roll() * prefixes.length)],
        states: roll() > 0.97 ? { released: n, erred: 2 } : { released: n },
        seconds: { compute: heavy * roll() * 3, transfer: roll(), disk_read: 0, disk_write: 0, deserialize: 0, other: 0 },
        bytes: Math.floor(roll() * 500 * mib),
        start,
        stop: start + Math.floor(60 * roll() * Math.log10(10 * heavy)) * second,
        needs: [...needs],
      }),
    );
    if (records.length === 1000) {
      batches.push(story.batch(records));
      records = [];
    }
  }
  records.push(story.sample(now - 20 * second));
  batches.push(story.batch(records));
  return { story, batches };
}

/** Names that try to be markup or to turn the page around, cycles, loops, what is nowhere. */
export function wild(now) {
  const story = new Story('graph-wild', { name: 'wild graph', started: now - 60 * second, interval: 120 * second });
  const names = ['<img src=x onerror=alert(1)>', '\u202egnihton', 'a'.repeat(400), '"><script>alert(1)</script>', 'constructor', '𝕏'.repeat(60), ''];
  const records = [story.cluster(), story.sample(now - 20 * second)];
  names.forEach((name, i) =>
    records.push(
      story.group(now - 20 * second, `w,${i}.&=%`, {
        prefix: name,
        states: { memory: i, 'no such state': 2, erred: i === 2 ? 9_007_199_254_740_000 : 0 },
        seconds: { compute: i === 3 ? 1e9 : i },
        bytes: 2 ** 52,
        // Each needs the one before, itself, the last and something that nobody sent.
        needs: [`w,${(i + names.length - 1) % names.length}.&=%`, `w,${i}.&=%`, `w,6.&=%`, 'nowhere'],
      }),
    ),
  );
  return { story, batches: [story.batch(records)] };
}
