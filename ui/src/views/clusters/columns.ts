// The columns of the list: what each is called, how wide it is, and what it sorts by. Which are shown, and in which order, is kept.

import type { ClusterColumn, ClusterOrder } from '../../generated/api';

export interface Column {
  column: ClusterColumn;
  label: string;
  /** In rem. */
  width: number;
  number: boolean;
  order: ClusterOrder | null;
  means: string;
}

function text(column: ClusterColumn, label: string, width: number, order: ClusterOrder | null, means: string): Column {
  return { column, label, width, number: false, order, means };
}

function number(column: ClusterColumn, label: string, width: number, order: ClusterOrder | null, means: string): Column {
  return { column, label, width, number: true, order, means };
}

export const columns: readonly Column[] = [
  text('state', 'State', 5.5, null, 'Its current or final state; filter by state above'),
  text('verdict', 'Verdict', 13, null, 'How it went, and the main reason'),
  text('project', 'Project', 5.5, 'project', 'Its project, from Dask’s configuration'),
  text('user', 'User', 4.75, 'user', 'Who started it'),
  text('host', 'Host', 6, 'host', 'The machine its scheduler runs on'),
  number('started', 'Started', 6, 'started', 'Local time'),
  number('stopped', 'Stopped', 6.25, 'seen', 'Local time it stopped, or of its last sample if contact was lost. Sorts by the last sample'),
  number('last_work', 'Last work', 6.25, 'last_work', 'When its last task ended. A live cluster has had no result since then'),
  number('duration', 'Lasted', 5.75, 'duration', 'From the start of its scheduler to its end, or to now'),
  number('workers', 'Workers', 3.9, 'workers_peak', 'The most at once'),
  number('threads', 'Threads', 3.9, 'threads_peak', 'Cores, as Dask counts them: the most threads at once, over all workers'),
  number('memory', 'Memory', 4.25, 'memory_peak', 'The most all workers used at once'),
  number('tasks', 'Tasks', 4.75, 'tasks_completed', 'Tasks that finished'),
  number('erred', 'Erred', 4, null, 'Tasks that erred'),
  number('compute', 'Compute', 4.5, 'compute_seconds', 'Time threads spent in your functions'),
  number('cluster_time', 'Cluster time', 5.25, 'thread_seconds', 'Threads × time, idle time included'),
  number('stalled', 'Stalled', 5.25, 'stalled_seconds', 'Cluster time in which threads did nothing while work was assigned and none of it finished'),
  number('efficiency', 'Efficiency', 5.25, 'efficiency', 'Compute ÷ (threads × time)'),
  number('cost', 'Cost', 7.75, 'cost', 'Lowest to highest, at the price that applied when it started. Sorts by the middle'),
  number('exceptions', 'Exceptions', 5.25, 'exceptions', 'Kinds of exception'),
  text('tags', 'Tags', 10, null, 'Its own tags, and yours'),
  text('note', 'Note', 12, null, 'What you wrote about it'),
];

const byName = new Map(columns.map((column) => [column.column, column]));

export const firstColumns: readonly ClusterColumn[] = [
  'state', 'project', 'user', 'started', 'duration', 'workers', 'memory', 'tasks', 'compute', 'efficiency', 'cost', 'exceptions',
];

/** Columns by name, as they stand in a list: what is unknown or comes twice is left out. */
export function chosen(names: readonly string[]): Column[] {
  const found = [...new Set(names)].map((name) => byName.get(name as ClusterColumn));
  return found.filter((column) => column !== undefined);
}

/** What the name, its signs and its tags have at least, in rem: at 1280 px the columns as they come then fit without scrolling. */
export const nameRoom = 11.25;

/** Room for the name and for each column, in rem; the table scrolls sideways where there is less. */
export function roomFor(shown: readonly Column[]): number {
  return shown.reduce((sum, column) => sum + column.width, nameRoom);
}

/** Sentences, that share with the name what room is left. */
const sentences: readonly ClusterColumn[] = ['verdict', 'note'];

/** The name's width, and that of each column. */
export function widthsOf(shown: readonly Column[]): string[] {
  return ['auto', ...shown.map(({ column, width }) => (sentences.includes(column) ? 'auto' : `${width}rem`))];
}

/** The same columns with one moved by so many places. */
export function moved<T>(names: readonly T[], name: T, by: number): T[] {
  const from = names.indexOf(name);
  const to = Math.min(names.length - 1, Math.max(0, from + by));
  const out = names.filter((one) => one !== name);
  out.splice(to, 0, name);
  return out;
}

/** Shown, or not any longer. A column that comes back stands where it stands in the list of all. */
export function toggled(names: readonly ClusterColumn[], name: ClusterColumn): ClusterColumn[] {
  if (names.includes(name)) return names.filter((one) => one !== name);
  const place = (one: ClusterColumn) => columns.findIndex((column) => column.column === one);
  const before = names.findLastIndex((one) => place(one) < place(name));
  return [...names.slice(0, before + 1), name, ...names.slice(before + 1)];
}
