//! Questions, each a pair of files: Rust and SQL. The words of requests and answers are in [`types`].

mod baseline;
mod bins;
mod budgets;
mod cluster;
mod cluster_cost;
mod cluster_findings;
mod cluster_verdict;
mod clusters;
mod compare;
mod computations;
mod event_fields;
mod events;
mod exception_before;
mod exception_kinds;
mod exceptions;
mod filter;
mod from_bundle;
mod graph;
mod graph_group;
mod keys;
mod metrics;
mod notices;
mod page;
mod people;
mod price;
mod profile;
mod reporters;
mod retention;
mod samples;
mod search;
mod secrets;
mod settings;
mod spans;
pub(crate) mod sql;
mod state;
mod status;
mod tables;
mod task_groups;
mod time_left;
mod timeline;
mod timeline_use;
mod topics;
pub mod types;
mod unseal;
mod usage;
mod usage_spans;
mod views;
mod worker_heat;
mod worker_series;
mod workers;

pub(crate) use baseline::{
    CodeAndGroups, ComputationRun, Key, Looked, RunOutline, ShapeGroup, clusters_of, outlines_of,
    runs, runs_of_cluster, runs_of_code, runs_without_code,
};
pub(crate) use budgets::{Budget, MOST as MOST_BUDGETS, budgets};
pub(crate) use cluster::{StopTarget, cluster, stop_target};
pub(crate) use cluster_cost::{
    GroupTime, computation_groups, group_times, prefix_times, stalled_micros,
};
#[cfg(test)]
pub(crate) use cluster_findings::LargestResults;
pub(crate) use cluster_findings::{Course, course};
#[cfg(test)]
pub(crate) use cluster_verdict::{FirstException, SkewedGroup};
pub(crate) use cluster_verdict::{Judged, LATE_MICROS, judged};
#[cfg(test)]
pub(crate) use clusters::Stall;
pub(crate) use clusters::{Alive, Found, alive, by_ids, clusters, find, one as find_by_id};
pub(crate) use compare::{GroupWork, Interval, Work, work};
pub(crate) use computations::computations;
pub(crate) use event_fields::event_fields;
pub(crate) use events::events;
pub(crate) use exception_kinds::exception_kinds;
pub(crate) use exceptions::exceptions;
pub(crate) use filter::{Field, Filter, Moment, Term, complete, parse as parse_filter, plain};
pub(crate) use graph::{GraphGroups, GroupFacts, graph_groups};
pub(crate) use graph_group::graph_group;
pub(crate) use keys::{KeyRow, clusters_sealed_to, data_keys, install_keys, key_rows};
pub(crate) use metrics::{all_metrics, metrics};
pub(crate) use notices::noticed;
pub(crate) use people::users;
pub(crate) use price::{Rates, money, price_book, price_of, remove_price, set_currency, set_price};
pub(crate) use profile::{
    ALL, CountedLines, Functions, Growing, LineCounts, Lines, Mixed, ProfileRecord, Profiles,
    Selected, StackFrame, StackReader, Tree, cluster_names, each_stacks, lines, lines_stamp,
    profile, profiles, select, switched_off, tasks, together,
};
pub(crate) use reporters::reporters;
pub(crate) use retention::{Candidate, candidates, named_candidates, pruned, storage_facts};
pub(crate) use samples::{Counted, Samples, sample_of, samples};
pub(crate) use search::search;
pub(crate) use secrets::secrets;
pub(crate) use settings::{heard_since, inbox_files, ingest_key_facts, last_cluster_id, privacy};
pub(crate) use spans::spans;
pub(crate) use status::store_facts;
pub(crate) use tables::tables;
pub use tables::{Column, Table, Values};
pub(crate) use task_groups::task_groups;
pub(crate) use time_left::{Todo, todo};
pub(crate) use timeline::{every_sample, timeline};
pub(crate) use timeline_use::thread_use;
pub(crate) use topics::topics;
pub(crate) use unseal::Unsealer;
pub(crate) use usage::{
    ClusterUsed, ExceptionsOfType, HourUse, Named, States, Used, Who, cluster_used, each_ever,
    ever, exceptions_seen, hours, largest_prefix, states, tag_names, who_of,
};
pub(crate) use usage_spans::{SpanUse, span_uses};
pub(crate) use views::{
    MOST as MOST_VIEWS, read as read_views, view_counts, views, write as write_view,
};
pub(crate) use worker_heat::worker_heat;
pub(crate) use worker_series::{every_worker_sample, worker_series};
pub(crate) use workers::{WorkerStep, workers, workers_lost};

#[cfg(test)]
mod tests;
