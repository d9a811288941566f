//! What a row of the ledger says.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

use crate::model::Micros;

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A person approved these bytes for this destination, or to be saved as a file.
    Approved,
    /// That approval was withdrawn before anything was sent by it.
    Withdrawn,
    /// The upload of approved bytes began, or began anew.
    UploadStarted,
    /// The destination said, signed, that it has them.
    Receipt,
    /// The destination said, signed, that it has deleted them.
    Recall,
    /// Something was written to a file: a bundle, a report, a table.
    Export,
    /// What may be shared without being asked, or with whom, was changed.
    PolicyChange,
    /// The team's policy file is another than the last time that Bobbin followed it.
    Policy,
    /// A cluster was asked to close.
    RemoteStop,
    /// A connection to another machine was about to be opened.
    Connection,
    /// An agent was answered, through the lens of a share.
    Agent,
    /// Another machine was answered from the store, over the interface.
    Read,
}

impl Kind {
    /// As it is written.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Approved => "approved",
            Kind::Withdrawn => "withdrawn",
            Kind::UploadStarted => "upload_started",
            Kind::Receipt => "receipt",
            Kind::Recall => "recall",
            Kind::Export => "export",
            Kind::PolicyChange => "policy_change",
            Kind::Policy => "policy",
            Kind::RemoteStop => "remote_stop",
            Kind::Connection => "connection",
            Kind::Agent => "agent",
            Kind::Read => "read",
        }
    }
}

/// What a row says, but for its time and its place in the chain.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    pub kind: Kind,
    /// In words, such as a file or a cluster.
    pub what: String,
    /// Where it goes: a destination's name and its pin, or an address.
    pub to: Option<String>,
    /// How many bytes it is about.
    pub bytes: Option<u64>,
    /// Of those bytes, in hexadecimal.
    pub sha256: Option<String>,
    /// What the other side signed.
    pub proof: Option<Value>,
    // What rows of earlier versions do not have is not written where it is not known: so their hashes stay what they are.
    /// Who had it done: the user of the system.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// The team's policy that was in force.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<PolicyInForce>,
    /// How much is told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<String>,
    /// The categories of which something is told, where a person looked at them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub categories: Option<Vec<String>>,
}

/// A policy, so that its text can be told from any other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct PolicyInForce {
    /// The team's name; null where it has none.
    pub team: Option<String>,
    /// Of the file, in hexadecimal.
    pub sha256: String,
}

impl Entry {
    /// With nothing but words.
    pub fn new(kind: Kind, what: impl Into<String>) -> Self {
        Self {
            kind,
            what: what.into(),
            to: None,
            bytes: None,
            sha256: None,
            proof: None,
            by: None,
            policy: None,
            level: None,
            categories: None,
        }
    }

    #[must_use]
    pub fn to(self, to: impl Into<String>) -> Self {
        Self {
            to: Some(to.into()),
            ..self
        }
    }

    /// About these bytes.
    #[must_use]
    pub fn about(self, sha256: impl Into<String>, bytes: u64) -> Self {
        Self {
            sha256: Some(sha256.into()),
            bytes: Some(bytes),
            ..self
        }
    }

    /// Under this policy, if there is one.
    #[must_use]
    pub fn under(self, policy: Option<PolicyInForce>) -> Self {
        Self { policy, ..self }
    }

    /// With so much told.
    #[must_use]
    pub fn telling(self, level: impl Into<String>) -> Self {
        Self {
            level: Some(level.into()),
            ..self
        }
    }

    /// With something told of these categories.
    #[must_use]
    pub fn of_categories(self, categories: Vec<String>) -> Self {
        Self {
            categories: Some(categories),
            ..self
        }
    }

    #[must_use]
    pub fn proven(self, proof: Value) -> Self {
        Self {
            proof: Some(proof),
            ..self
        }
    }

    /// Whether it is about these bytes and this destination.
    pub fn is_of(&self, sha256: &str, to: &str) -> bool {
        self.sha256.as_deref() == Some(sha256) && self.to.as_deref() == Some(to)
    }

    /// Until when backups of the hub may hold what it deleted, as it signed; none where it did not say.
    pub fn backups_until(&self) -> Option<Micros> {
        let text = self.proof.as_ref()?["text"].as_str()?;
        let said: Value = serde_json::from_str(text).ok()?;
        said["backups_until_micros"].as_i64().map(Micros)
    }

    /// Whether a hub signed what it proves: a folder or a bucket only says something.
    pub fn is_signed(&self) -> bool {
        // What a hub signs is a text with the signature over it.
        let signed = |proof: &Value| proof["text"].is_string() && proof["signature"].is_string();
        self.proof.as_ref().is_some_and(signed)
    }
}
