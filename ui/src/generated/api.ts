// Written from Rust by `cargo test -p bobbin-core typescript`. Not to be edited.

/** Every command: what it is asked with and what it answers. */
export interface Commands {
  /** What this Bobbin is and where it listens. */
  status: { request: Ask<Empty>; answer: Status };
  /** Totals, what is alive, and compute time by day. */
  overview: { request: Ask<OverviewRequest>; answer: Overview };
  /** The clusters that match, in some order. */
  clusters: { request: Ask<ClustersRequest>; answer: ClusterList };
  /** Everything about one cluster that is not a list of its own. */
  cluster: { request: Ask<ClusterRequest>; answer: Cluster };
  /** Workers, memory and tasks of one cluster over time. */
  timeline: { request: Ask<TimelineRequest>; answer: Timeline };
  /** The task groups of one cluster. */
  task_groups: { request: Ask<TaskGroupsRequest>; answer: TaskGroupList };
  /** The computations of one cluster, with their code. */
  computations: { request: Ask<ComputationsRequest>; answer: ComputationList };
  /** The exceptions of one cluster or of all. */
  exceptions: { request: Ask<ExceptionsRequest>; answer: ExceptionList };
  /** The events of one cluster. */
  events: { request: Ask<EventsRequest>; answer: EventList };
}

/** A request: what is left out has its default; only the number of a cluster must be given. */
export type Ask<R> = R extends { id: number } ? Pick<R, 'id'> & Partial<Omit<R, 'id'>> : Partial<R>;

/** How a command that fails answers, through every door. */
export type ApiError = {
  code: Code;
  /** What failed, in a sentence. */
  message: string;
  /** What to do about it, if anything. */
  hint: string | null;
};

/**
 * Seconds that workers spent, summed over tasks, by the activity names of Dask's `TaskGroup.all_durations`.
 */
export type Activities = { 
/**
 * Running the user's functions.
 */
compute: number, 
/**
 * Moving data between workers.
 */
transfer: number, 
/**
 * Reading spilled data back.
 */
disk_read: number, 
/**
 * Spilling data to disk.
 */
disk_write: number, 
/**
 * Unpickling functions and their arguments.
 */
deserialize: number, 
/**
 * Activities that this version of Bobbin does not know by name.
 */
other: number, };

/**
 * Something was stored.
 */
export type Change = { 
/**
 * Rises with every change since this Bobbin started.
 */
revision: number, 
/**
 * Bobbin's numbers of the clusters that changed.
 */
cluster_ids: Array<number>, };

/**
 * Everything about one cluster that is not a list of its own.
 */
export type Cluster = { row: ClusterRow, facts: ClusterFacts, 
/**
 * Seconds by activity over all groups.
 */
seconds: Activities, 
/**
 * What is missing from the record.
 */
losses: Losses, };

export type ClusterFacts = { cluster_class: string | null, scheduler_address: string | null, dashboard_url: string | null, python_version: string | null, python_path: string | null, os: string | null, architecture: string | null, plugin_version: string, interval_micros: number, 
/**
 * Package to version; null where the package is not installed.
 */
versions: { [key in string]: string | null }, 
/**
 * Categories sent by this cluster. False is: off at source.
 */
code_sent: boolean, profile_sent: boolean, remote_close_allowed: boolean, events_allow: Array<string>, 
/**
 * Why it stopped, as the plugin said.
 */
stop_reason: string | null, 
/**
 * The last beat's cost on the scheduler's loop, and bytes sent.
 */
plugin_beat_micros: number | null, plugin_sent_bytes: number | null, plugin_hook_errors: number | null, };

export type ClusterList = { rows: Array<ClusterRow>, 
/**
 * How many match, whatever the limit.
 */
total: number, 
/**
 * Whether rows beyond these exist.
 */
truncated: boolean, };

/**
 * What the list is ordered by.
 */
export type ClusterOrder = "started" | "name" | "user" | "duration" | "workers_peak" | "memory_peak" | "tasks_completed" | "compute_seconds" | "thread_seconds" | "exceptions";

export type ClusterRequest = { 
/**
 * Bobbin's number of the cluster.
 */
id: number, };

/**
 * One cluster with its numbers.
 */
export type ClusterRow = { 
/**
 * Bobbin's own number, from 1.
 */
id: number, scheduler_id: string, name: string, state: ClusterState, 
/**
 * Why `state` says so, in a few words.
 */
state_evidence: string, user: string | null, host: string | null, project: string | null, tags: { [key in string]: string }, started_micros: Micros, 
/**
 * Null until it finished. For a lost cluster: its last sample.
 */
stopped_micros: Micros | null, 
/**
 * By this machine's clock.
 */
last_heard_micros: Micros, 
/**
 * Since when it has nothing to do; null while busy or over.
 */
idle_since_micros: Micros | null, 
/**
 * At its last sample; once it finished, at the last that had any.
 */
workers: number, threads: number, workers_peak: number, memory_used_bytes: number | null, memory_peak_bytes: number | null, memory_limit_bytes: number | null, 
/**
 * Tasks known to the scheduler at that sample, by state.
 */
tasks: { [key in string]: number }, tasks_completed: number, tasks_erred: number, compute_seconds: number, thread_seconds: number, result_bytes: number, computations: number, 
/**
 * Distinct exceptions.
 */
exceptions: number, };

/**
 * What a cluster is doing, derived at reading time from its last batch and never stored.
 */
export type ClusterState = "running" | "idle" | "finished" | "lost";

/**
 * Which clusters to list.
 */
export type ClustersRequest = { 
/**
 * Part of the name, user, host, project, a tag or the scheduler's id, in any case.
 */
text: string | null, 
/**
 * Only these states; none is all.
 */
states: Array<ClusterState>, 
/**
 * Only clusters that reported at or after this.
 */
from_micros: Micros | null, 
/**
 * Only clusters that reported before this.
 */
to_micros: Micros | null, 
/**
 * Only clusters of this row of the heat-map.
 */
label: string | null, 
/**
 * Only this user.
 */
user: string | null, order: ClusterOrder, direction: Direction, 
/**
 * At most this many; 0 is 100, and no more than 1,000 are given.
 */
limit: number, offset: number, };

/**
 * What somebody may act on; nobody matches on a message.
 */
export type Code = "invalid" | "too_large" | "not_found" | "refused" | "busy" | "disk_full" | "store" | "internal";

/**
 * The code that started a computation, or why there is none.
 */
export type ComputationCode = { "is": "frames", frames: Array<Frame>, } | { "is": "off" } | { "is": "not_captured" } | { "is": "locked" };

export type ComputationList = { 
/**
 * Newest first.
 */
rows: Array<ComputationRow>, total: number, truncated: boolean, };

export type ComputationRow = { computation_id: string, cluster_id: number, start_micros: Micros | null, 
/**
 * Null while it runs.
 */
stop_micros: Micros | null, 
/**
 * `group_id`s.
 */
groups: Array<string>, 
/**
 * Over its groups.
 */
states: { [key in string]: number }, seconds: Activities, code: ComputationCode, };

export type ComputationsRequest = { id: number, 
/**
 * 0 is 100; no more than 1,000.
 */
limit: number, offset: number, };

/**
 * Which way the list runs.
 */
export type Direction = "ascending" | "descending";

/**
 * Nothing to say.
 */
export type Empty = Record<symbol, never>;

export type EventList = { 
/**
 * Newest first.
 */
rows: Array<EventRow>, total: number, truncated: boolean, };

export type EventRow = { cluster_id: number, at_micros: Micros, topic: string, 
/**
 * The payload as JSON text.
 */
payload: SealedText, };

export type EventsRequest = { id: number, 
/**
 * 0 is 100; no more than 1,000.
 */
limit: number, offset: number, };

export type ExceptionList = { 
/**
 * Newest first.
 */
rows: Array<ExceptionRow>, total: number, truncated: boolean, };

/**
 * Whose failure an exception is.
 */
export type ExceptionOrigin = "user" | "dask";

export type ExceptionRow = { exception_id: string, cluster_id: number, cluster_name: string, group_id: string | null, group: string | null, origin: ExceptionOrigin, exception_type: string, message: SealedText, traceback: SealedText, worker: string | null, first_seen_micros: Micros, last_seen_micros: Micros, count: number, 
/**
 * Tasks that erred only because they depend on a failed one.
 */
dependents: number, };

/**
 * Which exceptions to list.
 */
export type ExceptionsRequest = { 
/**
 * Of one cluster; null is of all.
 */
id: number | null, 
/**
 * Last seen at or after this.
 */
from_micros: Micros | null, user: string | null, 
/**
 * 0 is 100; no more than 1,000.
 */
limit: number, offset: number, };

export type Frame = { 
/**
 * The enclosing function, cell or file.
 */
code: string, filename: string | null, 
/**
 * Line of `code`, from 0, that made the call.
 */
line_relative: number | null, 
/**
 * Line of the file.
 */
line: number | null, };

export type Gap = { from_micros: Micros, to_micros: Micros, missing_records: number, };

/**
 * Compute time by row and local day.
 */
export type HeatMap = { 
/**
 * Local days, `YYYY-MM-DD`, oldest first, without holes.
 */
days: Array<string>, 
/**
 * By total, most first; at most 40, the last may be the others together.
 */
rows: Array<HeatMapRow>, };

export type HeatMapRow = { 
/**
 * The project, else the user, else `unnamed`.
 */
label: string, 
/**
 * Seconds of compute by day; null where no cluster of this row reported on that day.
 */
compute_seconds: Array<number | null>, 
/**
 * Sum over the days.
 */
total_compute_seconds: number, 
/**
 * Clusters that reported, by day.
 */
clusters: Array<number>, };

/**
 * What never arrived, was shed or could not be read. All zero is a full record.
 */
export type Losses = { 
/**
 * Records missing between batches that did arrive.
 */
missing_records: number, 
/**
 * Records that the plugin shed, by kind.
 */
dropped_records: { [key in string]: number }, 
/**
 * Lines that could not be read.
 */
refused_records: number, 
/**
 * Records kept for a later version, of kinds or with fields unknown to this one.
 */
kept_unknown: number, 
/**
 * Batches that came again with other bytes; the first stands.
 */
conflicts: number, };

/**
 * A point in time: whole microseconds since 1970-01-01 UTC. Exact as a JavaScript number until the year 2255.
 */
export type Micros = number;

export type Overview = { now_micros: Micros, from_micros: Micros, to_micros: Micros, 
/**
 * Of the period.
 */
period: UsageTotals, 
/**
 * Since the first batch ever.
 */
ever: UsageTotals, 
/**
 * Clusters that are running or idle now, newest first, at most 50.
 */
live: Array<ClusterRow>, heat_map: HeatMap, };

/**
 * Which period the overview is about, and whose days. The default is the last 28 local days.
 */
export type OverviewRequest = { 
/**
 * Start of the period, inclusive.
 */
from_micros: Micros | null, 
/**
 * End of the period, exclusive.
 */
to_micros: Micros | null, 
/**
 * Local time is UTC plus this.
 */
utc_offset_minutes: number, };

export type ReceiverStatus = { pid: number, tcp: string, socket: string | null, started_micros: Micros, };

/**
 * Text that is stored sealed.
 */
export type SealedText = { "is": "text", text: string, } | { "is": "none" } | { "is": "locked" };

/**
 * What this Bobbin is and where it listens.
 */
export type Status = { version: string, data_dir: string, 
/**
 * Null while no receiver runs.
 */
receiver: ReceiverStatus | null, store_bytes: number, clusters: number, 
/**
 * By this machine's clock.
 */
last_batch_micros: Micros | null, 
/**
 * Whether code and tracebacks can be read.
 */
key_present: boolean, 
/**
 * Requests refused since the receiver started, by reason.
 */
refused: { [key in string]: number }, 
/**
 * Whether a Dask configuration file makes every scheduler of this user report.
 */
connected: boolean, 
/**
 * The plugin's file in the data folder, which schedulers can preload; null where it is missing.
 */
plugin_path: string | null, };

export type TaskGroupList = { 
/**
 * Most compute time first, at most 2,000.
 */
rows: Array<TaskGroupRow>, total: number, truncated: boolean, };

export type TaskGroupRow = { group_id: string, name: string, prefix: string, states: { [key in string]: number }, seconds: Activities, result_bytes: number, types: Array<string>, start_micros: Micros | null, stop_micros: Micros | null, 
/**
 * `group_id`s.
 */
dependencies: Array<string>, 
/**
 * Dask has forgotten the group; these are its last numbers.
 */
is_final: boolean, };

export type TaskGroupsRequest = { id: number, };

/**
 * Samples as columns of one length, oldest first.
 */
export type Timeline = { at_micros: Array<Micros>, workers: Array<number>, threads: Array<number>, memory_limit_bytes: Array<number | null>, memory_used_bytes: Array<number | null>, memory_managed_bytes: Array<number | null>, memory_unmanaged_bytes: Array<number | null>, memory_spilled_bytes: Array<number | null>, 
/**
 * Tasks on workers now.
 */
tasks_processing: Array<number>, 
/**
 * Tasks that wait for others, for a worker or in the scheduler's queue.
 */
tasks_waiting: Array<number>, 
/**
 * Threads busy with users' functions on average since the point before.
 */
threads_computing: Array<number | null>, 
/**
 * Periods from which records are missing.
 */
gaps: Array<Gap>, };

export type TimelineRequest = { id: number, from_micros: Micros | null, to_micros: Micros | null, 
/**
 * At most this many points; 0 is 600. Each stands for the largest of its bin.
 */
points: number, };

/**
 * What clusters used. Times are in seconds of one thread: 3,600 are one core-hour.
 */
export type UsageTotals = { 
/**
 * Clusters that reported in the period.
 */
clusters: number, 
/**
 * Threads times time, idleness included.
 */
thread_seconds: number, 
/**
 * Time that threads spent in users' functions.
 */
compute_seconds: number, 
/**
 * Tasks that finished.
 */
tasks_completed: number, 
/**
 * Tasks that erred of themselves.
 */
tasks_erred: number, 
/**
 * Bytes of all results.
 */
result_bytes: number, 
/**
 * The most workers that any one cluster had at once.
 */
workers_peak: number, };
