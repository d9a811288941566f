// Made-up profiles with stacks as Dask's workers have them: a few functions of one's own, and packages below.

import { dice } from './story.mjs';

const env = '/opt/env/lib/python3.11/site-packages';
const mine = '/home/ana/projects/etl';

/** Functions by file: name, first line. */
const functions = [
  ...[['execute_task', `${env}/dask/core.py`, 89], ['apply', `${env}/dask/utils.py`, 41], ['_execute_subgraph', `${env}/dask/_task_spec.py`, 731]],
  ...[['clean', `${mine}/clean.py`, 31], ['join_views', `${mine}/clean.py`, 77], ['score', `${mine}/model/score.py`, 12], ['read_day', `${mine}/read.py`, 8]],
  ...['merge', 'get_result', '_get_join_info', '_get_join_indexers', '_factorize_keys', 'concat', 'groupby', 'apply', 'agg', '_aggregate', 'take', 'astype', 'fillna', 'query'].map((name, i) => [name, `${env}/pandas/core/reshape/${['merge', 'frame', 'generic'][i % 3]}.py`, 100 + 37 * i]),
  ...['dot', 'einsum', 'linalg_solve', '_mean', '_var', 'sort', 'unique', 'where'].map((name, i) => [name, `${env}/numpy/_core/${['fromnumeric', 'multiarray'][i % 2]}.py`, 50 + 61 * i]),
  ...['read_table', 'read', '_read_row_group', 'to_pandas', 'cast'].map((name, i) => [name, `${env}/pyarrow/parquet/core.py`, 200 + 90 * i]),
  ...['dumps', 'loads', 'serialize', 'maybe_compress'].map((name, i) => [name, `${env}/distributed/protocol/serialize.py`, 60 + 50 * i]),
  ...['acquire', 'wait', '<listcomp>', 'deepcopy', '_reconstruct'].map((name, i) => [name, '/opt/env/lib/python3.11/threading.py', 200 + 20 * i]),
  ['a_function_with_a_name_that_is_much_too_long_for_any_place_where_it_is_to_be_read', `${mine}/a/very/deep/folder/of/many/parts/module_with_a_long_name.py`, 1],
];

/** Which functions a function calls: always the same. */
function callees(at, random) {
  const some = dice(at * 7 + 1);
  const wide = 1 + Math.floor(some() * 4);
  const out = [];
  for (let i = 0; i < wide; i++) out.push(Math.min(functions.length - 1, 3 + Math.floor(some() * (functions.length - 3))));
  return random() < 0.5 ? out : out.slice(0, Math.max(1, out.length - 1));
}

/** A record of `samples` samples in stacks `depth` deep; `skew` makes one function of one's own take so much more. */
export function stacks(story, at, prefix, { seed = 1, samples = 4000, depth = 14, unattributed = 40, from = at - 30_000_000, skew = 0 } = {}) {
  const random = dice(seed);
  const strings = [];
  const places = new Map();
  const text = (words) => {
    if (!places.has(words)) places.set(words, strings.push(words) - 1);
    return places.get(words);
  };
  const frames = { name: [], file: [], line: [], text: [] };
  for (const [name, file, line] of functions) {
    frames.name.push(text(name));
    frames.file.push(text(file));
    frames.line.push(line);
    frames.text.push(file.startsWith(mine) ? text(`    return ${name}(frame, keys, how="inner")`) : null);
  }
  const table = { parent: [], frame: [] };
  const nodes = new Map();
  const node = (parent, frame) => {
    const key = `${parent} ${frame}`;
    if (!nodes.has(key)) {
      table.parent.push(parent);
      table.frame.push(frame);
      nodes.set(key, table.parent.length - 1);
    }
    return nodes.get(key);
  };
  const counts = new Map();
  for (let i = 0; i < samples; i++) {
    let here = node(node(-1, 0), 1 + (random() < 0.3 ? 1 : 0));
    let frame = random() < skew ? 5 : 3 + Math.floor(random() ** 2 * 4);
    here = node(here, frame);
    for (let deep = 3; deep < depth && random() < 0.82; deep++) {
      const next = callees(frame, random);
      frame = next[Math.floor(random() ** 2 * next.length)];
      here = node(here, frame);
    }
    counts.set(here, (counts.get(here) ?? 0) + 1);
  }
  const leaves = [...counts].sort((a, b) => a[0] - b[0]);
  return {
    kind: 'profile',
    at_micros: at,
    from_micros: from,
    to_micros: at,
    prefix,
    samples: samples + unattributed,
    sample_micros: 10_000,
    unattributed,
    strings,
    frames,
    stacks: table,
    leaves: { stack: leaves.map(([stack]) => stack), count: leaves.map(([, count]) => count) },
  };
}
