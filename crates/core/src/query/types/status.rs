//! This Bobbin itself.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::model::Micros;

dto! {
/// Nothing to say.
pub struct Empty {}
}

dto! {
/// What this Bobbin is and where it listens.
pub struct Status {
    pub version: String,
    pub data_dir: String,
    /// Null while no receiver runs.
    pub receiver: Option<ReceiverStatus>,
    pub store_bytes: u64,
    pub clusters: u64,
    /// By this machine's clock.
    pub last_batch_micros: Option<Micros>,
    /// Whether code and tracebacks can be read.
    pub key_present: bool,
    /// Requests refused since the receiver started, by reason.
    pub refused: BTreeMap<String, u64>,
    /// Whether a Dask configuration file makes every scheduler of this user report.
    pub connected: bool,
    /// The plugin's file in the data folder, which schedulers can preload; null where it is missing.
    pub plugin_path: Option<String>,
}
}

dto! {
pub struct ReceiverStatus {
    pub pid: u32,
    pub tcp: String,
    pub socket: Option<String>,
    pub started_micros: Micros,
}
}
