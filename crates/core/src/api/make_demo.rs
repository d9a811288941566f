//! A cluster of one's own as a recording: to be played once more here, or, with aliases and without a word of when it was, for others.

use std::io::Write;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use serde::Serialize;

use super::apart::Apart;
use super::made::{Made, write_made};
use super::{App, DemoTells, RecordingRequest};
use crate::demo::Tape;
use crate::install::{at, exists};
use crate::seal::FingerprintKey;
use crate::share::{self, Choice, Identities, Level, Masks};
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

/// Writes a recording of a cluster to a new file, which `bobbin replay` plays: people and machines by aliases, without what looks
/// like a secret, all times of one fixed day; and a row of the ledger that says so.
///
/// # Errors
/// As [`super::export`].
pub fn make_demo(app: &App, path: &Path, id: i64, tells: DemoTells) -> Result<DemoMade> {
    // Said before the work of making it.
    if path.symlink_metadata().is_ok() {
        return Err(exists(path));
    }
    let (tape, level) = for_others(app, id, tells)?;
    let saved = write_made(app, &packed(&tape, id, level)?, path)?;
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
    let (tape, level) = for_others(app, asked.id, asked.tells)?;
    packed(&tape, asked.id, level)
}

/// With its level, which a policy may have narrowed.
fn for_others(app: &App, id: i64, tells: DemoTells) -> Result<(Tape, Level)> {
    let wanted = Choice {
        level: level(tells),
        identities: Identities::Aliases,
    };
    let (choice, _) = Apart::narrowed(app, wanted)?;
    // Nobody decides upon what looks like a secret in it.
    let told = Masks::new(app.dir())?.batch(&told(app, id, choice)?)?;
    Ok((tape(id, &told)?, choice.level))
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
    let told = match told(app, id, with(Level::Everything)) {
        // The key to texts is away.
        Err(Error::Locked) => told(app, id, with(Level::Names)),
        other => other,
    }?;
    tape(id, &told)
}

/// What a share of this choice tells of a cluster. Texts are in clear in it: it is in no file.
fn told(app: &App, id: i64, choice: Choice) -> Result<String> {
    let aliases = FingerprintKey::load_or_make(app.dir())?;
    share::text(id, choice, app.keys(), &aliases, &|question| {
        app.read_long(question)
    })
}

fn tape(id: i64, told: &str) -> Result<Tape> {
    let mut tapes = Tape::unpacked(&format!("cluster {id}"), told.as_bytes())?;
    tapes.pop().ok_or_else(|| Error::NotFound {
        kind: "cluster",
        id: id.to_string(),
    })
}

fn packed(tape: &Tape, id: i64, level: Level) -> Result<Made> {
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
    made.level = level;
    Ok(made)
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::io::Read as _;

    use flate2::read::MultiGzDecoder;
    use serde_json::json;

    use super::*;
    use crate::ledger::Ledger;
    use crate::testing::*;

    #[test]
    fn a_recording_for_others_holds_no_secret_and_names_nobody() {
        let vendor = ["gh", "p_", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"].concat();
        let own = ["bobbin_token_0a1b2c3d4e5f_", "bobbin", &"ab2cd".repeat(12)].concat();
        let code = format!("send('{vendor}', to='ana@corp.example')  # {own}");
        let bench = Bench::new();
        let said = with(
            facts(0),
            json!({"switches": {"code": true, "profile": true, "remote_close": true, "events_allow": ["*"]}}),
        );
        let records = [
            said,
            sample(1, 1.0),
            computation(5, "c", Some(&code)),
            stop(9),
        ];
        bench.send(batch(1, &records));
        let recorded = |name: &str| {
            let path = bench.path().join(name);
            make_demo(&bench.app, &path, 1, DemoTells::Code).unwrap();
            let mut text = String::new();
            MultiGzDecoder::new(File::open(&path).unwrap())
                .read_to_string(&mut text)
                .unwrap();
            let row = Ledger::of(bench.path()).rows().unwrap().pop().unwrap();
            (text, row.entry.level.unwrap())
        };
        let (text, level) = recorded("recorded.bobbin");
        assert!(text.contains("send('‹secret:vendor "), "{text}");
        for secret in [vendor.as_str(), own.as_str(), "ana@corp"] {
            assert!(!text.contains(secret), "{secret}: {text}");
        }
        assert_eq!(level, "everything");
        // A policy binds it, and the row says so.
        let policy = bench.path().join("bobbin-policy.toml");
        std::fs::write(policy, "level = 'metrics'").unwrap();
        let (text, level) = recorded("narrow.bobbin");
        assert!(!text.contains("send("), "{text}");
        assert_eq!(level, "metrics");
    }
}
