//! Lines of source of functions, as far as the private key is here.

use std::collections::{BTreeMap, HashMap};

use rusqlite::{Connection, OptionalExtension, named_params};
use serde::Deserialize;

use super::stamp::Stamp;
use crate::Result;
use crate::query::types::ProfileLines;
use crate::query::unseal::Unsealer;
use crate::seal::Place;
use crate::store::{Frame, inflate};

/// Memory of the lines of one cluster: the first ones, as far as they fit.
const MOST_BYTES: usize = 32 << 20;

/// What is known of the text of a function: the last that was told of each line.
#[derive(Default)]
pub(crate) struct Texts {
    first_seen: Option<String>,
    by_line: BTreeMap<u32, String>,
}

/// The lines of a cluster's functions, or why there are none.
pub(crate) enum Lines {
    Shown(HashMap<Frame, Texts>),
    Off,
    Locked,
}

impl Default for Lines {
    fn default() -> Self {
        Self::Shown(HashMap::new())
    }
}

impl Lines {
    /// About how much memory they take.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Shown(lines) => lines
                .iter()
                .map(|(frame, texts)| {
                    let all = texts.by_line.values().chain(&texts.first_seen);
                    all.map(|text| bytes(frame, text)).sum::<usize>()
                })
                .sum(),
            Self::Off | Self::Locked => 0,
        }
    }

    pub(crate) fn state(&self) -> ProfileLines {
        match self {
            Self::Shown(_) => ProfileLines::Shown,
            Self::Off => ProfileLines::Off,
            Self::Locked => ProfileLines::Locked,
        }
    }

    /// The line of a function that was first seen running.
    pub(crate) fn text(&self, frame: &Frame) -> Option<&str> {
        self.texts(frame)?.first_seen.as_deref()
    }

    /// What a line of a function says.
    pub(crate) fn text_at(&self, frame: &Frame, line: u32) -> Option<&str> {
        self.texts(frame)?.by_line.get(&line).map(String::as_str)
    }

    fn texts(&self, frame: &Frame) -> Option<&Texts> {
        match self {
            Self::Shown(lines) => lines.get(frame),
            Self::Off | Self::Locked => None,
        }
    }
}

fn bytes(frame: &Frame, text: &str) -> usize {
    frame.name.len() + frame.file.len() + text.len() + 120
}

/// What changes when a line of source of a cluster comes or goes, or when its code is switched off or the key is another.
///
/// # Errors
/// [`crate::Error::Sqlite`].
pub(crate) fn lines_stamp(db: &Connection, unsealer: &mut Unsealer, id: i64) -> Result<String> {
    let opening = unsealer.opening();
    let off = off(db, id)?;
    let mut statement = db.prepare_cached(include_str!("../profile_lines_stamp.sql"))?;
    let mut rows = statement.query(named_params! { ":id": id })?;
    let mut lines = Stamp::default();
    while let Some(row) = rows.next()? {
        lines.add(&[row.get("instance_id")?, row.get("seq")?]);
    }
    Ok(format!("{lines}/{off}/{opening:?}"))
}

/// Whether the cluster said that its code is off.
fn off(db: &Connection, id: i64) -> Result<bool> {
    let off = db
        .prepare_cached(include_str!("../profile_code_off.sql"))?
        .query_row(named_params! { ":id": id }, |row| row.get(0))
        .optional()?;
    Ok(off == Some(true))
}

/// File, name and first line of a function, what a line of it says, and which: none for the first that was seen running, which
/// is all that was stored before lines were counted.
#[derive(Deserialize)]
struct Told(
    String,
    String,
    Option<u32>,
    String,
    #[serde(default)] Option<u32>,
);

/// The lines of a cluster; all are locked where some are.
///
/// # Errors
/// [`crate::Error::Sqlite`].
pub(crate) fn lines(db: &Connection, unsealer: &mut Unsealer, id: i64) -> Result<Lines> {
    if off(db, id)? {
        return Ok(Lines::Off);
    }
    let mut lines = HashMap::new();
    let mut taken = 0;
    let mut statement = db.prepare_cached(include_str!("../profile_lines.sql"))?;
    let mut found = statement.query(named_params! { ":id": id })?;
    while let Some(row) = found.next()? {
        let scheduler_id: String = row.get("scheduler_id")?;
        let natural_id = format!(
            "{}/{}",
            row.get::<_, String>("instance_id")?,
            row.get::<_, u64>("seq")?
        );
        let place = Place {
            table: "profile_line",
            column: "lines_sealed",
            row: &natural_id,
            cluster: &scheduler_id,
        };
        let sealed: Vec<u8> = row.get("lines_sealed")?;
        let Some(opened) = unsealer.open(db, place, &sealed)? else {
            return Ok(Lines::Locked);
        };
        let told: Vec<Told> = serde_json::from_slice(&inflate(&opened)?)?;
        for Told(file, name, line, text, at) in told {
            let frame = Frame { name, file, line };
            taken += bytes(&frame, &text);
            let texts: &mut Texts = lines.entry(frame).or_default();
            match at {
                Some(at) => {
                    texts.by_line.insert(at, text);
                }
                None => texts.first_seen = Some(text),
            }
        }
        if taken > MOST_BYTES {
            break;
        }
    }
    Ok(Lines::Shown(lines))
}
