//! `bobbin doctor`: would a cluster that starts now be seen? Each check says what it found and what to do.
//!
//! The output is meant to be pasted into a public question: it holds no secret, and the home folder is `~`.

mod config;
mod folder;
mod receiver;
mod reporters;
mod room;

use std::env;
use std::path::Path;
use std::process::ExitCode;

use serde::Serialize;

use crate::args::DoctorArgs;
use crate::failure::{Exit, Failure};
use crate::{print, visible};

/// What a check found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// As it should be.
    Ok,
    /// Worth knowing, and nothing is broken.
    Note,
    /// It keeps clusters from being seen, or endangers what was recorded.
    Wrong,
}

/// One thing that was looked at.
#[derive(Clone, Debug, Serialize)]
pub struct Check {
    pub name: &'static str,
    pub verdict: Verdict,
    pub found: String,
    /// What to do; null where there is nothing to do.
    pub hint: Option<String>,
}

impl Check {
    pub fn ok(name: &'static str, found: impl Into<String>) -> Self {
        Self {
            name,
            verdict: Verdict::Ok,
            found: found.into(),
            hint: None,
        }
    }

    pub fn note(name: &'static str, found: impl Into<String>, hint: impl Into<String>) -> Self {
        Self {
            name,
            verdict: Verdict::Note,
            found: found.into(),
            hint: Some(hint.into()),
        }
    }

    pub fn wrong(name: &'static str, found: impl Into<String>, hint: impl Into<String>) -> Self {
        Self {
            name,
            verdict: Verdict::Wrong,
            found: found.into(),
            hint: Some(hint.into()),
        }
    }

    /// What a step failed with becomes what the check found.
    pub fn failed(name: &'static str, failure: Failure) -> Self {
        Self {
            name,
            verdict: Verdict::Wrong,
            found: failure.message,
            hint: failure.hint,
        }
    }
}

/// All of it.
#[derive(Debug, Serialize)]
struct Report {
    /// Of this binary.
    version: &'static str,
    /// Whether nothing is wrong.
    healthy: bool,
    checks: Vec<Check>,
}

/// Runs the verb: 0 if nothing is wrong, else 1.
pub fn run(data_dir: &Path, json: bool, args: &DoctorArgs) -> Result<ExitCode, Failure> {
    let mut checks = folder::checks(data_dir);
    checks.extend(receiver::checks(data_dir)?);
    checks.extend(config::checks(data_dir, args.dask_config_dir.as_deref()));
    for check in &mut checks {
        check.found = without_home(&check.found);
        check.hint = check.hint.as_deref().map(without_home);
    }
    let healthy = checks.iter().all(|c| c.verdict != Verdict::Wrong);
    let report = Report {
        version: env!("CARGO_PKG_VERSION"),
        healthy,
        checks,
    };
    if json {
        print::json(&report)?
    } else {
        print::write(&text(&report))?
    }
    Ok(if healthy {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(Exit::Failed as u8)
    })
}

fn text(report: &Report) -> String {
    let mut text = format!("Bobbin {}\n", report.version);
    for check in &report.checks {
        let mark = match check.verdict {
            Verdict::Ok => "ok   ",
            Verdict::Note => "note ",
            Verdict::Wrong => "WRONG",
        };
        text.push_str(&format!(
            "  {mark}  {:<14} {}\n",
            check.name,
            visible::plain(&check.found)
        ));
        for (at, line) in check.hint.iter().flat_map(|hint| hint.lines()).enumerate() {
            let lead = if at == 0 { "hint: " } else { "      " };
            text.push_str(&format!("         {lead}{}\n", visible::plain(line)));
        }
    }
    text.push_str(if report.healthy {
        "Nothing is wrong.\n"
    } else {
        "Something is wrong: see the hints.\n"
    });
    text
}

fn without_home(text: &str) -> String {
    match env::home_dir().as_deref().and_then(Path::to_str) {
        Some(home) if home.len() > 1 => text.replace(home.trim_end_matches('/'), "~"),
        _ => text.to_owned(),
    }
}
