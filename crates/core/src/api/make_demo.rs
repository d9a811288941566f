//! A cluster of one's own as a recording: to be played once more here, or, with aliases and without a word of when it was, for others.

use std::io::Write;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use serde::Serialize;

use super::save::{exists, write_made};
use super::{App, DemoTells, Made, RecordingRequest};
use crate::demo::Tape;
use crate::install::at;
use crate::seal::FingerprintKey;
use crate::share::{self, Choice, Identities, Level};
use crate::{Error, Result};

/// A recording that was written.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DemoMade {
    pub path: PathBuf,
    /// Of the file.
    pub bytes: u64,
    /// Of the file, in hexadecimal.
    pub sha256: String,
    pub records: u64,
    pub duration_seconds: f64,
}

/// Writes a recording of a cluster to a new file, which `bobbin replay` plays: people and machines by aliases, all times of one
/// fixed day; and a row of the ledger that says so.
///
/// # Errors
/// As [`super::export`].
pub fn make_demo(app: &App, path: &Path, id: i64, tells: DemoTells) -> Result<DemoMade> {
    // Said before the work of making it.
    if path.symlink_metadata().is_ok() {
        return Err(exists(path));
    }
    let tape = for_others(app, id, tells)?;
    let saved = write_made(app, &packed(&tape, id, tells)?, path)?;
    Ok(DemoMade {
        path: path.into(),
        bytes: saved.bytes,
        sha256: saved.sha256,
        records: tape.len() as u64,
        duration_seconds: tape.micros() as f64 / 1e6,
    })
}

/// The same, as bytes that are nowhere yet.
///
/// # Errors
/// As [`super::export`].
pub fn recording_out(app: &App, asked: &RecordingRequest) -> Result<Made> {
    packed(
        &for_others(app, asked.id, asked.tells)?,
        asked.id,
        asked.tells,
    )
}

fn for_others(app: &App, id: i64, tells: DemoTells) -> Result<Tape> {
    let choice = Choice {
        level: level(tells),
        identities: Identities::Aliases,
    };
    tape(app, id, choice)
}

fn level(tells: DemoTells) -> Level {
    match tells {
        DemoTells::Numbers => Level::Metrics,
        DemoTells::Names => Level::Names,
        DemoTells::Code => Level::Everything,
    }
}

/// What is stored of a cluster, to be told once more to whoever has it anyway: with its texts, where they can be opened.
///
/// # Errors
/// [`Error::NotFound`]; [`Error::Refused`] for a cluster that has not said yet who it is; as [`Tape::read`].
pub(super) fn stored_tape(app: &App, id: i64) -> Result<Tape> {
    let with = |level| Choice {
        level,
        identities: Identities::Real,
    };
    match tape(app, id, with(Level::Everything)) {
        // The key to texts is away.
        Err(Error::Locked) => tape(app, id, with(Level::Names)),
        other => other,
    }
}

fn tape(app: &App, id: i64, choice: Choice) -> Result<Tape> {
    let aliases = FingerprintKey::load_or_make(app.dir())?;
    // Texts are in clear in it: it is in no file.
    let told = share::text(id, choice, app.keys(), &aliases, &|question| {
        app.read_long(question)
    })?;
    let mut tapes = Tape::unpacked(&format!("cluster {id}"), told.as_bytes())?;
    tapes.pop().ok_or_else(|| Error::NotFound {
        kind: "cluster",
        id: id.to_string(),
    })
}

fn packed(tape: &Tape, id: i64, tells: DemoTells) -> Result<Made> {
    let mut bytes = Vec::new();
    for batch in tape.undated()? {
        let mut member = GzEncoder::new(&mut bytes, Compression::best());
        let written = member.write_all(&batch).and_then(|()| member.try_finish());
        written.map_err(at(Path::new("a recording")))?;
    }
    let mut made = Made::whole(
        &format!("demo-{id}"),
        "bobbin",
        "application/x-bobbin",
        bytes,
    );
    made.what = "1 cluster, into a recording".into();
    made.level = level(tells);
    Ok(made)
}
