//! SQL of a person runs in a process of its own, which ends with its question. SQLite looks up from its work only where a
//! program jumps: one statement can hold a megabyte in each of thousands of places, or search for minutes, before
//! [`super::watch`] is asked. There it takes neither memory nor time from whoever records.

use std::ffi::OsString;
use std::io::Read;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::watch::{SORTED_BYTES, Watch};
use super::{MEMORY_BYTES, answer_in, seconds};
use crate::query::types::{SqlAnswer, SqlRequest};
use crate::store::apart;
use crate::system::{Ended, end_with_asker, program};
use crate::{Error, Result};

/// The first argument of such a process; the second is the folder of the store.
pub(crate) const WORD: &str = "answer-sql";
/// After its time a question ends by itself, where it is asked. Then it is ended.
const GRACE: Duration = Duration::from_secs(1);
/// Between two looks at whether it was cancelled.
const BREATH: Duration = Duration::from_millis(20);
/// Far more than an answer is: what it holds may be longer by as much as JSON writes of signs that control.
const TOLD_BYTES: u64 = 256 << 20;

/// What such a process says.
#[derive(Serialize, Deserialize)]
enum Told {
    Answer(SqlAnswer),
    Refused(String),
    Invalid { value: String, reason: String },
    DiskFull,
    Failed(String),
}

/// Asks in a process of its own, where this program can start one, and else in this one.
///
/// # Errors
/// As `run`, which the process runs.
pub(crate) fn ask(
    dir: &Path,
    request: &SqlRequest,
    cancelled: &Arc<AtomicBool>,
) -> Result<SqlAnswer> {
    apart(dir, |db| match program() {
        Some(program) => asked(program, dir, request, cancelled),
        None => answer_in(db, dir, request, cancelled),
    })
}

fn asked(
    program: &Path,
    dir: &Path,
    request: &SqlRequest,
    cancelled: &Arc<AtomicBool>,
) -> Result<SqlAnswer> {
    let failed = |source| Error::Io {
        path: program.into(),
        source,
    };
    let text = serde_json::to_string(request)?;
    let mut command = Command::new(program);
    let (mut process, _open) = Ended::asked(command.arg(WORD).arg(dir), &text).map_err(failed)?;
    let mut output = process.0.stdout.take();
    let (sender, said) = sync_channel(1);
    std::thread::Builder::new()
        .name("bobbin-sql".into())
        .spawn(move || {
            let mut told = Vec::new();
            let read = output
                .as_mut()
                .map(|output| output.take(TOLD_BYTES).read_to_end(&mut told));
            // Nobody listens where the question was ended.
            let _ = sender.send(read.transpose().map(|_| told));
        })
        .map_err(failed)?;
    let watch = Watch::new(cancelled, seconds(request), SORTED_BYTES);
    let end = Instant::now() + Duration::from_secs(watch.seconds.into()) + GRACE;
    let told = loop {
        match said.recv_timeout(BREATH) {
            Ok(told) => break told.map_err(failed)?,
            Err(RecvTimeoutError::Timeout)
                if Instant::now() < end && !cancelled.load(Ordering::Relaxed) => {}
            Err(_) => return Err(watch.why()),
        }
    };
    match serde_json::from_slice(&told) {
        Ok(Told::Answer(answer)) => Ok(answer),
        Ok(Told::Refused(reason)) => Err(Error::Refused(reason)),
        Ok(Told::Invalid { value, reason }) => Err(Error::Invalid {
            what: "SQL",
            value,
            reason,
        }),
        Ok(Told::DiskFull) => Err(Error::DiskFull),
        Ok(Told::Failed(reason)) => Err(Error::NotAnswered(reason)),
        // The system ends it where memory is short.
        Err(_) => Err(Error::NotAnswered(
            "its process ended early: narrow the query down".into(),
        )),
    }
}

/// What such a process does.
pub(crate) fn answer(dir: Option<OsString>) -> ExitCode {
    let Some(dir) = dir else {
        return ExitCode::FAILURE;
    };
    let mut text = String::new();
    if std::io::stdin().read_line(&mut text).is_err() {
        return ExitCode::FAILURE;
    }
    let told = match end_with_asker() {
        Ok(()) => told(Path::new(&dir), &text),
        Err(error) => Told::Failed(error.to_string()),
    };
    match serde_json::to_writer(std::io::stdout().lock(), &told) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

fn told(dir: &Path, text: &str) -> Told {
    let answered = serde_json::from_str(text)
        .map_err(Error::from)
        .and_then(|request| {
            apart(dir, |db| {
                db.pragma_update(None, "hard_heap_limit", MEMORY_BYTES)?;
                answer_in(db, dir, &request, &Arc::default())
            })
        });
    match answered {
        Ok(answer) => Told::Answer(answer),
        Err(Error::Refused(reason)) => Told::Refused(reason),
        Err(Error::Invalid { value, reason, .. }) => Told::Invalid { value, reason },
        Err(Error::DiskFull) => Told::DiskFull,
        Err(other) => Told::Failed(other.to_string()),
    }
}
