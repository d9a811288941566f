//! The rules that bind what is sent: the settings, and the team's policy. Both are files that a person may edit, so a change is
//! noted where it is met.

use std::path::Path;

use super::{Entry, Kind, Ledger, LedgerRow, PolicyInForce, joined_destinations};
use crate::install::{Sharing, settings, settings_path};
use crate::model::Micros;
use crate::{Error, Result};

/// How a row about the settings begins.
const SHARING: &str = "sharing: ";

/// Whether what was approved may be sent from the install in `dir`: as its settings say. Where they do not, nothing is before
/// somebody joins a team or adds a destination; that they did is their word that something may.
///
/// # Errors
/// Those of reading the settings, and as [`joined_destinations`].
pub fn sharing(dir: &Path) -> Result<Sharing> {
    match settings(dir)?.sharing {
        Some(chosen) => Ok(chosen),
        None => usual(dir),
    }
}

/// What holds where nobody chose.
fn usual(dir: &Path) -> Result<Sharing> {
    Ok(match joined_destinations(dir)?.is_empty() {
        true => Sharing::Local,
        false => Sharing::Ask,
    })
}

/// What the row about one more destination says beside it: the first one changes whether something may be sent, unless somebody
/// chose that.
///
/// # Errors
/// As [`sharing`].
pub fn with_one_more(dir: &Path) -> Result<String> {
    let chosen = settings(dir)?.sharing.is_some();
    Ok(match chosen || usual(dir)? == Sharing::Ask {
        true => String::new(),
        false => format!("; {}", changed(Sharing::Ask, Sharing::Local)),
    })
}

/// What the row about one destination less says beside it: without the last one nothing may be sent, unless somebody chose that.
///
/// # Errors
/// As [`sharing`].
pub fn with_one_less(dir: &Path) -> Result<String> {
    let chosen = settings(dir)?.sharing.is_some();
    Ok(match chosen || joined_destinations(dir)?.len() > 1 {
        true => String::new(),
        false => format!("; {}", changed(Sharing::Local, Sharing::Ask)),
    })
}

fn changed(now: Sharing, before: Sharing) -> String {
    format!("{SHARING}{}, was {}", now.label(), before.label())
}

impl Ledger {
    /// That the settings let what was approved be sent. What they say is noted where it is not what the last row about them says.
    ///
    /// # Errors
    /// [`Error::Refused`] where they do not; those of reading them, and of [`Ledger::append`].
    pub fn may_send(&self, now: Micros) -> Result<()> {
        let sharing = sharing(self.dir())?;
        self.note_sharing(now, sharing)?;
        if sharing == Sharing::Ask {
            return Ok(());
        }
        let path = settings_path(self.dir());
        Err(Error::Refused(match settings(self.dir())?.sharing {
            None => format!(
                "sharing is {} until you join a team (`bobbin join`) or add a destination (`bobbin destination add`): Bobbin sends nothing",
                sharing.label()
            ),
            Some(_) => format!(
                "sharing is {} (`sharing = \"{}\"` in {}): Bobbin sends nothing; to send what you approve, set `sharing = \"ask\"` there, or \
                 choose Ask each time under Settings, Privacy",
                sharing.label(),
                sharing.word(),
                std::path::absolute(&path).unwrap_or(path).display(),
            ),
        }))
    }

    /// Adds a row where the settings say something else than the last row about them.
    ///
    /// # Errors
    /// As [`Ledger::append`].
    pub fn note_sharing(&self, now: Micros, sharing: Sharing) -> Result<()> {
        let before = match noted(&self.rows()?) {
            Some(before) => before,
            None => usual(self.dir())?,
        };
        if sharing == before {
            return Ok(());
        }
        let what = changed(sharing, before);
        self.append(now, &Entry::new(Kind::PolicyChange, what))
            .map(drop)
    }

    /// Adds a row for what somebody chose, also where it was so without a choice: it stays so with the next destination.
    ///
    /// # Errors
    /// As [`Ledger::append`].
    pub fn note_choice(&self, now: Micros, sharing: Sharing) -> Result<()> {
        self.note_sharing(now, sharing)?;
        if noted(&self.rows()?).is_some() {
            return Ok(());
        }
        let what = format!("{SHARING}{}, as before", sharing.label());
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
fn noted(rows: &[LedgerRow]) -> Option<Sharing> {
    let said = rows
        .iter()
        .rev()
        .filter(|row| row.entry.kind == Kind::PolicyChange)
        .find_map(|row| row.entry.what.strip_prefix(SHARING));
    Sharing::ALL
        .into_iter()
        .find(|one| said.is_some_and(|said| said.starts_with(one.label())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::install::change_settings;
    use crate::testing::knows;

    fn set(dir: &Path, sharing: Option<Sharing>) {
        change_settings(dir, |set| {
            set.sharing = sharing;
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
    fn sharing_is_local_only_until_there_is_a_destination_unless_somebody_chose() {
        let dir = tempfile::tempdir().unwrap();
        let ledger = Ledger::of(dir.path());
        let now = || sharing(dir.path()).unwrap();
        assert_eq!(now(), Sharing::Local);
        let why = ledger.may_send(Micros(1)).unwrap_err().to_string();
        assert!(
            why.contains("Local only") && why.contains("`bobbin join`"),
            "{why}"
        );
        let added = "; sharing: Ask each time, was Local only";
        assert_eq!(with_one_more(dir.path()).unwrap(), added);
        knows(dir.path(), "/team");
        assert_eq!(now(), Sharing::Ask);
        ledger.may_send(Micros(1)).unwrap();
        // The row about the destination said so; there is no other.
        assert_eq!(ledger.rows().unwrap(), []);
        assert_eq!(with_one_more(dir.path()).unwrap(), "");
        let removed = "; sharing: Local only, was Ask each time";
        assert_eq!(with_one_less(dir.path()).unwrap(), removed);
        // What somebody chose holds before and after.
        for chosen in Sharing::ALL {
            let dir = tempfile::tempdir().unwrap();
            set(dir.path(), Some(chosen));
            assert_eq!(with_one_more(dir.path()).unwrap(), "");
            knows(dir.path(), "/team");
            assert_eq!(sharing(dir.path()).unwrap(), chosen);
            assert_eq!(with_one_less(dir.path()).unwrap(), "");
        }
        set(dir.path(), Some(Sharing::Local));
        ledger.may_send(Micros(2)).unwrap_err();
        set(dir.path(), None);
        ledger.may_send(Micros(3)).unwrap();
        assert_eq!(
            said(&ledger, Kind::PolicyChange),
            [
                "sharing: Local only, was Ask each time",
                "sharing: Ask each time, was Local only"
            ]
        );
    }

    #[test]
    fn nothing_is_minted_while_sharing_is_local_only_or_off_and_each_change_of_the_file_is_a_row() {
        let dir = tempfile::tempdir().unwrap();
        knows(dir.path(), "/team");
        let ledger = Ledger::of(dir.path());
        let approved = Entry::new(Kind::Approved, "nightly")
            .to("hub")
            .about("aa", 7);
        ledger.append(Micros(1), &approved).unwrap();
        for (sharing, label) in [(Sharing::Local, "Local only"), (Sharing::Off, "Off")] {
            set(dir.path(), Some(sharing));
            for _ in 0..2 {
                let why = ledger.mint(Micros(1), "aa", "hub").unwrap_err().to_string();
                assert!(
                    why.contains(label) && why.contains("settings.toml") && why.contains("\"ask\""),
                    "{why}"
                );
            }
        }
        assert_eq!(said(&ledger, Kind::UploadStarted), [""; 0]);
        set(dir.path(), Some(Sharing::Ask));
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
