//! What the doctor looked at: one thing, and all of them together.

use std::path::Path;

use serde::Serialize;
use ts_rs::TS;

use crate::Error;
use crate::model::Micros;
use crate::model::visible::plain;

/// Asks the receiver of a folder by each way in. Core opens no connection, so that a door brings it.
pub type Probe = fn(&Path, Micros) -> Vec<DoctorCheck>;

/// What a check found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum DoctorVerdict {
    /// As it should be.
    Ok,
    /// Worth knowing, and nothing is broken.
    Note,
    /// It keeps clusters from being seen, or endangers what was recorded.
    Wrong,
}

/// One thing that was looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
pub struct DoctorCheck {
    pub name: &'static str,
    pub verdict: DoctorVerdict,
    pub found: String,
    /// What to do; null where there is nothing to do.
    pub hint: Option<String>,
}

impl DoctorCheck {
    /// It is as it should be.
    pub fn ok(name: &'static str, found: impl Into<String>) -> Self {
        Self::new(name, DoctorVerdict::Ok, found.into(), None)
    }

    /// It is worth knowing.
    pub fn note(name: &'static str, found: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(name, DoctorVerdict::Note, found.into(), Some(hint.into()))
    }

    /// It is to be put right.
    pub fn wrong(name: &'static str, found: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::new(name, DoctorVerdict::Wrong, found.into(), Some(hint.into()))
    }

    /// What a step failed with becomes what the check found.
    pub fn failed(name: &'static str, error: &Error) -> Self {
        Self::new(name, DoctorVerdict::Wrong, error.to_string(), error.hint())
    }

    fn new(
        name: &'static str,
        verdict: DoctorVerdict,
        found: String,
        hint: Option<String>,
    ) -> Self {
        Self {
            name,
            verdict,
            found,
            hint,
        }
    }
}

/// All checks, in the order in which they are shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
pub struct Checkup {
    /// Of this binary.
    pub version: &'static str,
    /// Whether nothing is wrong.
    pub healthy: bool,
    pub checks: Vec<DoctorCheck>,
}

impl Checkup {
    pub(super) fn of(checks: Vec<DoctorCheck>) -> Self {
        Self {
            version: env!("CARGO_PKG_VERSION"),
            healthy: checks.iter().all(|c| c.verdict != DoctorVerdict::Wrong),
            checks,
        }
    }

    /// As `bobbin doctor` prints it, and as the page copies it.
    pub fn text(&self) -> String {
        let mut text = format!("Bobbin {}\n", self.version);
        for check in &self.checks {
            let mark = match check.verdict {
                DoctorVerdict::Ok => "ok   ",
                DoctorVerdict::Note => "note ",
                DoctorVerdict::Wrong => "WRONG",
            };
            text.push_str(&format!(
                "  {mark}  {:<14} {}\n",
                check.name,
                plain(&check.found)
            ));
            for (at, line) in check.hint.iter().flat_map(|hint| hint.lines()).enumerate() {
                let lead = if at == 0 { "hint: " } else { "      " };
                text.push_str(&format!("         {lead}{}\n", plain(line)));
            }
        }
        text.push_str(if self.healthy {
            "Everything looks good.\n"
        } else {
            "Something is wrong; see the hints.\n"
        });
        text
    }
}
