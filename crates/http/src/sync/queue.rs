//! What was approved and is on its way. What is sent and what is recalled the ledger says; here is only where the files lie, and
//! what went wrong last.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use bobbin_core::install::write_private;
use bobbin_core::ledger::{Kind, LedgerRow};
use bobbin_core::model::Micros;
use bobbin_core::{Error, Result};
use serde::{Deserialize, Serialize};

const FILE: &str = "queue.json";

/// How far a bundle is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum QueuedState {
    /// Approved, and nothing of it was sent.
    Waiting,
    /// Begun, without a receipt.
    Uploading,
    /// It cannot go until somebody does something.
    Stuck,
    /// The hub signed that it has it.
    Sent,
    /// The hub was put back to an older copy and has it no more.
    Lost,
    Recalled,
}

/// One bundle of the queue.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Queued {
    pub sha256: String,
    pub what: String,
    pub to: String,
    pub bytes: u64,
    pub state: QueuedState,
    pub approved_micros: Micros,
    /// Where its bytes lie.
    pub path: Option<PathBuf>,
    pub attempts: u32,
    pub trouble: Option<String>,
    pub sent_chunks: usize,
    pub chunks: usize,
}

/// What is remembered of the bundles beside the ledger.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Queue {
    pub paused: bool,
    items: BTreeMap<String, Item>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Item {
    path: PathBuf,
    attempts: u32,
    trouble: Option<String>,
    stuck: bool,
    lost: bool,
    sent_chunks: usize,
    chunks: usize,
}

impl Queue {
    /// That of the install in `dir`.
    ///
    /// # Errors
    /// [`Error::Json`], [`Error::Io`].
    pub fn load(dir: &Path) -> Result<Self> {
        let path = dir.join(FILE);
        match fs::read(&path) {
            Ok(text) => Ok(serde_json::from_slice(&text)?),
            Err(source) if source.kind() == std::io::ErrorKind::NotFound => Ok(Self::default()),
            Err(source) => Err(Error::Io { path, source }),
        }
    }

    /// Writes it in one step.
    ///
    /// # Errors
    /// [`Error::DiskFull`], [`Error::Io`].
    pub fn save(&self, dir: &Path) -> Result<()> {
        write_private(&dir.join(FILE), &serde_json::to_vec(self)?)
    }

    /// Remembers where the bytes of a bundle lie.
    pub fn add(&mut self, sha256: &str, path: &Path) {
        self.items.entry(sha256.into()).or_default().path = path.into();
    }

    /// It goes on.
    pub fn went(&mut self, sha256: &str, sent_chunks: usize, chunks: usize) {
        let item = self.items.entry(sha256.into()).or_default();
        (item.sent_chunks, item.chunks) = (sent_chunks, chunks);
        (item.trouble, item.stuck, item.lost) = (None, false, false);
    }

    /// It did not go.
    pub fn failed(&mut self, sha256: &str, why: &str, stuck: bool) {
        let item = self.items.entry(sha256.into()).or_default();
        item.attempts += 1;
        item.trouble = Some(why.into());
        item.stuck = stuck;
    }

    /// It is there.
    pub fn arrived(&mut self, sha256: &str) {
        let item = self.items.entry(sha256.into()).or_default();
        item.sent_chunks = item.chunks;
        item.attempts = 0;
        (item.trouble, item.stuck, item.lost) = (None, false, false);
    }

    /// The hub has it no more, and nobody here recalled it.
    pub fn lost(&mut self, sha256: &str) {
        self.items.entry(sha256.into()).or_default().lost = true;
    }

    /// Every bundle that was approved for `to`, in the order of approval.
    pub fn list(&self, rows: &[LedgerRow], to: &str) -> Vec<Queued> {
        let mut list: Vec<Queued> = Vec::new();
        for row in rows
            .iter()
            .filter(|row| row.entry.to.as_deref() == Some(to))
        {
            let Some(sha256) = &row.entry.sha256 else {
                continue;
            };
            let known = list.iter_mut().find(|queued| queued.sha256 == *sha256);
            match (row.entry.kind, known) {
                (Kind::Approved, None) => {
                    let item = self.items.get(sha256).cloned().unwrap_or_default();
                    list.push(Queued {
                        sha256: sha256.clone(),
                        what: row.entry.what.clone(),
                        to: to.into(),
                        bytes: row.entry.bytes.unwrap_or(0),
                        state: QueuedState::Waiting,
                        approved_micros: row.at_micros,
                        path: Some(item.path).filter(|path| !path.as_os_str().is_empty()),
                        attempts: item.attempts,
                        trouble: item.trouble,
                        sent_chunks: item.sent_chunks,
                        chunks: item.chunks,
                    });
                }
                (Kind::Approved, Some(queued)) if queued.state == QueuedState::Recalled => {
                    queued.state = QueuedState::Waiting;
                    queued.approved_micros = row.at_micros;
                }
                (Kind::UploadStarted, Some(queued)) if queued.state != QueuedState::Sent => {
                    queued.state = QueuedState::Uploading;
                }
                (Kind::Receipt, Some(queued)) => queued.state = QueuedState::Sent,
                (Kind::Recall, Some(queued)) => queued.state = QueuedState::Recalled,
                _ => {}
            }
        }
        for queued in &mut list {
            let item = self.items.get(&queued.sha256);
            if item.is_some_and(|item| item.lost) && queued.state == QueuedState::Sent {
                queued.state = QueuedState::Lost;
            } else if item.is_some_and(|item| item.stuck)
                && matches!(queued.state, QueuedState::Waiting | QueuedState::Uploading)
            {
                queued.state = QueuedState::Stuck;
            }
        }
        list
    }
}
