//! Exceptions, events, and what was shed or ended.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::model::{ExceptionOrigin, Micros};
use crate::wire::strict;

/// One failure, counted. The latest by (`at_micros`, sequence number) stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExceptionRecord {
    pub at_micros: Micros,
    pub exception_id: String,
    pub group_id: Option<String>,
    /// Name of the group whose task failed.
    pub group: Option<String>,
    /// `user` for an exception of the user's function, `dask` for a failure of Dask's own, such as `KilledWorker`.
    pub origin: ExceptionOrigin,
    pub exception_type: String,
    pub message: Option<String>,
    pub traceback: Option<String>,
    /// Of Dask's own failures: the packet with the state of its state machine, as text.
    #[serde(default)]
    pub details: Option<String>,
    pub worker: Option<String>,
    pub first_seen_micros: Micros,
    pub last_seen_micros: Micros,
    pub count: u64,
    /// Tasks that erred only because they depend on a failed one.
    #[serde(default)]
    pub dependents: u64,
}

/// An event of an allowed topic; or, with `count`, how many of a topic were seen and not sent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EventRecord {
    pub at_micros: Micros,
    pub topic: String,
    #[serde(default, deserialize_with = "strict::value")]
    pub payload: Value,
    /// Events of this topic that were not sent since the instance started; the latest stands. The topics of single
    /// workers and clients are summed as `(workers)` and `(clients)`, rare ones as `(others)`.
    #[serde(default)]
    pub count: Option<u64>,
}

/// What the plugin shed since it last said so.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DroppedRecord {
    pub at_micros: Micros,
    /// Kind of the records that were shed.
    pub what: String,
    pub count: u64,
    /// Why, such as `queue_full`.
    pub reason: String,
}

/// The scheduler said goodbye.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StopRecord {
    pub at_micros: Micros,
    /// `closed`, `idle_timeout`, `remote_close` or `exit`.
    pub reason: String,
}
