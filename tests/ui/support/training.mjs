// A cluster that trains a model: events with numbers and words, long tasks, an idle end, and a failure that others met, too.

import { dice, Story, traceback } from './story.mjs';

const second = 1_000_000;

/** Ends `ago` seconds before `now`; ten minutes long, of which the last four are idle. */
export function training(now, { key = 'train', name = 'train-model', ago = 60, more = {} } = {}) {
  const roll = dice(3);
  const start = now - (600 + ago) * second;
  const story = new Story(key, { name, project: 'churn-model', started: start, switches: { events_allow: ['*'] }, ...more });
  const records = [story.cluster()];
  for (let id = 0; id < 4; id++) records.push(story.worker(start, id, 'joined'));
  for (let i = 1; i <= 60; i++) {
    const at = start + i * 10 * second;
    const worked = Math.min(i, 36);
    // A task of `fit` takes 40 s: what it did is told when it ends.
    const fits = Math.floor(worked / 4);
    const totals = { compute: worked * 60 + fits * 320, transfer: worked * 12, deserialize: worked * 0.6, disk_write: i > 20 ? (Math.min(i, 36) - 20) * 3 : 0, thread_seconds: i * 160, tasks_completed: worked * 40, tasks_erred: i > 30 ? 3 : 0, result_bytes: worked * 40_000_000 };
    records.push(story.sample(at, { workers: 4, tasks: i < 36 ? { processing: 16, waiting: 120 - i } : { memory: 40 }, totals, spilled: i > 20 ? 2e9 : 0, idle: i > 36 ? start + 360 * second : null }));
    records.push(story.event(at - 3 * second, 'train', { metrics: { loss: 4 / (1 + worked / 6) + roll() / 5, rows: 1000 * worked }, stage: i < 12 ? 'warm-up' : 'main', device: 'cpu' }));
  }
  const end = start + 600 * second;
  const until = (n) => start + n * second;
  const durations = (count, mean_seconds, p50_seconds, p95_seconds) => ({ durations: { count, mean_seconds, std_seconds: mean_seconds / 2, p50_seconds, p95_seconds, max_seconds: p95_seconds * 1.4 } });
  records.push(
    story.group(end, `${key}-load`, { prefix: 'load-batch', states: { released: 900 }, seconds: { compute: 900, transfer: 200 }, bytes: 9e9, start, stop: until(150), ...durations(900, 1, 0.9, 1.6) }),
    story.group(end, `${key}-fit`, { prefix: 'fit', states: { memory: 71, erred: 3 }, seconds: { compute: 2880, transfer: 90 }, bytes: 4e8, start: until(20), stop: until(360), needs: [`${key}-load`], ...durations(72, 40, 20, 130) }),
    story.group(end, `${key}-score`, { prefix: 'score', states: { released: 460 }, seconds: { compute: 1300, transfer: 142, disk_write: 48 }, bytes: 2e9, start: until(120), stop: until(360), needs: [`${key}-fit`], ...durations(460, 2.8, 2.6, 4) }),
    story.group(end, `${key}-mean`, { prefix: 'mean', states: { memory: 1 }, seconds: { compute: 160 }, bytes: 800, start: until(340), stop: until(360), needs: [`${key}-score`], ...durations(1, 160, 160, 160) }),
    story.computation(end, `${key}-c1`, { start, stop: until(170), groups: [`${key}-load`], states: { released: 900 } }),
    story.computation(end, `${key}-c2`, { start: until(20), stop: until(360), groups: [`${key}-fit`, `${key}-score`, `${key}-mean`], states: { memory: 72, erred: 3, released: 460 }, retried: 2, code: [{ code: 'def train(model, batches):\n    fitted = [dask.delayed(fit)(model, b) for b in batches]\n    scores = dask.delayed(mean)([score(f) for f in fitted])\n    return scores.compute()\n', filename: '/home/ana/churn/train.py', line_relative: 3, line: 44 }] }),
    story.exception(until(310), `${key}-e`, { group_id: `${key}-fit`, group: `fit-${key}`, worker: 'tcp://10.0.0.2:40002', traceback, count: 3, dependents: 0 }),
    story.worker(until(305), 3, 'killed', { cause: 'memory', expected: false }),
    story.stop(end),
  );
  return { story, start, end, batches: [story.batch(records)] };
}
