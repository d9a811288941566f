//! What looked like a secret when it came.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// In which clusters to look.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(default, deny_unknown_fields)]
pub struct SecretsRequest {
    /// No more than 1,000.
    pub ids: Vec<i64>,
}

dto! {
pub struct SecretList {
    /// Those of the clusters that have any, by their number.
    pub clusters: Vec<ClusterSecrets>,
}
}

dto! {
/// What looks like a secret in the sealed code and exceptions of a cluster. Known also while they cannot be opened.
pub struct ClusterSecrets {
    pub cluster_id: i64,
    /// Code first.
    pub kinds: Vec<SecretKind>,
    /// Computations and exceptions with so much text that not all of it was looked at when it came.
    pub unlooked: u64,
}
}

dto! {
pub struct SecretKind {
    pub within: SecretWithin,
    /// What it looks like: `GitHub token`.
    pub what: String,
    /// Different ones.
    pub values: u64,
    /// Computations or exceptions that have one.
    pub places: u64,
}
}

/// Which texts of a cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum SecretWithin {
    Code,
    /// Messages, tracebacks and their details.
    Exception,
}
