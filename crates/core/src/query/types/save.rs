//! What can be saved as a file: a table, a picture, a profile, each in formats that other programs read; and a recording.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

use super::{FlameRequest, GraphRequest, HeatMapRequest};
use crate::model::Micros;

/// How a table is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum TableFormat {
    /// For spreadsheets: no cell of it is a formula.
    #[default]
    Csv,
    Json,
    Parquet,
}

/// How a merged profile is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ProfileFormat {
    #[default]
    Speedscope,
    Folded,
    /// Gzipped.
    Pprof,
}

/// How a picture is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum PictureFormat {
    #[default]
    Svg,
    Png,
}

dto! {
/// The rows of an answer, all of them and not only those in sight.
pub struct TableRequest {
    /// Which command answers with them, and what it is asked.
    pub command: String,
    #[ts(type = "unknown")]
    pub request: Value,
    /// Where in the answer they are, with dots between the steps: a list of records, columns of one length, or one record of
    /// plain values. A step into a list is a place, or a `field=text` that a record has. Empty: `rows`.
    #[serde(default)]
    pub list: String,
    /// What the file is called; empty is as the command.
    #[serde(default)]
    pub name: String,
}
}

/// What is drawn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum PictureOf {
    HeatMap {
        request: HeatMapRequest,
    },
    /// Workers, threads and memory of one cluster.
    Timeline {
        id: i64,
        #[serde(default)]
        from_micros: Option<Micros>,
        #[serde(default)]
        to_micros: Option<Micros>,
    },
    Graph {
        request: GraphRequest,
    },
    Flame {
        request: Box<FlameRequest>,
    },
}

dto! {
pub struct PictureRequest {
    pub of: PictureOf,
    #[serde(default)]
    pub format: PictureFormat,
    #[serde(default)]
    pub dark: bool,
    /// In pixels; 0 is what suits it. Of a PNG twice as many are drawn, for sharp screens.
    #[serde(default)]
    pub width: u32,
    /// The IANA name of the zone in which times are told; empty is UTC.
    #[serde(default)]
    pub zone: String,
}
}

dto! {
pub struct ProfileOutRequest {
    pub flame: FlameRequest,
    #[serde(default)]
    pub format: ProfileFormat,
}
}

/// How much a recording of one's own cluster tells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum DemoTells {
    /// Numbers; functions, prefixes and types of exceptions by aliases.
    #[default]
    Numbers,
    /// Names too.
    Names,
    /// Code, messages and events too.
    Code,
}

dto! {
/// A recording of a cluster, with aliases for people and machines, and all times of one fixed day.
pub struct RecordingRequest {
    pub id: i64,
    #[serde(default)]
    pub tells: DemoTells,
}
}

/// What is saved.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum SaveRequest {
    Table {
        table: TableRequest,
        #[serde(default)]
        format: TableFormat,
    },
    Picture {
        picture: PictureRequest,
    },
    Profile {
        profile: Box<ProfileOutRequest>,
    },
    Recording {
        recording: RecordingRequest,
    },
    /// The ledger as it stands in its file.
    Chain,
}

dto! {
/// A file that was made, and a row of the ledger with it.
pub struct Saved {
    /// What it is called, without a folder.
    pub name: String,
    pub bytes: u64,
    /// Of the file, in hexadecimal.
    pub sha256: String,
    /// Rows of a table that are in it, and all that there are; null for what is no table.
    pub rows: Option<u64>,
    pub total: Option<u64>,
    /// Whether rows of it are left out.
    pub truncated: bool,
    /// Where it is; null where a browser keeps it.
    pub path: Option<String>,
}
}
