//! The rules that bind what is sent: the settings, and the team's policy. Both are files that a person may edit, so a change is
//! noted where it is met.

use super::{Entry, Kind, Ledger, LedgerRow, PolicyInForce};
use crate::install::{Sharing, settings, settings_path};
use crate::model::Micros;
use crate::{Error, Result};

/// How a row about the settings begins.
const SHARING: &str = "sharing: ";

impl Ledger {
    /// That the settings let what was approved be sent. What they say is noted where it is not what the last row about them says.
    ///
    /// # Errors
    /// [`Error::Refused`] where they do not; those of reading them, and of [`Ledger::append`].
    pub fn may_send(&self, now: Micros) -> Result<()> {
        let sharing = settings(self.dir())?.sharing_or_default();
        self.note_sharing(now, sharing)?;
        if sharing == Sharing::Ask {
            return Ok(());
        }
        let path = settings_path(self.dir());
        Err(Error::Refused(format!(
            "sharing is {} (`sharing = \"{}\"` in {}): Bobbin sends nothing; to send what you approve, set `sharing = \"ask\"` there, or \
             choose Ask each time under Settings, Privacy",
            sharing.label(),
            sharing.word(),
            std::path::absolute(&path).unwrap_or(path).display(),
        )))
    }

    /// Adds a row where the settings say something else than the last row about them.
    ///
    /// # Errors
    /// As [`Ledger::append`].
    pub fn note_sharing(&self, now: Micros, sharing: Sharing) -> Result<()> {
        let before = noted(&self.rows()?);
        if sharing == before {
            return Ok(());
        }
        let what = format!("{SHARING}{}, was {}", sharing.label(), before.label());
        self.append(now, &Entry::new(Kind::PolicyChange, what))
            .map(drop)
    }

    /// Adds a row where the team's policy is another than the last row about it says; none is one, too.
    ///
    /// # Errors
    /// As [`Ledger::append`].
    pub fn note_policy(&self, now: Micros, policy: Option<&PolicyInForce>) -> Result<()> {
        let rows = self.rows()?;
        let last = rows.iter().rev().find(|row| row.entry.kind == Kind::Policy);
        let before = last.and_then(|row| row.entry.policy.as_ref());
        let done = match (before, policy) {
            (before, policy) if before == policy => return Ok(()),
            (None, _) => "added",
            (Some(_), Some(_)) => "changed",
            (Some(_), None) => "removed",
        };
        let entry = Entry::new(Kind::Policy, format!("the team’s policy was {done}"));
        self.append(now, &entry.under(policy.cloned())).map(drop)
    }
}

/// What the settings said, by the last row about them.
fn noted(rows: &[LedgerRow]) -> Sharing {
    let said = rows
        .iter()
        .rev()
        .filter(|row| row.entry.kind == Kind::PolicyChange)
        .find_map(|row| row.entry.what.strip_prefix(SHARING));
    Sharing::ALL
        .into_iter()
        .find(|one| said.is_some_and(|said| said.starts_with(one.label())))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::install::change_settings;

    fn set(dir: &Path, sharing: Sharing) {
        change_settings(dir, |set| {
            set.sharing = Some(sharing);
            Ok(())
        })
        .unwrap();
    }

    fn said(ledger: &Ledger, kind: Kind) -> Vec<String> {
        let rows = ledger.rows().unwrap().into_iter();
        let of = rows.filter(|row| row.entry.kind == kind);
        of.map(|row| row.entry.what).collect()
    }

    #[test]
    fn nothing_is_minted_while_sharing_is_local_only_or_off_and_each_change_of_the_file_is_a_row() {
        let dir = tempfile::tempdir().unwrap();
        let ledger = Ledger::of(dir.path());
        let approved = Entry::new(Kind::Approved, "nightly")
            .to("hub")
            .about("aa", 7);
        ledger.append(Micros(1), &approved).unwrap();
        for (sharing, label) in [(Sharing::Local, "Local only"), (Sharing::Off, "Off")] {
            set(dir.path(), sharing);
            for _ in 0..2 {
                let why = ledger.mint(Micros(1), "aa", "hub").unwrap_err().to_string();
                assert!(
                    why.contains(label) && why.contains("settings.toml") && why.contains("\"ask\""),
                    "{why}"
                );
            }
        }
        assert_eq!(said(&ledger, Kind::UploadStarted), [""; 0]);
        set(dir.path(), Sharing::Ask);
        assert!(ledger.mint(Micros(1), "aa", "hub").is_ok());
        assert_eq!(
            said(&ledger, Kind::PolicyChange),
            [
                "sharing: Local only, was Ask each time",
                "sharing: Off, was Local only",
                "sharing: Ask each time, was Off"
            ]
        );
        assert_eq!(
            ledger.rows().unwrap().last().unwrap().entry.kind,
            Kind::UploadStarted
        );
    }

    #[test]
    fn a_policy_that_came_changed_or_went_is_a_row_each() {
        let dir = tempfile::tempdir().unwrap();
        let ledger = Ledger::of(dir.path());
        let policy = |sha256: &str| PolicyInForce {
            team: Some("data".into()),
            sha256: sha256.into(),
        };
        let (first, second) = (policy("aa"), policy("bb"));
        for found in [None, Some(&first), Some(&first), Some(&second), None, None] {
            ledger.note_policy(Micros(1), found).unwrap();
            // What follows it may be of an approval under another.
            let upload = Entry::new(Kind::UploadStarted, "nightly").under(Some(first.clone()));
            ledger.append(Micros(1), &upload).unwrap();
        }
        assert_eq!(
            said(&ledger, Kind::Policy),
            ["added", "changed", "removed"].map(|done| format!("the team’s policy was {done}"))
        );
    }
}
