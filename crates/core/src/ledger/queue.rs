//! What was approved and is on its way. What is sent and what is recalled the ledger says; here is only who asked for it, and
//! what went wrong last.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::Path;

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{A_FILE, Kind, LedgerRow};
use crate::install::{at, open_private, write_private};
use crate::model::Micros;
use crate::system::lock_file;
use crate::{Error, Result};

const FILE: &str = "queue.json";
const SENDING: &str = "queue.lock";

/// How far a bundle is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum QueuedState {
    /// Approved, and nothing of it was sent.
    Waiting,
    /// The approval was withdrawn, and nothing of it was sent.
    Withdrawn,
    /// Begun, without a receipt.
    Uploading,
    /// It cannot go until somebody does something.
    Stuck,
    /// The destination said that it has it.
    Sent,
    /// The hub was put back to an older copy and has it no more.
    Lost,
    Recalled,
}

/// One bundle of the queue.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct Queued {
    pub sha256: String,
    pub what: String,
    /// As the ledger names it.
    pub to: String,
    pub bytes: u64,
    pub state: QueuedState,
    pub approved_micros: Micros,
    /// Whether a running Bobbin sends it by itself, until it is there.
    pub asked: bool,
    /// Whether it is to be deleted there.
    pub recalling: bool,
    /// Since somebody asked for it last.
    pub attempts: u32,
    /// Why it did not go.
    pub trouble: Option<String>,
    /// When it is tried next; null where that is at once.
    pub again_micros: Option<Micros>,
    pub sent_chunks: u64,
    /// 0 where it does not go in chunks.
    pub chunks: u64,
    /// What the destination said of it last.
    pub receipt: Option<QueuedReceipt>,
    /// Of what was recalled, until when backups of the hub may hold it, as it signed; null where it did not say.
    pub backups_until_micros: Option<Micros>,
}

/// That a destination has a bundle.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct QueuedReceipt {
    pub at_micros: Micros,
    /// Where it says so.
    pub what: String,
    /// Whether a hub signed it: a folder or a bucket only says something.
    pub signed: bool,
}

/// What is remembered of the bundles beside the ledger.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Queue {
    pub paused: bool,
    /// By hash and destination: the same bytes may go to two.
    items: BTreeMap<String, Item>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct Item {
    asked: bool,
    recalling: bool,
    attempts: u32,
    trouble: Option<String>,
    again: Option<Micros>,
    stuck: bool,
    lost: bool,
    sent_chunks: u64,
    chunks: u64,
}

/// Held while something is sent or recalled: of several processes one does at a time.
pub struct Sender {
    _lock: File,
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

    /// Changes it in one step; two changes at once, of one process or of two, are both kept.
    ///
    /// # Errors
    /// As [`Queue::load`]; [`Error::DiskFull`].
    pub fn change(dir: &Path, change: impl FnOnce(&mut Self)) -> Result<()> {
        let changing = lock_file(dir).map_err(at(dir))?;
        changing.lock().map_err(at(dir))?;
        let before = Self::load(dir)?;
        let mut after = before.clone();
        change(&mut after);
        if after == before {
            return Ok(());
        }
        write_private(&dir.join(FILE), &serde_json::to_vec(&after)?)
    }

    /// The right to send from the install in `dir`; none while another process does.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn sender(dir: &Path) -> Result<Option<Sender>> {
        let path = dir.join(SENDING);
        let lock = open_private(&path)?;
        match lock.try_lock() {
            Ok(()) => Ok(Some(Sender { _lock: lock })),
            Err(fs::TryLockError::WouldBlock) => Ok(None),
            Err(fs::TryLockError::Error(source)) => Err(Error::Io { path, source }),
        }
    }

    /// Whether nobody asked for anything that is not done.
    pub fn is_idle(&self) -> bool {
        !self.items.values().any(|item| item.asked || item.recalling)
    }

    /// It is to be sent, as if it had never failed.
    pub fn ask(&mut self, to: &str, sha256: &str) {
        let item = self.item(to, sha256);
        *item = Item {
            asked: true,
            lost: item.lost,
            sent_chunks: item.sent_chunks,
            chunks: item.chunks,
            ..Item::default()
        };
    }

    /// It is not to be sent any more.
    pub fn take_back(&mut self, to: &str, sha256: &str) {
        *self.item(to, sha256) = Item::default();
    }

    /// It is to be deleted there.
    pub fn ask_back(&mut self, to: &str, sha256: &str) {
        let item = self.item(to, sha256);
        *item = Item {
            recalling: true,
            lost: item.lost,
            ..Item::default()
        };
    }

    /// It goes on.
    pub fn went(&mut self, to: &str, sha256: &str, sent_chunks: u64, chunks: u64) {
        let item = self.item(to, sha256);
        (item.sent_chunks, item.chunks) = (sent_chunks, chunks);
        (item.trouble, item.again, item.stuck, item.lost) = (None, None, false, false);
    }

    /// It did not go, and is tried again at `again`; without that once somebody asks for it.
    pub fn failed(&mut self, to: &str, sha256: &str, why: &str, again: Option<Micros>) {
        let item = self.item(to, sha256);
        item.attempts += 1;
        item.trouble = Some(why.into());
        item.again = again;
        item.stuck = again.is_none();
        if item.stuck {
            (item.asked, item.recalling) = (false, false);
        }
    }

    /// It is there. Whoever asked for it back as soon as the ledger said so still wants that.
    pub fn arrived(&mut self, to: &str, sha256: &str) {
        let item = self.item(to, sha256);
        *item = Item {
            sent_chunks: item.chunks,
            chunks: item.chunks,
            recalling: item.recalling,
            ..Item::default()
        };
    }

    /// The hub has it no more, and nobody here recalled it.
    pub fn lost(&mut self, to: &str, sha256: &str) {
        self.item(to, sha256).lost = true;
    }

    /// How often it failed since somebody asked for it.
    pub fn attempts(&self, to: &str, sha256: &str) -> u32 {
        self.items
            .get(&name(to, sha256))
            .map_or(0, |item| item.attempts)
    }

    fn item(&mut self, to: &str, sha256: &str) -> &mut Item {
        self.items.entry(name(to, sha256)).or_default()
    }

    /// Every bundle that was approved for a destination, in the order of approval.
    pub fn list(&self, rows: &[LedgerRow]) -> Vec<Queued> {
        let mut list: Vec<Queued> = Vec::new();
        for row in rows {
            let (Some(to), Some(sha256)) = (&row.entry.to, &row.entry.sha256) else {
                continue;
            };
            if to == A_FILE {
                continue;
            }
            let known = list
                .iter_mut()
                .find(|queued| queued.sha256 == *sha256 && queued.to == *to);
            match (row.entry.kind, known) {
                (Kind::Approved, None) => list.push(self.queued(row, to, sha256)),
                (Kind::Approved, Some(queued))
                    if matches!(queued.state, QueuedState::Recalled | QueuedState::Withdrawn) =>
                {
                    queued.state = QueuedState::Waiting;
                    queued.approved_micros = row.at_micros;
                    queued.backups_until_micros = None;
                }
                (Kind::Withdrawn, Some(queued)) if queued.state == QueuedState::Waiting => {
                    queued.state = QueuedState::Withdrawn;
                }
                // None follows the row of a withdrawal: what was about to begin is not minted.
                (Kind::UploadStarted, Some(queued))
                    if !matches!(queued.state, QueuedState::Sent | QueuedState::Withdrawn) =>
                {
                    queued.state = QueuedState::Uploading;
                }
                (Kind::Receipt, Some(queued)) => {
                    queued.state = QueuedState::Sent;
                    queued.receipt = Some(QueuedReceipt {
                        at_micros: row.at_micros,
                        what: row.entry.what.clone(),
                        signed: row.entry.is_signed(),
                    });
                }
                (Kind::Recall, Some(queued)) => {
                    (queued.state, queued.receipt) = (QueuedState::Recalled, None);
                    queued.backups_until_micros = row.entry.backups_until();
                }
                _ => {}
            }
        }
        for queued in &mut list {
            let item = self.items.get(&name(&queued.to, &queued.sha256));
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

    fn queued(&self, row: &LedgerRow, to: &str, sha256: &str) -> Queued {
        let item = self
            .items
            .get(&name(to, sha256))
            .cloned()
            .unwrap_or_default();
        Queued {
            sha256: sha256.into(),
            what: row.entry.what.clone(),
            to: to.into(),
            bytes: row.entry.bytes.unwrap_or(0),
            state: QueuedState::Waiting,
            approved_micros: row.at_micros,
            asked: item.asked,
            recalling: item.recalling,
            attempts: item.attempts,
            trouble: item.trouble,
            again_micros: item.again,
            sent_chunks: item.sent_chunks,
            chunks: item.chunks,
            receipt: None,
            backups_until_micros: None,
        }
    }
}

fn name(to: &str, sha256: &str) -> String {
    format!("{sha256} {to}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::{Entry, Ledger};

    const BLUE: &str = "blue@hub:1#sha256=ff";

    fn row(ledger: &Ledger, kind: Kind, to: &str) {
        let entry = Entry::new(kind, "nightly").to(to).about("aa", 7);
        ledger.append(Micros(1), &entry).unwrap();
    }

    #[test]
    fn the_same_bytes_are_queued_for_each_destination_alone() {
        let dir = tempfile::tempdir().unwrap();
        let ledger = Ledger::of(dir.path());
        row(&ledger, Kind::Approved, BLUE);
        row(&ledger, Kind::Approved, "/team");
        row(&ledger, Kind::UploadStarted, "/team");
        row(&ledger, Kind::Receipt, "/team");
        Queue::change(dir.path(), |queue| {
            queue.ask(BLUE, "aa");
            queue.failed(BLUE, "aa", "nobody answers", Some(Micros(9)));
        })
        .unwrap();
        let queue = Queue::load(dir.path()).unwrap();
        assert!(!queue.is_idle());
        let list = queue.list(&ledger.rows().unwrap());
        let said: Vec<_> = list
            .iter()
            .map(|one| (one.to.as_str(), one.state, one.asked, one.again_micros))
            .collect();
        assert_eq!(
            said,
            [
                (BLUE, QueuedState::Waiting, true, Some(Micros(9))),
                ("/team", QueuedState::Sent, false, None),
            ]
        );
        let receipt = list[1].receipt.as_ref().unwrap();
        assert!(!receipt.signed);
        // What cannot go waits for a person, who asks anew.
        Queue::change(dir.path(), |queue| {
            queue.failed(BLUE, "aa", "the token is none", None);
        })
        .unwrap();
        let queue = Queue::load(dir.path()).unwrap();
        assert!(queue.is_idle());
        let state = queue.list(&ledger.rows().unwrap())[0].state;
        assert_eq!(state, QueuedState::Stuck);
        Queue::change(dir.path(), |queue| queue.ask(BLUE, "aa")).unwrap();
        let again = Queue::load(dir.path()).unwrap();
        let list = again.list(&ledger.rows().unwrap());
        assert_eq!(
            (list[0].state, list[0].attempts, &list[0].trouble),
            (QueuedState::Waiting, 0, &None)
        );
    }

    #[test]
    fn what_is_asked_back_before_the_queue_knows_that_it_arrived_is_still_to_be_deleted() {
        let dir = tempfile::tempdir().unwrap();
        let ledger = Ledger::of(dir.path());
        for kind in [Kind::Approved, Kind::UploadStarted, Kind::Receipt] {
            row(&ledger, kind, BLUE);
        }
        Queue::change(dir.path(), |queue| {
            queue.ask(BLUE, "aa");
            queue.ask_back(BLUE, "aa");
            queue.arrived(BLUE, "aa");
        })
        .unwrap();
        let queue = Queue::load(dir.path()).unwrap();
        assert!(!queue.is_idle());
        assert!(queue.list(&ledger.rows().unwrap())[0].recalling);
        Queue::change(dir.path(), |queue| queue.take_back(BLUE, "aa")).unwrap();
        assert!(Queue::load(dir.path()).unwrap().is_idle());
    }

    #[test]
    fn how_far_it_is_stands_there_until_it_arrived() {
        let dir = tempfile::tempdir().unwrap();
        let ledger = Ledger::of(dir.path());
        row(&ledger, Kind::Approved, BLUE);
        row(&ledger, Kind::UploadStarted, BLUE);
        let mut queue = Queue::default();
        let said = |queue: &Queue| {
            let one = queue.list(&ledger.rows().unwrap()).remove(0);
            assert_eq!(one.trouble.is_some(), one.again_micros.is_some());
            (one.state, one.trouble, one.sent_chunks, one.chunks)
        };
        queue.ask(BLUE, "aa");
        queue.went(BLUE, "aa", 1, 3);
        assert_eq!(said(&queue), (QueuedState::Uploading, None, 1, 3));
        // What broke off goes on from there.
        queue.failed(BLUE, "aa", "nobody answers", Some(Micros(9)));
        let trouble = Some("nobody answers".to_owned());
        assert_eq!(said(&queue), (QueuedState::Uploading, trouble, 1, 3));
        queue.went(BLUE, "aa", 2, 3);
        assert_eq!(said(&queue), (QueuedState::Uploading, None, 2, 3));
        queue.arrived(BLUE, "aa");
        row(&ledger, Kind::Receipt, BLUE);
        assert_eq!(said(&queue), (QueuedState::Sent, None, 3, 3));
        assert!(queue.is_idle());
    }

    #[test]
    fn what_was_recalled_says_until_when_backups_may_hold_it() {
        let dir = tempfile::tempdir().unwrap();
        let ledger = Ledger::of(dir.path());
        let until = || {
            let list = Queue::default().list(&ledger.rows().unwrap());
            (list[0].state, list[0].backups_until_micros)
        };
        row(&ledger, Kind::Approved, BLUE);
        row(&ledger, Kind::Recall, BLUE);
        assert_eq!(until(), (QueuedState::Recalled, None));
        row(&ledger, Kind::Approved, BLUE);
        let text = r#"{"kind":"tombstone","backups_until_micros":5}"#;
        let proof = serde_json::json!({"text": text, "signature": "00"});
        let recall = Entry::new(Kind::Recall, "nightly").to(BLUE).about("aa", 7);
        ledger.append(Micros(2), &recall.proven(proof)).unwrap();
        assert_eq!(until(), (QueuedState::Recalled, Some(Micros(5))));
        row(&ledger, Kind::Approved, BLUE);
        assert_eq!(until(), (QueuedState::Waiting, None));
    }

    #[test]
    fn changes_at_the_same_time_are_all_kept_and_one_sends_at_a_time() {
        let dir = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for number in 0..8 {
                let dir = dir.path();
                scope.spawn(move || {
                    Queue::change(dir, |queue| queue.ask(BLUE, &number.to_string())).unwrap();
                });
            }
        });
        assert_eq!(Queue::load(dir.path()).unwrap().items.len(), 8);
        let sender = Queue::sender(dir.path()).unwrap();
        assert!(sender.is_some() && Queue::sender(dir.path()).unwrap().is_none());
        drop(sender);
        assert!(Queue::sender(dir.path()).unwrap().is_some());
    }
}
