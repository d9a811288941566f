//! Exceptions, events and their topics.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::SealedText;
use crate::model::{ExceptionOrigin, Micros};

/// Which exceptions to list.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(default, deny_unknown_fields)]
pub struct ExceptionsRequest {
    /// Of one cluster; null is of all.
    pub id: Option<i64>,
    /// Last seen at or after this.
    pub from_micros: Option<Micros>,
    pub user: Option<String>,
    /// 0 is 100; no more than 1,000.
    pub limit: u32,
    pub offset: u64,
}

dto! {
pub struct ExceptionList {
    /// Newest first.
    pub rows: Vec<ExceptionRow>,
    pub total: u64,
    pub truncated: bool,
}
}

dto! {
pub struct ExceptionRow {
    pub exception_id: String,
    pub cluster_id: i64,
    pub cluster_name: String,
    pub group_id: Option<String>,
    pub group: Option<String>,
    pub origin: ExceptionOrigin,
    pub exception_type: String,
    pub message: SealedText,
    pub traceback: SealedText,
    /// Of Dask's own failures: the packet with the state of its state machine.
    pub details: SealedText,
    pub worker: Option<String>,
    pub first_seen_micros: Micros,
    pub last_seen_micros: Micros,
    pub count: u64,
    /// Tasks that erred only because they depend on a failed one.
    pub dependents: u64,
}
}

/// Which kinds of exceptions to list.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(default, deny_unknown_fields)]
pub struct ExceptionKindsRequest {
    /// Of one cluster; null is of all.
    pub id: Option<i64>,
    /// Seen at or after this, and before `to_micros`.
    pub from_micros: Option<Micros>,
    pub to_micros: Option<Micros>,
    pub user: Option<String>,
    /// Only of this group.
    pub group_id: Option<String>,
    /// Only on this worker, by its address.
    pub worker: Option<String>,
    /// Part of the type, of the name of a group, or of the address of a worker; of all clusters, also of the name of one.
    /// Messages are sealed: they are not looked into.
    pub text: Option<String>,
    /// 0 is 100; no more than 1,000.
    pub limit: u32,
    pub offset: u64,
}

dto! {
pub struct ExceptionKindList {
    /// The last seen first.
    pub rows: Vec<ExceptionKind>,
    pub total: u64,
    pub truncated: bool,
}
}

dto! {
/// Failures of one type that went through the same functions.
pub struct ExceptionKind {
    pub fingerprint: String,
    /// The one that was seen last.
    pub newest: ExceptionRow,
    /// The worker that it was on, where it is known by more than its address.
    pub worker_id: Option<String>,
    /// The last computation that it was part of.
    pub computation_id: Option<String>,
    /// Clusters among those that were asked for, and in the whole store.
    pub clusters: u64,
    pub ever_clusters: u64,
    pub count: u64,
    pub dependents: u64,
    pub first_seen_micros: Micros,
    pub last_seen_micros: Micros,
    pub ever_first_seen_micros: Micros,
    /// The last run of the same tasks without it; null where there is none before it.
    pub before: Option<ExceptionBefore>,
    /// The last seen first, at most 50.
    pub places: Vec<ExceptionPlace>,
    pub places_total: u64,
}
}

dto! {
/// The last cluster before the first with a failure that had tasks of the same prefix and not this failure.
pub struct ExceptionBefore {
    pub cluster_id: i64,
    pub cluster_name: String,
    pub started_micros: Micros,
    pub prefix: String,
    /// What was another version in the first cluster with it: Dask and Python first, at most 8.
    pub versions: Vec<VersionChange>,
}
}

dto! {
/// Null: not installed, or not told.
pub struct VersionChange {
    pub package: String,
    pub without: Option<String>,
    pub with: Option<String>,
}
}

dto! {
/// One cluster and group in which it happened.
pub struct ExceptionPlace {
    pub cluster_id: i64,
    pub cluster_name: String,
    pub exception_id: String,
    pub group_id: Option<String>,
    pub group: Option<String>,
    pub worker: Option<String>,
    pub count: u64,
    pub first_seen_micros: Micros,
    pub last_seen_micros: Micros,
}
}

dto! {
pub struct EventsRequest {
    pub id: i64,
    #[serde(default)]
    pub from_micros: Option<Micros>,
    #[serde(default)]
    pub to_micros: Option<Micros>,
    /// 0 is 100; no more than 1,000.
    #[serde(default)]
    pub limit: u32,
    #[serde(default)]
    pub offset: u64,
}
}

dto! {
pub struct EventList {
    /// Newest first.
    pub rows: Vec<EventRow>,
    pub total: u64,
    pub truncated: bool,
}
}

dto! {
pub struct EventRow {
    pub cluster_id: i64,
    pub at_micros: Micros,
    pub topic: String,
    /// The payload as JSON text.
    pub payload: SealedText,
}
}

dto! {
pub struct TopicsRequest {
    pub id: i64,
}
}

dto! {
/// The topics of a cluster's events, by name.
pub struct TopicList {
    /// Most events first, at most 1,000.
    pub rows: Vec<TopicRow>,
    pub total: u64,
    pub truncated: bool,
}
}

dto! {
pub struct TopicRow {
    /// A topic; or `(workers)`, `(clients)` and `(others)` for those of single workers, single clients, and the rest.
    pub topic: String,
    /// Whether the plugin was told to send it.
    pub allowed: bool,
    /// Events that were sent and are stored.
    pub stored: u64,
    /// Events that were seen in the scheduler and not sent.
    pub not_sent: u64,
}
}

dto! {
pub struct EventFieldsRequest {
    pub id: i64,
    #[serde(default)]
    pub from_micros: Option<Micros>,
    #[serde(default)]
    pub to_micros: Option<Micros>,
    /// Only events that have this field with this value, by its words.
    #[serde(default)]
    pub field: Option<String>,
    #[serde(default)]
    pub value: Option<String>,
}
}

dto! {
/// What the payloads of a cluster's events are made of.
pub struct EventFields {
    /// Fields with numbers, by topic, most values first, at most 12; and how many there are, counted up to 1,000.
    pub numbers: Vec<EventNumbers>,
    pub numbers_total: u64,
    /// Fields with words, most values first, at most 12; and how many there are, counted up to 1,000.
    pub words: Vec<EventWords>,
    pub words_total: u64,
    /// Events that match, newest first, at most 200.
    pub rows: Vec<EventRow>,
    /// How many match, of those that were looked at.
    pub matching: u64,
    /// Events that were looked at, the newest first, at most 5,000; and how many there are in this time.
    pub looked_at: u64,
    pub total: u64,
    /// Payloads that could not be opened: the key is missing.
    pub locked: u64,
}
}

dto! {
pub struct EventNumbers {
    pub topic: String,
    /// The path of the field, such as `metrics.loss`.
    pub field: String,
    /// Columns of one length, oldest first.
    pub at_micros: Vec<Micros>,
    pub values: Vec<f64>,
}
}

dto! {
pub struct EventWords {
    pub field: String,
    /// Most events first, at most 20.
    pub values: Vec<EventWord>,
    /// Different values in all.
    pub total: u64,
}
}

dto! {
pub struct EventWord {
    pub value: String,
    pub count: u64,
}
}
