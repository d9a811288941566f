//! The list of commands: name, request, answer. Every door (window, HTTP, shell) calls these and nothing else.
//!
//! `call` takes JSON and gives JSON, for the doors that carry text; Rust callers use the functions themselves.

mod answers;
mod apart;
mod app;
mod baseline;
mod begin;
mod beside;
mod budget;
mod burning;
mod cells;
mod change;
mod check;
mod checkup;
mod commands;
mod compare;
mod connection;
mod cost;
mod daily;
mod demo;
mod desktop;
mod doctor;
mod flame;
mod forget;
mod graph;
mod graphs;
mod group_costs;
mod handed;
mod idle;
mod kept;
mod kept_lines;
mod keys;
mod ledger;
mod lines;
mod link;
mod made;
mod make_demo;
mod marks;
mod notices;
mod on_stage;
mod overview;
mod people;
mod performance_reports;
mod presence;
mod questions;
mod queued;
mod records;
mod refusals;
mod release;
mod report;
mod reporters;
mod retention;
mod review;
mod safety;
mod save;
mod search;
mod senders;
mod sends;
mod settings;
mod share;
mod shelf;
mod shell;
mod sql_pane;
mod stop;
mod tables;
mod team;
#[cfg(test)]
mod tests;
mod told;
mod trees;
#[cfg(test)]
mod typescript;
mod verdict;

pub use crate::insight::cost::money_words;
pub use crate::query::types::*;
pub use crate::release::{
    BesidePackage, CheckReleaseRequest, CheckedPackage, MOST_BYTES as MOST_RELEASE_BYTES,
    ReleaseAge, ReleaseCheck, ThisBuild, beside as packages_beside,
};
pub use apart::Apart;
pub use app::{App, Role};
pub use begin::begin;
pub use beside::{BundleClusterContents, BundleContents, BundleRequest, ClassCount};
pub use change::{Change, Subscription};
pub use check::{CheckRun, check, earlier_runs};
pub use commands::report;
pub use commands::{
    COMMANDS, activity, baseline, call, call_beside, close_cluster, close_order, cluster, clusters,
    compare, complete_filter, computations, delete_view, event_fields, events, exception_kinds,
    exceptions, find_cluster, flame, flame_about, flame_difference, flame_line, flame_table, graph,
    graph_group, import_views, mark_clusters, metrics, overview, profile, save_view, search, spans,
    status, task_groups, thread_use, timeline, topics, verdict, views, worker_heat, worker_series,
    workers,
};
pub use commands::{
    aliases, approve_stage, decide_stage, discard_stage, own_words, save_stage, sharing_rules,
    stage, stage_bytes, stage_clusters, stage_findings, stage_items, stage_text, stage_whole,
    stages, stand,
};
pub use commands::{bundle_contents, close_bundle, import_bundle, open_bundle};
pub use commands::{cancel_sql, copy_sql, copy_sql_within, sql, sql_tables};
pub use commands::{cluster_answers, findings, secrets, verdicts};
pub use commands::{
    cluster_cost, cluster_uses, cost_table, group_costs, heat_map, line_costs, prices,
    remove_price, set_currency, set_price,
};
pub use commands::{
    cluster_pruned, delete_clusters, removal_preview, set_retention, storage, trust_clock,
    undo_delete,
};
pub use commands::{
    decline_recovery_key, keys, lock_key, move_key, new_key, recovery_key, restore_key, rotate_key,
    unlock_key,
};
pub use commands::{demo, load_demo, remove_demo, replay, set_replay};
pub use commands::{desktop, reset_window, set_desktop};
pub use commands::{pause_sends, recall_send, send, sends, set_sharing};
pub use connection::{ready_to_seal, shell_word};
pub use daily::Daily;
pub use demo::{
    Demo, DemoStory, Playing, Replay, ReplayChapter, ReplayRequest, SAMPLES, demo_batches,
};
pub use desktop::desktop_choices;
pub use doctor::{Checkup, DoctorCheck, DoctorVerdict, Examined, Probe, examine, key_words};
pub use idle::{IdleAnswer, answer_idle};
pub(crate) use keys::settle_keys;
pub use ledger::{note_policy, policy_in_force};
pub use link::{follow_link, is_link};
pub use made::{Made, note_saved, write_made};
pub use make_demo::{DemoMade, make_demo, recording_out};
pub use notices::{Notice, Notices};
pub use performance_reports::{performance_reports, take_performance_report};
pub use presence::{Presence, presence};
pub use release::{build as build_facts, check as release_check};
pub use report::{REPORTS, Report, ReportForm, ReportRequest};
pub(crate) use retention::beyond_bytes;
pub use review::{approve_covered, stage_written};
pub use safety::{disk, restore, safety, salvage, snapshots};
pub use save::{
    Part, TABLES, chain_out, csv, csv_cell, csv_line, flame_title, named_table, profile_out,
    store_of_file, table_document, table_of,
};
pub use sends::{PauseSendsRequest, SendRequest, Sends, SendsRequest, SetSharingRequest};
pub use share::{
    Exported, Ready, bundle, export, import, import_file, look_at_file, make_bundle, unpacked_bytes,
};
pub use shell::{Abilities, Shell};
pub use sql_pane::cluster_rows_sql;
pub use tables::{Column, Table, Values, tables};
pub use team::{
    Telling, bundle_held, contained, manifest, not_taken, note_told_by, remove_taken, take_for,
    taken, told_by, told_until,
};
pub use told::{ToldList, told_clusters};
