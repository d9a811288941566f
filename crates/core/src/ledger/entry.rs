//! What a row of the ledger says.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A person approved these bytes for this destination.
    Approved,
    /// The upload of approved bytes began, or began anew.
    UploadStarted,
    /// The destination said, signed, that it has them.
    Receipt,
    /// The destination said, signed, that it has deleted them.
    Recall,
    /// A bundle was written for somebody.
    Export,
    /// What may be shared without being asked, or with whom, was changed.
    PolicyChange,
    /// A cluster was asked to close.
    RemoteStop,
    /// A connection to another machine was about to be opened.
    Connection,
    /// An agent was answered, through the lens of a share.
    Agent,
}

impl Kind {
    /// As it is written.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Approved => "approved",
            Kind::UploadStarted => "upload_started",
            Kind::Receipt => "receipt",
            Kind::Recall => "recall",
            Kind::Export => "export",
            Kind::PolicyChange => "policy_change",
            Kind::RemoteStop => "remote_stop",
            Kind::Connection => "connection",
            Kind::Agent => "agent",
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

    #[must_use]
    pub fn proven(self, proof: Value) -> Self {
        Self {
            proof: Some(proof),
            ..self
        }
    }

    /// Whether a hub signed what it proves: a folder or a bucket only says something.
    pub fn is_signed(&self) -> bool {
        // What a hub signs is a text with the signature over it.
        let signed = |proof: &Value| proof["text"].is_string() && proof["signature"].is_string();
        self.proof.as_ref().is_some_and(signed)
    }
}
