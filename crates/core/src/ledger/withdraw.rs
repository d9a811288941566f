//! An approval that is taken back before anything was sent by it: here alone, and without a connection.

use super::{Entry, Kind, Ledger, LedgerRow, Queued, QueuedState};
use crate::Result;
use crate::model::Micros;

impl Ledger {
    /// Withdraws the approval of a bundle whose upload has not begun, so that nothing sends it. False where it has begun: then
    /// only its destination can delete it.
    ///
    /// # Errors
    /// As [`Ledger::append`].
    pub fn withdraw(&self, now: Micros, one: &Queued) -> Result<bool> {
        match one.state {
            QueuedState::Withdrawn => return Ok(true),
            QueuedState::Waiting | QueuedState::Stuck => {}
            QueuedState::Uploading
            | QueuedState::Sent
            | QueuedState::Lost
            | QueuedState::Recalled => return Ok(false),
        }
        if begun(&self.rows()?, one) {
            return Ok(false);
        }
        let entry = Entry::new(Kind::Withdrawn, &one.what)
            .to(&one.to)
            .about(&one.sha256, one.bytes);
        let row = self.append(now, &entry)?;
        // It may have begun just before that row, which whoever sends did not see.
        let mut rows = self.rows()?;
        rows.retain(|before| before.number < row.number);
        Ok(!begun(&rows, one))
    }
}

/// Whether an upload of the bundle began since its destination had none of it.
fn begun(rows: &[LedgerRow], one: &Queued) -> bool {
    let last = rows.iter().map(|row| &row.entry).rev().find(|entry| {
        matches!(
            entry.kind,
            Kind::UploadStarted | Kind::Withdrawn | Kind::Recall
        ) && entry.is_of(&one.sha256, &one.to)
    });
    last.is_some_and(|entry| entry.kind == Kind::UploadStarted)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::Queue;
    use crate::testing::knows;

    const TO: &str = "/team";

    fn row(ledger: &Ledger, kind: Kind) {
        let entry = Entry::new(kind, "nightly").to(TO).about("aa", 7);
        ledger.append(Micros(1), &entry).unwrap();
    }

    fn one(ledger: &Ledger) -> Queued {
        let mut list = Queue::load(ledger.dir())
            .unwrap()
            .list(&ledger.rows().unwrap());
        list.pop().unwrap()
    }

    #[test]
    fn what_was_withdrawn_is_sent_after_a_new_approval_alone() {
        let dir = tempfile::tempdir().unwrap();
        knows(dir.path(), TO);
        let ledger = Ledger::of(dir.path());
        row(&ledger, Kind::Approved);
        assert!(ledger.withdraw(Micros(2), &one(&ledger)).unwrap());
        assert_eq!(one(&ledger).state, QueuedState::Withdrawn);
        let why = ledger.mint(Micros(3), "aa", TO).unwrap_err().to_string();
        assert!(
            why.contains("withdrawn") && why.contains("new approval"),
            "{why}"
        );
        // A second time it is no row more.
        assert!(ledger.withdraw(Micros(4), &one(&ledger)).unwrap());
        assert_eq!(ledger.rows().unwrap().len(), 2);
        row(&ledger, Kind::Approved);
        assert_eq!(one(&ledger).state, QueuedState::Waiting);
        let _minted = ledger.mint(Micros(5), "aa", TO).unwrap();
        // Once it began, it is there, or a part of it.
        assert!(!ledger.withdraw(Micros(6), &one(&ledger)).unwrap());
        row(&ledger, Kind::Recall);
        row(&ledger, Kind::Approved);
        assert!(ledger.withdraw(Micros(7), &one(&ledger)).unwrap());
    }

    #[test]
    fn what_begins_at_the_same_time_is_not_held_for_withdrawn() {
        let dir = tempfile::tempdir().unwrap();
        knows(dir.path(), TO);
        let ledger = Ledger::of(dir.path());
        row(&ledger, Kind::Approved);
        let seen = one(&ledger);
        let _minted = ledger.mint(Micros(2), "aa", TO).unwrap();
        assert!(!ledger.withdraw(Micros(3), &seen).unwrap());
        // By another whose row comes between the two looks of a withdrawal.
        row(&ledger, Kind::Withdrawn);
        assert_eq!(one(&ledger).state, QueuedState::Uploading);
        assert!(ledger.mint(Micros(4), "aa", TO).is_err());
    }
}
