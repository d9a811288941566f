//! A file of another program is read in a process of its own, which ends with it. The readers have limits of their own; where one of
//! them is wrong, and a file takes all memory, all time or the process itself, it takes nothing from whoever records.
//!
//! It is this same program, as for SQL of a person. It hands over what it said through the bundle that it wrote, and a line of JSON.

use std::ffi::OsString;
use std::io::{self, Read};
use std::path::Path;
use std::process::{Command, ExitCode, ExitStatus};

use serde::{Deserialize, Serialize};

use super::here;
use super::input::UNPACKED;
use crate::model::Micros;
use crate::share::{Manifest, remove_drafts};
use crate::system::{Ended, Limits, end_with_asker, limit};
use crate::{Error, Result};

/// The first argument of such a process.
pub(crate) const WORD: &str = "read-file";
/// A file may be 2 GiB, and is read at more than 50 MB a second.
const LIMITS: Limits = Limits {
    memory_bytes: 4 << 30,
    seconds: 600,
    files: 64,
};
/// Far more than a manifest is.
const TOLD_BYTES: u64 = 64 << 20;

/// What is asked of such a process.
#[derive(Serialize, Deserialize)]
pub(super) struct Asked {
    pub(super) from: OsString,
    /// What the file is called.
    pub(super) name: String,
    /// Where its bundle is written; none where it is only looked at.
    pub(super) to: Option<OsString>,
    pub(super) now: Micros,
}

/// What it says.
#[derive(Serialize, Deserialize)]
enum Told {
    Read(Box<Manifest>),
    Invalid {
        value: String,
        reason: String,
    },
    /// The file.
    Large {
        limit: u64,
    },
    Refused(String),
    DiskFull,
    Failed(String),
}

/// Has such a process read a file, which is started by `command`.
///
/// # Errors
/// As [`super::rewrite`]; [`Error::Invalid`] where it ended without a word.
pub(super) fn ask(mut command: Command, asked: &Asked) -> Result<Manifest> {
    let failed = |source| Error::Io {
        path: Path::new(&asked.from).into(),
        source,
    };
    let text = serde_json::to_string(asked)?;
    let (mut process, input) = Ended::asked(command.arg(WORD), &text).map_err(failed)?;
    let mut told = Vec::new();
    if let Some(output) = process.0.stdout.take() {
        output
            .take(TOLD_BYTES)
            .read_to_end(&mut told)
            .map_err(failed)?;
    }
    drop(input);
    let ended = process.0.wait().map_err(failed)?;
    match serde_json::from_slice(&told) {
        Ok(Told::Read(manifest)) => Ok(*manifest),
        Ok(Told::Invalid { value, reason }) => Err(Error::Invalid {
            what: "file",
            value,
            reason,
        }),
        Ok(Told::Large { limit }) => Err(Error::TooLarge {
            what: UNPACKED,
            limit,
        }),
        Ok(Told::Refused(reason)) => Err(Error::Refused(reason)),
        Ok(Told::DiskFull) => Err(Error::DiskFull),
        Ok(Told::Failed(reason)) => Err(failed(io::Error::other(reason))),
        Err(_) => {
            if let Some(to) = &asked.to {
                remove_drafts(Path::new(to), process.0.id());
            }
            Err(Error::Invalid {
                what: "file",
                value: asked.name.clone(),
                reason: early(ended),
            })
        }
    }
}

/// Why a file is not taken whose reader ended without a word.
fn early(ended: ExitStatus) -> String {
    let early = format!("the process that read it ended early ({ended})");
    if cfg!(windows) {
        return early;
    }
    format!(
        "{early}: it may take at most {} GiB of memory and {} minutes of processor time",
        LIMITS.memory_bytes >> 30,
        LIMITS.seconds / 60
    )
}

/// What such a process does.
pub(crate) fn answer() -> ExitCode {
    limit(&LIMITS);
    let mut text = String::new();
    if io::stdin().read_line(&mut text).is_err() {
        return ExitCode::FAILURE;
    }
    let told = match end_with_asker() {
        Ok(()) => told(&text),
        Err(error) => Told::Failed(error.to_string()),
    };
    match serde_json::to_writer(io::stdout().lock(), &told) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

fn told(text: &str) -> Told {
    match read(text) {
        Ok(told) => told,
        Err(Error::Invalid {
            what: "file",
            value,
            reason,
        }) => Told::Invalid { value, reason },
        Err(Error::TooLarge {
            what: UNPACKED,
            limit,
        }) => Told::Large { limit },
        Err(Error::Refused(reason)) => Told::Refused(reason),
        Err(Error::DiskFull) => Told::DiskFull,
        Err(other) => Told::Failed(other.to_string()),
    }
}

fn read(text: &str) -> Result<Told> {
    let Asked {
        from,
        name,
        to,
        now,
    } = serde_json::from_str(text)?;
    let manifest = here(Path::new(&from), &name, to.as_deref().map(Path::new), now)?;
    Ok(Told::Read(Box::new(manifest)))
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::hint::black_box;

    use super::*;

    const CHILD: &str = "BOBBIN_TEST_READER";

    fn asked() -> Asked {
        Asked {
            from: "/in/story.html".into(),
            name: "story.html".into(),
            to: None,
            now: Micros(0),
        }
    }

    /// What is said of a file whose reader does this.
    fn said(script: &str) -> Error {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        ask(command, &asked()).unwrap_err()
    }

    #[test]
    fn a_reader_that_ends_early_is_the_fault_of_its_file() {
        for (script, how) in [
            ("kill -ABRT $$", "(signal: 6 (SIGABRT)"),
            ("read -r _; kill -KILL $$", "(signal: 9 (SIGKILL)"),
            ("exit 101", "(exit status: 101)"),
            ("echo '{\"Read'", "(exit status: 0)"),
        ] {
            let error = said(script);
            assert!(matches!(error, Error::Invalid { what: "file", .. }));
            let words = error.to_string();
            assert!(
                words.contains("story.html") && words.contains(how) && words.contains("4 GiB"),
                "{words}"
            );
        }
    }

    #[test]
    fn a_reader_that_ends_early_leaves_nothing_half_written() {
        let dir = tempfile::tempdir().unwrap();
        let to = dir.path().join("one.bobbin");
        let asked = Asked {
            to: Some(to.clone().into()),
            ..asked()
        };
        let mut command = Command::new("sh");
        let script = format!("touch {0}.$$.body {0}.$$.partial; exit 1", to.display());
        command.args(["-c", &script]);
        assert!(ask(command, &asked).is_err());
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
    }

    #[test]
    fn what_a_reader_says_is_said_as_if_it_were_here() {
        let error = said(r#"echo '{"Invalid":{"value":"story.html","reason":"it is cut off"}}'"#);
        assert!(error.to_string().contains("it is cut off"), "{error}");
        let error = said(r#"echo '{"Large":{"limit":7}}'"#);
        assert!(matches!(error, Error::TooLarge { limit: 7, .. }));
        assert!(matches!(said("echo '\"DiskFull\"'"), Error::DiskFull));
        let error = said(r#"echo '{"Failed":"no such disk"}'"#);
        assert!(matches!(error, Error::Io { .. }), "{error}");
    }

    /// Not a test of its own: what a reader does that takes more than it may.
    #[test]
    fn child() {
        if std::env::var_os(CHILD).is_none() {
            return;
        }
        limit(&LIMITS);
        let pieces = (0..64).map(|_| black_box(vec![0u8; 128 << 20]));
        black_box(pieces.collect::<Vec<_>>());
    }

    #[test]
    fn a_reader_gets_no_more_memory_than_it_may_take() {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command
            .args(["--exact", "foreign::apart::tests::child", "--nocapture"])
            .env(CHILD, "1");
        let ended = command.output().unwrap().status;
        assert!(
            !ended.success() && early(ended).contains("SIGABRT"),
            "{ended}"
        );
    }
}
