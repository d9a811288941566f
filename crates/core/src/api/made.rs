//! A file that was made, and where it goes: a new one that only its owner may read, with its row of the ledger.

use std::io::Write as _;
use std::path::Path;

use super::ledger::policy_in_force;
use super::{App, Saved};
use crate::Result;
use crate::insight::table_text::Part;
use crate::install::put_new;
use crate::ledger::{Entry, Kind, Ledger, digest};
use crate::query::{self, Values};
use crate::share::Level;

/// A file that was made and is nowhere yet.
#[derive(Clone, Debug, PartialEq)]
pub struct Made {
    /// What it is called, without a folder: letters, digits, `-`, `_` and `.` alone.
    pub name: String,
    pub media_type: &'static str,
    pub bytes: Vec<u8>,
    /// What it is, in words, for the ledger.
    pub what: String,
    /// Rows of a table, and how many there are.
    pub rows: Option<u64>,
    pub total: Option<u64>,
    pub truncated: bool,
    /// The least level that tells all of it, for the ledger.
    pub level: Level,
}

impl Made {
    /// A file that is no table.
    pub fn whole(stem: &str, ending: &str, media_type: &'static str, bytes: Vec<u8>) -> Self {
        let name = file_name(stem, ending);
        Self {
            what: format!("{name}, into a file"),
            name,
            media_type,
            bytes,
            rows: None,
            total: None,
            truncated: false,
            level: Level::Names,
        }
    }

    /// A table.
    pub fn of(part: &Part, ending: &str, media_type: &'static str, bytes: Vec<u8>) -> Self {
        let rows = part.table.rows() as u64;
        Self {
            rows: Some(rows),
            total: part.total,
            truncated: part.truncated,
            level: level_of(&part.table),
            ..Self::whole(&part.table.name, ending, media_type, bytes)
        }
    }
}

/// Columns of texts that are stored sealed, and the level that tells them.
const SEALED: &[(&str, Level)] = &[
    ("message_text", Level::Errors),
    ("traceback_text", Level::Errors),
    ("details_text", Level::Errors),
    ("payload_text", Level::Everything),
    // Of what events carry.
    ("field", Level::Everything),
    ("code", Level::Everything),
    ("code_frames", Level::Everything),
    ("text", Level::Everything),
];

/// The least level that tells what stands in a table.
fn level_of(table: &query::Table) -> Level {
    let levels = table.columns.iter().filter_map(|column| {
        let Values::Text(texts) = &column.values else {
            return None;
        };
        texts.iter().any(Option::is_some).then(|| {
            let sealed = SEALED.iter().find(|(name, _)| *name == column.name);
            sealed.map_or(Level::Names, |(_, level)| *level)
        })
    });
    levels.max().unwrap_or(Level::Metrics)
}

/// A name that every file system takes: what comes from clusters may hold anything.
fn file_name(stem: &str, ending: &str) -> String {
    let safe: String = stem
        .chars()
        .map(|c| match c {
            c if c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.') => c,
            _ => '-',
        })
        .take(80)
        .collect();
    match safe.trim_matches(['-', '.']) {
        "" => format!("bobbin.{ending}"),
        stem => format!("{stem}.{ending}"),
    }
}

/// Writes it to a new file that only its owner may read, and the row of the ledger before: nothing leaves without one.
///
/// # Errors
/// [`crate::Error::Refused`] where the file exists; [`crate::Error::Io`], [`crate::Error::NoRoomFor`]; as [`Ledger::append`].
pub fn write_made(app: &App, made: &Made, path: &Path) -> Result<Saved> {
    put_new(
        path,
        |file| file.write_all(&made.bytes),
        || note_saved(app, made, Some(&path.display().to_string())),
    )
}

/// Adds the row of the ledger without which no file leaves.
///
/// # Errors
/// As [`Ledger::append`].
pub fn note_saved(app: &App, made: &Made, path: Option<&str>) -> Result<Saved> {
    let sha256 = digest(&made.bytes);
    let bytes = made.bytes.len() as u64;
    // No policy binds what a reader saves of their own store. One that cannot be read stops a share, and nothing else.
    let policy = policy_in_force(app).ok().flatten();
    let mut entry = Entry::new(Kind::Export, made.what.clone())
        .about(sha256.clone(), bytes)
        .under(policy)
        .telling(made.level.word());
    if let Some(path) = path {
        entry = entry.to(path);
    }
    Ledger::of(app.dir()).append(app.now(), &entry)?;
    Ok(Saved {
        name: made.name.clone(),
        bytes,
        sha256,
        rows: made.rows,
        total: made.total,
        truncated: made.truncated,
        path: path.map(str::to_owned),
    })
}
