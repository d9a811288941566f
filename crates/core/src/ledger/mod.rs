//! Everything that ever left: an append-only, hash-chained file in the folder of the install, `ledger.ndjson`.
//!
//! It is a file of its own, and no table of the store, so that it outlives a store that is restored, moved aside or deleted,
//! and so that a shell can write its row beside a window that owns the store.
//!
//! Nothing is uploaded and no connection is opened without a row: what does so takes a [`Minted`] or an [`Opening`], which
//! only the ledger makes, after the row is on the disk.

mod chain;
mod destinations;
mod entry;
mod pinned;
mod queue;
mod rules;
mod withdraw;

use std::path::{Path, PathBuf};

pub use chain::{BEGINNING, Broken, Chain, Chained, Head, Row, digest};
pub use destinations::{
    AccountSaid, DESTINATIONS_FILE, DestinationKind, JoinedDestination, joined_destinations,
    place_named,
};
pub use entry::{Entry, Kind, PolicyInForce};
pub use pinned::{Pinned, TEAM_FILE};
pub use queue::{Queue, Queued, QueuedReceipt, QueuedState, Sender};
pub use rules::{sharing, with_one_less, with_one_more};

use crate::install::unwritten;
use crate::model::Micros;
use crate::system::user;
use crate::{Error, Result};

const FILE: &str = "ledger.ndjson";
/// Where bytes go that are approved to be saved: nothing is sent there.
pub const A_FILE: &str = "file";

/// The ledger of one install.
pub struct Ledger {
    dir: PathBuf,
    chain: Chain<Entry>,
}

/// A row of the ledger.
pub type LedgerRow = Row<Entry>;

/// The right to send certain bytes to one destination. Only [`Ledger::mint`] makes it, after the row is durable:
///
/// ```compile_fail,E0451
/// use bobbin_core::ledger::Minted;
/// let forged = Minted { sha256: "00".into(), bytes: 1, to: "anybody".into() };
/// ```
///
/// It is good for one upload, since it cannot be copied:
///
/// ```compile_fail,E0599
/// fn twice(minted: bobbin_core::ledger::Minted) {
///     let again = minted.clone();
/// }
/// ```
#[derive(Debug)]
#[must_use = "the row says that an upload began"]
pub struct Minted {
    sha256: String,
    bytes: u64,
    to: String,
}

impl Minted {
    /// Of the bytes that may be sent, in hexadecimal.
    pub fn sha256(&self) -> &str {
        &self.sha256
    }

    /// How many there are.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Where they may go.
    pub fn to(&self) -> &str {
        &self.to
    }
}

/// The right to open one connection. Only [`Ledger::connecting`] makes it, after the row is durable.
///
/// ```compile_fail,E0451
/// let forged = bobbin_core::ledger::Opening { address: "192.0.2.1:443".into() };
/// ```
#[derive(Debug)]
#[must_use = "the row says that a connection was opened"]
pub struct Opening {
    address: String,
}

impl Opening {
    /// Host and port.
    pub fn address(&self) -> &str {
        &self.address
    }
}

impl Ledger {
    /// The one of the install in `dir`.
    pub fn of(dir: &Path) -> Self {
        Self {
            dir: dir.into(),
            chain: Chain::at(&dir.join(FILE)),
        }
    }

    /// The folder of its install.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Adds a row, and gives it once the disk has it.
    ///
    /// # Errors
    /// [`Error::NoRoomFor`] on a full disk; otherwise as [`Chain::append`].
    pub fn append(&self, now: Micros, entry: &Entry) -> Result<LedgerRow> {
        let entry = Entry {
            by: entry.by.clone().or_else(|| Some(user(&self.dir))),
            ..entry.clone()
        };
        self.chain
            .append(now, &entry)
            .map_err(unwritten(&self.dir.join(FILE)))
    }

    /// Begins the upload of bytes that a person approved for this destination, and has neither withdrawn nor recalled since.
    ///
    /// # Errors
    /// [`Error::Refused`] where there is no approval; as [`Ledger::may_send`] and [`Chain::append`].
    pub fn mint(&self, now: Micros, sha256: &str, to: &str) -> Result<Minted> {
        self.may_send(now)?;
        let approved = self.approval(sha256, to)?;
        let bytes = approved.bytes.unwrap_or(0);
        let entry = Entry {
            policy: approved.policy,
            level: approved.level,
            categories: approved.categories,
            ..Entry::new(Kind::UploadStarted, approved.what)
                .to(to)
                .about(sha256, bytes)
        };
        self.append(now, &entry)?;
        // It may have been withdrawn meanwhile: then whoever did so may not have seen that it begins.
        self.approval(sha256, to)?;
        Ok(Minted {
            sha256: sha256.into(),
            bytes,
            to: to.into(),
        })
    }

    /// The approval of bytes for a destination, as long as it holds.
    fn approval(&self, sha256: &str, to: &str) -> Result<Entry> {
        let rows = self.chain.rows()?;
        let last = rows.iter().map(|row| &row.entry).rev().find(|entry| {
            matches!(entry.kind, Kind::Approved | Kind::Withdrawn | Kind::Recall)
                && entry.is_of(sha256, to)
        });
        let again =
            |what: &str| Error::Refused(format!("{what}: sending it again needs a new approval"));
        match last {
            Some(entry) if entry.kind == Kind::Approved => Ok(entry.clone()),
            Some(entry) if entry.kind == Kind::Withdrawn => {
                Err(again(&format!("the approval of {sha256} was withdrawn")))
            }
            Some(_) => Err(again(&format!("{sha256} was recalled"))),
            None => {
                let elsewhere = rows.iter().rev().map(|row| &row.entry).find(|entry| {
                    entry.kind == Kind::Approved && entry.sha256.as_deref() == Some(sha256)
                });
                Err(Error::Refused(
                    match elsewhere.and_then(|entry| entry.to.as_deref()) {
                        Some(other) => {
                            format!("{sha256} was approved for {other}, and not for {to}")
                        }
                        None => format!(
                            "{sha256} is not approved for {to}: Bobbin sends nothing that you have not reviewed"
                        ),
                    },
                ))
            }
        }
    }

    /// Notes that a connection is about to be opened.
    ///
    /// # Errors
    /// As [`Chain::append`].
    pub fn connecting(&self, now: Micros, address: &str, why: &str) -> Result<Opening> {
        self.append(now, &Entry::new(Kind::Connection, why).to(address))?;
        Ok(Opening {
            address: address.into(),
        })
    }

    /// All rows, each looked at.
    ///
    /// # Errors
    /// As [`Chain::read`].
    pub fn read(&self) -> Result<Chained<Entry>> {
        self.chain.read()
    }

    /// The file as it stands, so that others can check it.
    ///
    /// # Errors
    /// As [`Chain::bytes`].
    pub fn bytes(&self) -> Result<Vec<u8>> {
        self.chain.bytes()
    }

    /// All rows, if they hold together.
    ///
    /// # Errors
    /// As [`Chain::append`].
    pub fn rows(&self) -> Result<Vec<LedgerRow>> {
        self.chain.rows()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::knows;

    const HUB: &str = "team@hub.example:8789";

    #[test]
    fn only_what_was_approved_for_a_destination_and_not_recalled_since_is_minted() {
        let dir = tempfile::tempdir().unwrap();
        knows(dir.path(), HUB);
        let ledger = Ledger::of(dir.path());
        let now = Micros(1);
        assert!(ledger.mint(now, "aa", HUB).is_err());
        let approved = Entry::new(Kind::Approved, "nightly").to(HUB).about("aa", 7);
        ledger.append(now, &approved).unwrap();
        let minted = ledger.mint(now, "aa", HUB).unwrap();
        assert_eq!(
            (minted.sha256(), minted.bytes(), minted.to()),
            ("aa", 7, HUB)
        );
        assert!(ledger.mint(now, "bb", HUB).is_err());
        // Both are named.
        let why = ledger.mint(now, "aa", "another").unwrap_err().to_string();
        assert!(why.contains(HUB) && why.contains("another"), "{why}");
        let recall = Entry::new(Kind::Recall, "nightly").to(HUB).about("aa", 7);
        ledger.append(now, &recall).unwrap();
        assert!(
            ledger
                .mint(now, "aa", HUB)
                .unwrap_err()
                .to_string()
                .contains("recalled")
        );
        ledger.append(now, &approved).unwrap();
        assert!(ledger.mint(now, "aa", HUB).is_ok());
        // What was refused left no row.
        let kinds: Vec<Kind> = ledger
            .rows()
            .unwrap()
            .iter()
            .map(|row| row.entry.kind)
            .collect();
        assert_eq!(
            kinds,
            [
                Kind::Approved,
                Kind::UploadStarted,
                Kind::Recall,
                Kind::Approved,
                Kind::UploadStarted
            ]
        );
    }

    #[test]
    fn a_row_says_who_had_it_done_and_under_what_and_rows_of_before_hold() {
        let dir = tempfile::tempdir().unwrap();
        knows(dir.path(), HUB);
        let ledger = Ledger::of(dir.path());
        // As a version wrote it that noted less.
        let old = format!(
            r#"{{"number":1,"at_micros":1,"kind":"approved","what":"old","to":"{HUB}","bytes":7,"sha256":"00","proof":null,"previous":"{BEGINNING}"}}"#
        );
        let hash = digest(old.as_bytes());
        let line = format!("{},\"hash\":\"{hash}\"}}\n", &old[..old.len() - 1]);
        crate::install::write_private(&dir.path().join(FILE), line.as_bytes()).unwrap();
        let policy = PolicyInForce {
            team: Some("data".into()),
            sha256: "aa".into(),
        };
        let approved = Entry::new(Kind::Approved, "nightly")
            .to(HUB)
            .about("bb", 7)
            .under(Some(policy.clone()))
            .telling("names")
            .of_categories(vec!["functions".into(), "users (masked)".into()]);
        ledger.append(Micros(2), &approved).unwrap();
        // The upload is one of what was approved, old or new.
        let _minted = ledger.mint(Micros(3), "bb", HUB).unwrap();
        let _minted = ledger.mint(Micros(4), "00", HUB).unwrap();
        let rows = Ledger::of(dir.path()).rows().unwrap();
        assert_eq!((&rows[0].hash, &rows[1].previous), (&hash, &hash));
        assert_eq!(rows[0].entry.by, None);
        assert_eq!(rows[3].entry.level, None);
        for row in &rows[1..3] {
            let said = &row.entry;
            assert_eq!(said.by.as_deref(), Some(user(dir.path()).as_str()));
            assert_eq!(said.policy.as_ref(), Some(&policy));
            assert_eq!(said.level.as_deref(), Some("names"));
            assert_eq!(said.categories, approved.categories);
        }
        // What was written is bound by the hash, too.
        let path = dir.path().join(FILE);
        let changed = std::fs::read_to_string(&path)
            .unwrap()
            .replace("users (masked)", "users");
        std::fs::write(&path, changed).unwrap();
        assert_eq!(ledger.read().unwrap().broken.unwrap().line, 2);
    }

    #[test]
    fn a_connection_is_a_row_before_it_is_opened() {
        let dir = tempfile::tempdir().unwrap();
        let ledger = Ledger::of(dir.path());
        assert_eq!(ledger.rows().unwrap(), []);
        let opening = ledger
            .connecting(Micros(1), "hub.example:8789", "push")
            .unwrap();
        assert_eq!(opening.address(), "hub.example:8789");
        assert_eq!(ledger.rows().unwrap()[0].entry.kind, Kind::Connection);
    }
}
