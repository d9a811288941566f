//! The ledger as a page shows it.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{App, Empty};
use crate::Result;
use crate::ledger::{BEGINNING, Kind, Ledger, LedgerRow, PolicyInForce, digest};
use crate::model::Micros;
use crate::share::{POLICY, Policy};

/// Rows that a page shows; a file has all.
const MOST: usize = 1_000;

/// What ever left, and whether the chain of rows holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct LedgerAnswer {
    /// The newest first.
    pub rows: Vec<LedgerSaid>,
    /// All that there are.
    pub total: u64,
    /// Connections to other machines that were ever opened.
    pub connections: u64,
    /// Every place that they went to, the latest first.
    pub places: Vec<LedgerPlace>,
    /// The hash of the last row.
    pub head: String,
    /// Where the file is not as it was written; null where all of it is.
    pub broken: Option<LedgerBroken>,
}

/// A place on another machine that was connected to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct LedgerPlace {
    /// Host and port.
    pub address: String,
    /// What the last connection was for.
    pub what: String,
    pub connections: u64,
    pub first_micros: Micros,
    pub last_micros: Micros,
}

/// Where the ledger is not as it was written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct LedgerBroken {
    /// From 1.
    pub line: u64,
    pub reason: String,
}

/// One row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct LedgerSaid {
    pub number: u64,
    pub at_micros: Micros,
    pub kind: Kind,
    pub what: String,
    pub to: Option<String>,
    pub bytes: Option<u64>,
    pub sha256: Option<String>,
    /// Whether a hub signed it: a folder or a bucket only says something.
    pub proven: bool,
    /// Who had it done; null in rows of versions that did not note it.
    pub by: Option<String>,
    /// The team's policy that was in force.
    pub policy: Option<PolicyInForce>,
    /// How much is told.
    pub level: Option<String>,
    /// The categories of which something is told; null where nobody looked at them one by one.
    pub categories: Option<Vec<String>>,
    pub hash: String,
}

/// The policy that binds what is told now, as the ledger notes it.
///
/// # Errors
/// As [`note_policy`].
pub fn policy_in_force(app: &App) -> Result<Option<PolicyInForce>> {
    note_policy(app.dir(), app.now())
}

/// The same in the folder of an install. A policy that was added, changed or removed since it was last followed is a row of its
/// own, before any that it binds.
///
/// # Errors
/// [`crate::Error::Invalid`], [`crate::Error::TooLarge`], [`crate::Error::Io`] for one that cannot be read; those of the ledger.
pub fn note_policy(dir: &Path, now: Micros) -> Result<Option<PolicyInForce>> {
    let found = Policy::read(&dir.join(POLICY))?.map(|policy| PolicyInForce {
        team: policy.said().team,
        sha256: digest(policy.text().as_bytes()),
    });
    Ledger::of(dir).note_policy(now, found.as_ref())?;
    Ok(found)
}

pub(super) fn ledger(app: &App, _: Empty) -> Result<LedgerAnswer> {
    let read = Ledger::of(app.dir()).read()?;
    let places = places(&read.rows);
    Ok(LedgerAnswer {
        total: read.rows.len() as u64,
        connections: places.iter().map(|place| place.connections).sum(),
        places,
        head: read
            .rows
            .last()
            .map_or(BEGINNING, |row| &row.hash)
            .to_owned(),
        rows: read.rows.iter().rev().take(MOST).map(said).collect(),
        broken: read.broken.map(|broken| LedgerBroken {
            line: broken.line,
            reason: broken.reason,
        }),
    })
}

fn places(rows: &[LedgerRow]) -> Vec<LedgerPlace> {
    let mut by_address = BTreeMap::<&str, LedgerPlace>::new();
    for row in rows.iter().filter(|row| row.entry.kind == Kind::Connection) {
        let address = row.entry.to.as_deref().unwrap_or_default();
        let place = by_address.entry(address).or_insert_with(|| LedgerPlace {
            address: address.into(),
            what: String::new(),
            connections: 0,
            first_micros: row.at_micros,
            last_micros: row.at_micros,
        });
        place.what.clone_from(&row.entry.what);
        place.connections += 1;
        place.last_micros = row.at_micros;
    }
    let mut places: Vec<LedgerPlace> = by_address.into_values().collect();
    places.sort_by_key(|place| Reverse(place.last_micros));
    places
}

/// Every row, the newest first.
pub(super) fn ledger_rows(app: &App) -> Result<Vec<LedgerSaid>> {
    let read = Ledger::of(app.dir()).read()?;
    Ok(read.rows.iter().rev().map(said).collect())
}

fn said(row: &LedgerRow) -> LedgerSaid {
    let proven = row.entry.is_signed();
    let entry = row.entry.clone();
    LedgerSaid {
        number: row.number,
        at_micros: row.at_micros,
        kind: entry.kind,
        what: entry.what,
        to: entry.to,
        bytes: entry.bytes,
        sha256: entry.sha256,
        proven,
        by: entry.by,
        policy: entry.policy,
        level: entry.level,
        categories: entry.categories,
        hash: row.hash.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::Entry;
    use crate::testing::Bench;

    #[test]
    fn only_what_a_hub_signed_is_said_to_be_signed() {
        let bench = Bench::new();
        let chain = Ledger::of(bench.path());
        let receipt = || Entry::new(Kind::Receipt, "row 1").about("aa", 7);
        let proofs = [
            serde_json::json!({"at": "2026-01-01T00:00:00Z", "by": "folder"}),
            serde_json::json!({"text": "{}", "signature": "00ff"}),
        ];
        for proof in proofs {
            chain.append(Micros(1), &receipt().proven(proof)).unwrap();
        }
        let said = ledger(&bench.app, Empty {}).unwrap();
        let proven: Vec<bool> = said.rows.iter().map(|row| row.proven).collect();
        assert_eq!(proven, [true, false]);
    }

    #[test]
    fn the_newest_row_comes_first_and_connections_are_counted() {
        let bench = Bench::new();
        let none = ledger(&bench.app, Empty {}).unwrap();
        assert_eq!(
            (none.total, none.connections, none.head.as_str()),
            (0, 0, BEGINNING)
        );
        let chain = Ledger::of(bench.path());
        chain
            .append(
                Micros(1),
                &Entry::new(Kind::Export, "one.bobbin").about("aa", 7),
            )
            .unwrap();
        chain
            .append(
                Micros(2),
                &Entry::new(Kind::Connection, "upload").to("hub:1"),
            )
            .unwrap();
        let said = ledger(&bench.app, Empty {}).unwrap();
        assert_eq!((said.total, said.connections), (2, 1));
        assert_eq!((said.rows[0].number, &said.rows[0].hash), (2, &said.head));
        assert_eq!(said.rows[1].bytes, Some(7));
        assert_eq!(said.broken, None);
        let path = bench.path().join("ledger.ndjson");
        let changed = std::fs::read_to_string(&path)
            .unwrap()
            .replace("one.bobbin", "two.bobbin");
        std::fs::write(&path, changed).unwrap();
        assert_eq!(
            ledger(&bench.app, Empty {})
                .unwrap()
                .broken
                .map(|broken| broken.line),
            Some(1)
        );
    }

    #[test]
    fn every_place_that_was_ever_connected_to_is_listed_once() {
        let bench = Bench::new();
        let chain = Ledger::of(bench.path());
        let opened = |at: i64, address: &str, why: &str| {
            let _opening = chain.connecting(Micros(at), address, why).unwrap();
        };
        opened(1, "hub.example:8789", "join");
        opened(2, "s3.example:443", "destination s3://team/x");
        opened(3, "hub.example:8789", "upload");
        // No connection of this machine's.
        let read = Entry::new(Kind::Read, "clusters").to("192.0.2.7");
        chain.append(Micros(4), &read).unwrap();
        let said = ledger(&bench.app, Empty {}).unwrap();
        assert_eq!((said.total, said.connections), (4, 3));
        let place = |address: &str, what: &str, connections, first, last| LedgerPlace {
            address: address.into(),
            what: what.into(),
            connections,
            first_micros: Micros(first),
            last_micros: Micros(last),
        };
        assert_eq!(
            said.places,
            [
                place("hub.example:8789", "upload", 2, 1, 3),
                place("s3.example:443", "destination s3://team/x", 1, 2, 2),
            ]
        );
    }
}
