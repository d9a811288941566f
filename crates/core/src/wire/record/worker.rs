//! Comings and goings of workers.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::model::{Micros, WorkerChange};
use crate::wire::strict;

/// One worker came, went or changed. Each is kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WorkerRecord {
    pub at_micros: Micros,
    /// The plugin's own id of one worker server: addresses and names come again.
    pub worker_id: String,
    #[serde(default)]
    pub address: Option<String>,
    #[serde(default)]
    pub name: Option<String>,
    #[serde(default)]
    pub host: Option<String>,
    pub event: WorkerChange,
    /// Why, such as `memory`, in Dask's words where it gives any.
    #[serde(default)]
    pub cause: Option<String>,
    /// Whether it was asked to go; null where Dask does not tell.
    #[serde(default)]
    pub expected: Option<bool>,
    #[serde(default)]
    pub threads: Option<u64>,
    #[serde(default)]
    pub memory_limit_bytes: Option<u64>,
    #[serde(default, deserialize_with = "strict::map")]
    pub resources: BTreeMap<String, f64>,
    /// Whether a nanny restarts it.
    #[serde(default)]
    pub nanny: Option<bool>,
}
