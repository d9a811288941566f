// What benches ask of a store of generated clusters.

const day = 86_400_000_000;
const midnight = Math.ceil((Date.now() * 1000) / day) * day;
const edges = (days) => Array.from({ length: days + 1 }, (_, at) => midnight - (days - at) * day);

const orders = [
  'started', 'name', 'user', 'host', 'project', 'seen', 'duration', 'workers_peak', 'threads_peak', 'memory_peak', 'tasks_completed',
  'compute_seconds', 'thread_seconds', 'stalled_seconds', 'efficiency', 'exceptions',
];
const filters = [
  'user:ana', 'user:ana tasks>100', 'workers>=10', 'efficiency<0.5', 'compute>1h', 'has:exception', 'has:code', 'since:30d', 'until:300d', '-tag:ci',
  'state:lost', 'weather', 'ad', 'name:etl', 'function:sum', 'user:a* since:90d',
];

export const list = ['clusters', { limit: 100 }];
export const sorts = orders.map((order) => ['clusters', { order, limit: 100 }]);
export const filtered = filters.map((text) => ['clusters', { text, limit: 100 }]);
export const searches = ['shuffle', 'weather', 'ada', 'KeyError', 'nothing-like-it'].map((text) => ['search', { text, limit: 20 }]);

/** The overview of so many days, and its heat-map. */
export const overview = (days) => ['overview', { from_micros: edges(days)[0], to_micros: midnight, edges: edges(days) }];
export const heatMap = (days) => ['heat_map', { edges: edges(days) }];

/**
 * Of several questions that were each asked in every repeat, the times of the one that takes longest, by its median: what one repeat
 * had by chance is no question's.
 */
export function slowest(repeats) {
  const ofEach = repeats[0].map((_, question) => repeats.map((times) => times[question]));
  const median = (times) => times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)];
  return ofEach.reduce((a, b) => (median(b) > median(a) ? b : a));
}
