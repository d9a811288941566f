//! This Bobbin itself.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::KeyState;
use super::SafetyStatus;
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
    /// Whether code and tracebacks can be read, as far as that is known without asking a keyring.
    pub key: KeyState,
    pub inbox: InboxStatus,
    pub safety: SafetyStatus,
    /// Requests refused since the receiver started, by reason.
    pub refused: BTreeMap<String, u64>,
    /// Whether a Dask configuration file makes every scheduler of this user report.
    pub connected: bool,
    /// The plugin's file in the data folder, which schedulers can preload; null where it is missing.
    pub plugin_path: Option<String>,
}
}

dto! {
/// Batches that arrive as files.
pub struct InboxStatus {
    /// Files of batches that are put here are read, and removed once their cluster has said goodbye.
    pub folder: String,
    /// Of clusters that live, or that ended without a goodbye.
    pub waiting_files: u64,
    /// Files that could not be read: they are called `*.refused`, and a `*.why` beside each says why.
    pub refused_files: u64,
    /// Clusters that ended before Bobbin took what they had to say.
    pub spool_folders: u64,
    /// Sealed batches of these.
    pub sealed_files: u64,
    /// Whether plugins find the key to seal with; without it code that they cannot send is lost with them.
    pub public_key_present: bool,
}
}

dto! {
pub struct ReceiverStatus {
    pub pid: u32,
    pub tcp: String,
    pub socket: Option<String>,
    /// Where other machines reach it; null where it listens on this one alone.
    pub interface: Option<InterfaceStatus>,
    pub started_micros: Micros,
    /// The port that it was told to take; 0 is any that is free.
    pub port_asked: u16,
    /// Whether its command line told it so, which goes before the settings.
    pub port_by_option: bool,
}
}

impl ReceiverStatus {
    /// Whether it has an interface and does not listen there now.
    pub(crate) fn is_cut_off(&self) -> bool {
        let interface = self.interface.as_ref();
        interface.is_some_and(|interface| interface.failed.is_some())
    }
}

dto! {
/// An address that other machines reach.
pub struct InterfaceStatus {
    /// With its port, such as `192.168.1.7:8788`.
    pub address: String,
    /// Why it does not listen there; null where it does.
    pub failed: Option<String>,
    /// Whether its command line named it, which goes before the settings.
    pub by_option: bool,
    /// When it stops listening there; null where it does for as long as it runs.
    pub until_micros: Option<Micros>,
}
}
