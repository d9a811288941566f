//! The ledger as a page shows it.

use std::path::Path;

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{App, Empty};
use crate::Result;
use crate::ledger::{BEGINNING, Kind, Ledger, LedgerRow, PolicyInForce, digest};
use crate::model::Micros;
use crate::share::{POLICY, Policy};

/// Rows that a page shows; the text has all.
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
    /// The hash of the last row.
    pub head: String,
    /// Where the file is not as it was written; null where all of it is.
    pub broken: Option<LedgerBroken>,
    /// The rows as they stand in the file, so that others can check them.
    pub text: String,
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
    let connections = read
        .rows
        .iter()
        .filter(|row| row.entry.kind == Kind::Connection);
    let mut text = String::new();
    for row in &read.rows {
        text += &serde_json::to_string(row)?;
        text.push('\n');
    }
    Ok(LedgerAnswer {
        total: read.rows.len() as u64,
        connections: connections.count() as u64,
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
        text,
    })
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
        assert_eq!(said.text.lines().count(), 2);
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
}
