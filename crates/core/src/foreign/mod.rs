//! Files of other programs: performance reports and dumps of Dask, profiles for speedscope and folded stacks.
//!
//! A reader makes records of such a file, as a plugin would have sent them. They are written as a bundle, which is looked at
//! and taken as any other: there is one way in, and a file is taken whole or not at all. What it does not hold is named in
//! `unavailable`, and its id is a hash of what is in it, so that the same file twice is one cluster.
//!
//! Whatever lies there may be anybody's: it is read within limits of bytes, depth and count; no script in it is run, no
//! pickle opened and no path that it names is followed. A program that can be started again reads it in a process of its own
//! (`apart`), whose memory and time are bounded by the system.

mod apart;
mod called;
mod dump;
mod folded;
mod input;
mod kind;
mod records;
mod report;
mod speedscope;
mod stacks;
#[cfg(test)]
mod tests;

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::install::at;
use crate::model::{Micros, SourceFormat};
use crate::share::{Made, Manifest, look_at_records, write_records};
use crate::system::program;
use crate::wire::Record;
use crate::{Error, Result};

pub(crate) use apart::{WORD, answer};
pub use kind::{Kind, READ};

use apart::{Asked, ask};
use input::Input;

/// What kind of a file this is, by its content: its name says nothing.
///
/// # Errors
/// [`Error::Io`].
pub fn kind_of(path: &Path) -> Result<Kind> {
    Ok(Input::open(path)?.kind)
}

/// The same for a file that nobody handed over: it lies where anything may lie, and is none of another program unless that is sure.
///
/// # Errors
/// [`Error::Io`].
pub(crate) fn surely_kind_of(path: &Path) -> Result<Kind> {
    let input = Input::open(path)?;
    let called = path.as_os_str().to_string_lossy();
    Ok(match called.ends_with(kind::FOLDED) {
        true => input.kind,
        false => input.surely(),
    })
}

/// What a file holds, in the vocabulary of the wire.
struct Read {
    format: SourceFormat,
    /// What the records say of when, for files that tell no time of their own.
    as_of: Micros,
    records: Vec<Record>,
}

/// Reads all of a file, and gives what a bundle of it would say of itself. Nothing is written.
///
/// # Errors
/// [`Error::Invalid`], [`Error::TooLarge`] with what is wrong with it; [`Error::Io`].
pub(crate) fn look(path: &Path, name: &str, now: Micros) -> Result<Manifest> {
    apart(path, name, None, now)
}

/// Reads all of `from` and writes it as a new bundle.
///
/// # Errors
/// As [`look`]; [`Error::DiskFull`].
pub(crate) fn rewrite(from: &Path, name: &str, to: &Path, now: Micros) -> Result<()> {
    apart(from, name, Some(to), now).map(drop)
}

/// In a process of its own, where this program can start one, and else in this one.
fn apart(from: &Path, name: &str, to: Option<&Path>, now: Micros) -> Result<Manifest> {
    match program() {
        Some(program) => ask(
            Command::new(program),
            &Asked {
                from: from.into(),
                name: name.into(),
                to: to.map(Into::into),
                now,
            },
        ),
        None => here(from, name, to, now),
    }
}

/// Reads all of `from`, and writes it as a new bundle where it is told to; what that says of itself, or would.
fn here(from: &Path, name: &str, to: Option<&Path>, now: Micros) -> Result<Manifest> {
    let (made, records) = read(from, name, now)?;
    match to {
        Some(to) => write_records(to, &made, &records),
        None => look_at_records(&made, &records),
    }
}

/// Makes a bundle of the file at `path`, unless it is one; whether it did.
///
/// # Errors
/// As [`rewrite`].
pub(crate) fn make_bundle(path: &Path, name: &str, now: Micros) -> Result<bool> {
    if Input::open(path)?.kind == Kind::Bundle {
        return Ok(false);
    }
    let file = path.with_extension("foreign");
    fs::rename(path, &file).map_err(at(path))?;
    rewrite(&file, name, path, now)?;
    fs::remove_file(&file).map_err(at(&file))?;
    Ok(true)
}

fn read(path: &Path, name: &str, now: Micros) -> Result<(Made, Vec<Record>)> {
    let mut input = Input::open(path)?;
    let called = called::called(name);
    let wrong = |reason: String| Error::Invalid {
        what: "file",
        value: name.into(),
        reason,
    };
    let read = match input.kind {
        Kind::PerformanceReport => report::read(&mut input, &called),
        Kind::DumpMsgpack => dump::read_msgpack(&mut input, &called),
        Kind::DumpYaml => dump::read_yaml(&mut input, &called),
        Kind::Speedscope => speedscope::read(&mut input, &called, now),
        Kind::FoldedStacks => folded::read(&mut input, &called, now),
        Kind::Bundle | Kind::Batches | Kind::Unknown => {
            Err(Wrong::Is(input.kind.not_taken().into()))
        }
    };
    let read = match read {
        Ok(read) => read,
        Err(Wrong::Is(reason)) => return Err(wrong(reason)),
        Err(Wrong::Large { what, limit }) => return Err(Error::TooLarge { what, limit }),
        Err(Wrong::Io(source)) => {
            return Err(Error::Io {
                path: path.into(),
                source,
            });
        }
    };
    let hash = input.hash().map_err(at(path))?;
    let id = format!("{}-{}", read.format.word(), &hash[..32]);
    let made = Made {
        cluster_id: id,
        instance_id: hash,
        name: called,
        as_of: read.as_of,
        source: read.format,
    };
    Ok((made, read.records))
}

/// Why a file is not taken. What it says never quotes the file, whose text is anybody's.
#[derive(Debug)]
enum Wrong {
    Is(String),
    Large { what: &'static str, limit: u64 },
    Io(std::io::Error),
}

impl From<std::io::Error> for Wrong {
    /// A file that ends too early, or whose packing is broken, is the file's fault and not the machine's.
    fn from(error: std::io::Error) -> Self {
        use std::io::ErrorKind::{InvalidData, InvalidInput, UnexpectedEof};
        match error.kind() {
            UnexpectedEof => Wrong::Is("it is cut off: its end is missing".into()),
            InvalidData | InvalidInput => Wrong::Is(format!("it is damaged: {error}")),
            _ => Wrong::Io(error),
        }
    }
}

/// What a reader gives.
type Outcome<T> = std::result::Result<T, Wrong>;

/// A short reason.
fn is<T>(reason: &str) -> Outcome<T> {
    Err(Wrong::Is(reason.into()))
}
