//! Who and where a cluster is, and what it was told not to send.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::model::Micros;
use crate::wire::strict;

/// Which categories the plugin was told to send. What is off never left the scheduler.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Switches {
    /// Source code around the call that started a computation.
    pub code: bool,
    /// The statistical profile.
    pub profile: bool,
    /// Messages, tracebacks and details of exceptions; off leaves their types and counts.
    #[serde(default = "on")]
    pub exceptions: bool,
    /// Off: names of groups, prefixes, spans and tasks came as hashes.
    #[serde(default = "on")]
    pub names: bool,
    #[serde(default = "on")]
    pub user: bool,
    /// Host names and addresses.
    #[serde(default = "on")]
    pub host: bool,
    /// Folders; off leaves the last part of a file's name.
    #[serde(default = "on")]
    pub paths: bool,
    /// Whether the scheduler lets this install close it.
    #[serde(default)]
    pub remote_close: bool,
    /// Event topics that are sent; `["*"]` is all.
    #[serde(default)]
    pub events_allow: Vec<String>,
}

/// A switch that is not named is on.
fn on() -> bool {
    true
}

/// On which side a version differs from the scheduler's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MismatchSide {
    Worker,
    Client,
}

/// A version elsewhere that is not the scheduler's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Mismatch {
    pub package: String,
    #[serde(rename = "where")]
    pub side: MismatchSide,
    /// Null: the package is not installed there.
    pub version: Option<String>,
    /// Workers or clients that have it.
    pub count: u64,
}

/// Who and where a cluster is: sent first, and again when something in it changes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClusterRecord {
    pub at_micros: Micros,
    /// The name that its user gave it, or Dask's.
    pub name: Option<String>,
    /// Python class of the cluster object, such as `LocalCluster`; null for a bare scheduler.
    pub cluster_class: Option<String>,
    pub scheduler_address: Option<String>,
    pub dashboard_url: Option<String>,
    pub started_micros: Micros,
    pub user: Option<String>,
    pub host: Option<String>,
    pub project: Option<String>,
    #[serde(default, deserialize_with = "strict::map")]
    pub tags: BTreeMap<String, String>,
    /// Package name to version, as `distributed.versions` tells it.
    #[serde(default, deserialize_with = "strict::map")]
    pub versions: BTreeMap<String, Option<String>>,
    /// The `host` part of `distributed.versions`: interpreter, operating system, byte order, locale.
    #[serde(default, deserialize_with = "strict::map")]
    pub host_versions: BTreeMap<String, Option<String>>,
    /// Versions of workers and clients that differ from the scheduler's.
    #[serde(default)]
    pub mismatches: Vec<Mismatch>,
    /// What this version of Dask does not tell, in short stable words such as `spans`.
    #[serde(default)]
    pub unavailable: Vec<String>,
    pub python_version: Option<String>,
    /// The interpreter's path, with the home folder shortened to `~`.
    pub python_path: Option<String>,
    pub os: Option<String>,
    pub architecture: Option<String>,
    pub plugin_version: String,
    /// Time between two beats.
    pub interval_micros: i64,
    /// The plugin closes a cluster that was idle for this long; null is never.
    #[serde(default)]
    pub idle_timeout_micros: Option<i64>,
    pub switches: Switches,
}
