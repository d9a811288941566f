//! `bobbin doctor`: would a cluster that starts now be seen? Each check says what it found and what to do.
//!
//! The output is meant to be pasted into a public question: it holds no secret, the home folder is `~`, and elsewhere the folder of
//! the user is `$USER`. A shell reads both.

mod config;
mod folder;
mod receiver;
mod reporters;
mod room;
mod updates;

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
    checks.push(updates::check());
    for check in &mut checks {
        check.found = without_user(&check.found);
        check.hint = check.hint.as_deref().map(without_user);
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
        "Everything looks good.\n"
    } else {
        "Something is wrong; see the hints.\n"
    });
    text
}

fn without_user(text: &str) -> String {
    let home = env::home_dir();
    let user = USER
        .into_iter()
        .find_map(|(name, shown)| Some((env::var(name).ok()?, shown)));
    without(
        text,
        home.as_deref().and_then(Path::to_str),
        user.as_ref().map(|(name, shown)| (name.as_str(), *shown)),
    )
}

/// Where systems name the user, and how a shell reads it.
const USER: [(&str, &str); 3] = [
    ("USER", "$USER"),
    ("LOGNAME", "$LOGNAME"),
    ("USERNAME", "%USERNAME%"),
];

fn without(text: &str, home: Option<&str>, user: Option<(&str, &str)>) -> String {
    let text = match home.map(|home| home.trim_end_matches('/')) {
        Some(home) if home.len() > 1 => text.replace(home, "~"),
        _ => text.to_owned(),
    };
    let Some((name, shown)) = user.filter(|(name, _)| !name.is_empty()) else {
        return text;
    };
    // A part of a path, and not the word somewhere else.
    let ends = |c: char| SEPARATORS.contains(&c) || c.is_whitespace() || ":,;)\"'".contains(c);
    let mut told = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some(at) = rest.find(name) {
        let (before, behind) = (&rest[..at], &rest[at + name.len()..]);
        let is_part = before.ends_with(SEPARATORS) && behind.chars().next().is_none_or(ends);
        told.push_str(before);
        told.push_str(if is_part { shown } else { name });
        rest = behind;
    }
    told + rest
}

const SEPARATORS: [char; 2] = ['/', '\\'];

#[cfg(test)]
mod tests {
    use super::without;

    #[test]
    fn neither_the_home_folder_nor_the_user_elsewhere_is_told() {
        let told = |text| without(text, Some("/home/ada/"), Some(("ada", "$USER")));
        assert_eq!(told("in /home/ada/data/token"), "in ~/data/token");
        assert_eq!(
            told("chmod go-rwx /scratch/ada /mnt/ada/bobbin"),
            "chmod go-rwx /scratch/$USER /mnt/$USER/bobbin"
        );
        assert_eq!(
            told("/srv/adam/x, canada/ada, ada"),
            "/srv/adam/x, canada/$USER, ada"
        );
        assert_eq!(without("/srv/ada", None, None), "/srv/ada");
    }
}
