//! What the settings show of the receiver, of what connects to it, and of what arrives as files.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::ReceiverStatus;
use crate::model::Micros;

dto! {
/// The receiver of this process, and what the next one is told.
pub struct ReceiverSettings {
    /// Null while none runs in this process.
    pub running: Option<ReceiverStatus>,
    /// SHA-256 of the certificate, in hexadecimal: what a plugin on another machine pins.
    pub certificate_sha256: Option<String>,
    pub token_file: String,
    /// `settings.toml`.
    pub file: String,
    pub file_exists: bool,
    /// What the file says; null is the default. 0 is any port that is free.
    pub port: Option<u16>,
    pub default_port: u16,
    /// The interface that the file names; null is this machine alone.
    pub interface: Option<String>,
    /// When that one is no longer listened on; null where it is until it is taken away.
    pub interface_until_micros: Option<Micros>,
    /// For a scheduler on another machine: `bobbin.receiver` with the interface in force. Null where there is none.
    pub receiver_line: Option<String>,
    /// Whether the next start takes another port or interface than those in force.
    pub restart_needed: bool,
    /// Keys that were handed out: each may write and nothing else.
    pub keys: u64,
    pub newest_key_micros: Option<Micros>,
    /// Requests refused since the receiver started, by reason.
    pub refused: BTreeMap<String, u64>,
}
}

/// The port of the next start, as it was typed; null is the default.
#[derive(Clone, Debug, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct SetPortRequest {
    pub port: Option<String>,
}

/// The interface of the next start, as it was typed; null is this machine alone.
#[derive(Clone, Debug, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct SetInterfaceRequest {
    pub interface: Option<String>,
    /// For so many hours from now; null is until it is taken away.
    #[serde(default)]
    pub hours: Option<u32>,
}

/// Says that it is meant.
#[derive(Clone, Debug, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct SureRequest {
    pub sure: bool,
}

dto! {
/// The owner's token, as text.
pub struct TokenText {
    pub text: String,
}
}

dto! {
/// Whether every scheduler of this user reports, and by which file.
pub struct Connection {
    pub connected: bool,
    /// The file that was written, or would be.
    pub file: String,
    /// What it says, while there is one.
    pub text: Option<String>,
    /// The plugin that schedulers load.
    pub plugin: String,
    /// What keeps the file from having its effect.
    pub warnings: Vec<String>,
}
}

/// Connects this machine, or takes that back.
#[derive(Clone, Debug, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct ConnectionRequest {
    pub connected: bool,
}

/// A machine that `ssh` reaches, on which a scheduler is to start.
#[derive(Clone, Debug, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct RemoteRequest {
    /// As `ssh` takes it: `host` or `user@host`.
    pub host: String,
    /// The machine on the way there, such as a login node; empty is none.
    #[serde(default)]
    pub through: String,
}

dto! {
/// What makes a scheduler on another machine report here.
pub struct RemoteLines {
    pub host: String,
    /// For this machine: takes the plugin there.
    pub copy: String,
    /// For this machine: the tunnel, for as long as it runs.
    pub tunnel: String,
    /// For the other machine, where the scheduler starts. They hold a key that may write and nothing else.
    pub environment: Vec<String>,
    pub start: String,
    /// In place of the tunnel and the first of those lines, where other machines reach this one; null where they do not.
    pub direct: Option<String>,
    pub port: u16,
    /// What `reception` knows that key by: nobody can write with it.
    pub key_name: String,
}
}

/// What came in since a moment of this machine's clock.
#[derive(Clone, Debug, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct ReceptionRequest {
    pub since_micros: Micros,
    /// Only clusters that came after this one: `last_id` of an earlier answer.
    pub after_id: i64,
    /// Only clusters that came with this key: `key_name` of `remote_lines`.
    #[serde(default)]
    pub key_name: Option<String>,
}

dto! {
/// What came in, and what was turned away.
pub struct Reception {
    pub now_micros: Micros,
    /// Clusters that were heard, the latest first.
    pub clusters: Vec<HeardCluster>,
    /// By reason, the latest first.
    pub refusals: Vec<RefusalCount>,
    /// Whether some are too long ago, or too many, to be told apart.
    pub truncated: bool,
    /// The cluster that came last, by number; 0 where there is none.
    pub last_id: i64,
}
}

dto! {
pub struct HeardCluster {
    pub id: i64,
    pub name: Option<String>,
    pub host: Option<String>,
    pub workers: u64,
    pub heard_micros: Micros,
}
}

dto! {
pub struct RefusalCount {
    /// As `status` has it.
    pub reason: String,
    pub count: u64,
    pub last_micros: Micros,
}
}

dto! {
/// What arrives as files.
pub struct InboxFiles {
    pub folder: String,
    /// Folders that are read besides, and left as they are.
    pub others: Vec<InboxFolder>,
    /// The latest first.
    pub files: Vec<InboxFile>,
    pub truncated: bool,
}
}

dto! {
pub struct InboxFolder {
    pub folder: String,
    pub exists: bool,
}
}

dto! {
/// A file that arrived, and what became of it.
pub struct InboxFile {
    pub folder: String,
    /// As it was called when it came.
    pub name: String,
    /// Null for what came in many: what a cluster left in the spool.
    pub bytes: Option<u64>,
    /// When something became of it last; of files from before that was noted, when they were changed.
    pub at_micros: Micros,
    pub fate: InboxFate,
    /// Whether it is still there, and read on when it grows.
    pub goes_on: bool,
    /// That were read of it; null where they were not counted.
    pub records: Option<u64>,
    /// Clusters that it told of and that are here now, the newest first: no more than can be listed in a line.
    pub clusters: Vec<InboxCluster>,
    pub clusters_total: u64,
    /// Clusters that were taken of one that was imported.
    pub taken: Option<u64>,
    /// Clusters that it told of and that were not taken.
    pub left_out: u64,
    /// Why it is not read, or the first of those clusters was not taken.
    pub why: Option<String>,
    /// What it is called now, where it was put aside.
    pub aside: Option<String>,
}
}

/// What became of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum InboxFate {
    /// Nothing of it was read yet.
    Unread,
    /// Batch by batch.
    Read,
    /// At once and as a whole: a bundle, or a file of another program.
    Imported,
    Refused,
}

dto! {
pub struct InboxCluster {
    pub id: i64,
    pub name: String,
}
}

/// Folders of the next start.
#[derive(Clone, Debug, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct SetInboxRequest {
    pub folders: Vec<String>,
}

dto! {
/// What clusters switched off at their source, and what a reader keeps out.
pub struct Privacy {
    /// Clusters that said what they may send.
    pub clusters: u64,
    /// Categories that some of them do not send.
    pub switches: Vec<SwitchCount>,
    /// Snippets of code that are never stored again.
    pub forgotten_codes: u64,
}
}

dto! {
pub struct SwitchCount {
    /// As the plugin's settings have it: `code` of `bobbin.code.transmit`.
    pub category: String,
    pub clusters: u64,
    /// The newest of them.
    pub cluster_id: i64,
    pub cluster: Option<String>,
}
}
