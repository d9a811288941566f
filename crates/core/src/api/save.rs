//! What is saved as a file: tables of any answer, profiles, and the row of the ledger that goes with every file.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::ledger::{ledger_rows, policy_in_force};
use super::records::{self, Node};
use super::{
    App, FlameRequest, ProfileOutRequest, Saved, TableRequest, cells, commands, find_cluster, flame,
};
use crate::insight::flame::{Told, encoded};
use crate::insight::table_text::document;
use crate::install::{at, create_private, give_name, random};
use crate::ledger::{Entry, Kind, Ledger};
use crate::model::visible::plain;
use crate::query::Values;
use crate::share::Level;
use crate::{Error, Result, query};

pub use crate::insight::table_text::{Part, csv, csv_cell, line as csv_line};

/// Commands whose answers hold tables, and whether they give them in pages. Nothing else is run for a table.
const ASKED: &[(&str, bool)] = &[
    ("baseline", false),
    ("budgets", false),
    ("cluster", false),
    ("cluster_cost", false),
    ("cluster_pruned", false),
    ("cluster_uses", false),
    ("clusters", true),
    ("compare", false),
    ("computations", true),
    ("cost_table", false),
    ("event_fields", false),
    ("events", true),
    ("exception_kinds", true),
    ("exceptions", true),
    ("findings", false),
    ("flame_difference", false),
    ("flame_table", true),
    ("graph", false),
    ("heat_map", false),
    ("inbox_files", false),
    ("ledger", false),
    ("line_costs", false),
    ("metrics", false),
    ("prices", false),
    ("spans", true),
    ("sql", false),
    ("task_groups", false),
    ("thread_use", false),
    ("timeline", false),
    ("topics", false),
    ("users", false),
    ("verdicts", false),
    ("worker_heat", false),
    ("worker_series", false),
    ("workers", true),
];
/// Rows of a page, and the most that are put together of pages.
const PAGE: u64 = 1_000;
const MOST: u64 = 1_000_000;
/// How often a list that changes while it is read is begun anew.
const TRIES: usize = 4;

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
/// [`Error::Refused`] where the file exists; [`Error::Io`], [`Error::DiskFull`]; as [`Ledger::append`].
pub fn write_made(app: &App, made: &Made, path: &Path) -> Result<Saved> {
    put_new(path, &made.bytes, || {
        note_saved(app, made, Some(&path.display().to_string()))
    })
}

/// Makes a new file of mode 0600 in one step: whoever looks sees nothing, or all of it. `note` runs when its bytes are on the
/// disk and before it has its name; where that fails, there is no file.
///
/// # Errors
/// [`Error::Refused`] where the file exists; [`Error::Io`], [`Error::DiskFull`]; as `note`.
pub(super) fn put_new<T>(path: &Path, bytes: &[u8], note: impl FnOnce() -> Result<T>) -> Result<T> {
    if path.symlink_metadata().is_ok() {
        return Err(exists(path));
    }
    // A short name of its own: one that is as long as names may be has no room for an ending.
    let mut bytes_of_name = [0; 8];
    random(&mut bytes_of_name)?;
    let name = format!(".bobbin-{:016x}.new", u64::from_ne_bytes(bytes_of_name));
    let beside = Beside(path.with_file_name(name));
    let mut file = create_private(&beside.0)?;
    file.write_all(bytes)
        .and_then(|()| file.sync_all())
        .map_err(at(path))?;
    let noted = note()?;
    match give_name(&beside.0, path)? {
        true => Ok(noted),
        false => Err(exists(path)),
    }
}

/// A file that is not there any more when this goes.
struct Beside(PathBuf);

impl Drop for Beside {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

pub(super) fn exists(path: &Path) -> Error {
    Error::Refused(format!(
        "{} already exists, and Bobbin does not overwrite it: choose another name",
        plain(&path.display().to_string())
    ))
}

/// Adds the row of the ledger without which no file leaves.
///
/// # Errors
/// As [`Ledger::append`].
pub fn note_saved(app: &App, made: &Made, path: Option<&str>) -> Result<Saved> {
    let sha256: String = Sha256::digest(&made.bytes)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
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

/// The JSON document of a table.
///
/// # Errors
/// [`Error::Json`].
pub fn table_document(app: &App, part: &Part) -> Result<Vec<u8>> {
    let mut text = serde_json::to_vec_pretty(&document(part, app.now()))?;
    text.push(b'\n');
    Ok(text)
}

/// All rows of an answer: those that a page shows, and those that lie beyond, as the same reader may see them.
///
/// # Errors
/// [`Error::Invalid`] for a command that has no tables, or a place in its answer where none is; those of the command.
pub fn table_of(app: &App, asked: &TableRequest) -> Result<Part> {
    let command = &*asked.command;
    let Some(&(_, paged)) = ASKED.iter().find(|(name, _)| *name == command) else {
        return Err(no_table(command, "it has no table"));
    };
    let name = match &*asked.name {
        "" => command,
        name => name,
    };
    match (command, &*asked.list) {
        ("event_fields", "numbers") => return cells::of_numbers(app, &asked.request, name),
        ("heat_map", _) => return cells::of_heat_map(app, &asked.request, name),
        ("ledger", _) => return whole(name, &ledger_rows(app)?, command),
        ("thread_use", _) => return cells::of_threads(app, &asked.request, name),
        ("timeline", _) => return sample_rows(app, &asked.request, name, MOST),
        ("worker_heat", _) => return cells::of_workers(app, &asked.request, name),
        ("worker_series", _) => return cells::of_worker_samples(app, &asked.request, name),
        _ => {}
    }
    let way = match &*asked.list {
        "" => "rows",
        "." => "",
        way => way,
    };
    if !paged {
        let answer = ask(app, command, &asked.request)?;
        let (found, holds) = answer
            .at(way)
            .ok_or_else(|| no_table(command, "there is no table at this place in its answer"))?;
        return part(name, way, found, holds, command);
    }
    for _ in 1..TRIES {
        if let Some(whole) = pages(app, asked, way, name)? {
            return Ok(whole);
        }
    }
    // Of a list that changes all the time, the last reading is as good as any.
    pages(app, asked, way, name)?
        .ok_or_else(|| Error::Refused(format!("{command} changes faster than Bobbin can read it")))
}

/// All pages one after the other; none where the list changed in between.
fn pages(app: &App, asked: &TableRequest, way: &str, name: &str) -> Result<Option<Part>> {
    let mut request = asked.request.clone();
    let mut rows: Vec<Node> = Vec::new();
    let mut first = None;
    loop {
        request["limit"] = json!(PAGE);
        request["offset"] = json!(rows.len());
        let mut answer = ask(app, &asked.command, &request)?;
        let (found, holds) = answer.at(way).ok_or_else(|| {
            no_table(
                &asked.command,
                "there is no table at this place in its answer",
            )
        })?;
        let Node::List(page) = found else {
            return Err(no_table(
                &asked.command,
                "there is no list at this place in its answer",
            ));
        };
        let total = holds.get("total").and_then(Node::count);
        let more = holds.get("truncated") == Some(&Node::Truth(true)) && !page.is_empty();
        if *first.get_or_insert(total) != total {
            return Ok(None);
        }
        rows.extend(page.iter().cloned());
        if !more || rows.len() as u64 >= MOST {
            answer = Node::List(rows);
            let table = records::table(name, &answer).ok_or_else(|| {
                no_table(
                    &asked.command,
                    "there is no table at this place in its answer",
                )
            })?;
            return Ok(Some(Part {
                table,
                total,
                truncated: more,
            }));
        }
    }
}

fn part(name: &str, way: &str, found: &Node, holds: &Node, command: &str) -> Result<Part> {
    let table = records::table(name, found)
        .ok_or_else(|| no_table(command, "there is no table at this place in its answer"))?;
    let last = way.rsplit('.').next().unwrap_or_default();
    let rows = table.rows() as u64;
    // Its own number first: beside it may stand that of something else.
    let told = [format!("{last}_total"), "total".to_owned()]
        .iter()
        .find_map(|name| holds.get(name).and_then(Node::count));
    // `truncated` is said of a list, or of the columns themselves.
    let cut = [found, holds]
        .iter()
        .any(|node| node.get("truncated") == Some(&Node::Truth(true)));
    let truncated = cut || told.is_some_and(|total| total > rows);
    Ok(Part {
        table,
        total: told.or((!truncated).then_some(rows)),
        truncated,
    })
}

fn ask(app: &App, command: &str, request: &Value) -> Result<Node> {
    let request = match request {
        Value::Null => String::new(),
        request => request.to_string(),
    };
    Ok(serde_json::from_str(&commands::call(
        app, command, &request,
    )?)?)
}

fn no_table(command: &str, reason: &str) -> Error {
    Error::Invalid {
        what: "table",
        value: command.into(),
        reason: reason.into(),
    }
}

/// The samples of a cluster, a row each, where charts have points that stand for several.
pub(super) fn sample_rows(app: &App, request: &Value, name: &str, most: u64) -> Result<Part> {
    let asked: super::TimelineRequest = serde_json::from_value(request.clone())?;
    let (told, total) = app.read(|db| query::every_sample(db, &asked, most))?;
    let part = whole(name, &told, "timeline")?;
    Ok(Part {
        total: Some(total),
        truncated: total > part.table.rows() as u64,
        ..part
    })
}

/// The table of records that are all that there are.
fn whole(name: &str, told: &impl Serialize, command: &str) -> Result<Part> {
    let found: Node = serde_json::from_slice(&serde_json::to_vec(told)?)?;
    let table = records::table(name, &found)
        .ok_or_else(|| no_table(command, "there is no table at this place in its answer"))?;
    Ok(Part {
        total: Some(table.rows() as u64),
        truncated: false,
        table,
    })
}

/// Tables by name that a shell can ask for: those that others get, and lists of one cluster.
pub const TABLES: &[&str] = &[
    "clusters",
    "hours",
    "task_groups",
    "computations",
    "exceptions",
    "workers",
    "spans",
    "metrics",
    "events",
    "topics",
    "timeline",
];

/// One of [`TABLES`], of one cluster or of all.
///
/// # Errors
/// [`Error::NotFound`]; [`Error::Invalid`] for an unknown name, or where a cluster must be named.
pub fn named_table(app: &App, name: &str, cluster: Option<&str>) -> Result<Part> {
    let cluster = cluster.map(|text| find_cluster(app, text)).transpose()?;
    if let Some(table) = super::tables(app)?
        .into_iter()
        .find(|table| table.name == name)
    {
        let table = match &cluster {
            Some(row) => table.only("cluster", &row.scheduler_id),
            None => table,
        };
        return Ok(Part {
            total: Some(table.rows() as u64),
            truncated: false,
            table,
        });
    }
    if !TABLES.contains(&name) {
        return Err(Error::Invalid {
            what: "table",
            value: plain(name),
            reason: format!("choose from {}", TABLES.join(", ")),
        });
    }
    let Some(row) = cluster else {
        return Err(Error::Invalid {
            what: "table",
            value: name.into(),
            reason: "it covers one cluster: name it with --cluster".into(),
        });
    };
    table_of(
        app,
        &TableRequest {
            command: name.into(),
            request: json!({ "id": row.id }),
            list: String::new(),
            name: String::new(),
        },
    )
}

/// A merged profile as a file of another viewer.
///
/// # Errors
/// [`Error::NotFound`], [`Error::TooLarge`].
pub fn profile_out(app: &App, asked: &ProfileOutRequest) -> Result<Made> {
    let title = flame_title(app, &asked.flame)?;
    let bytes = flame::with_tree(app, &asked.flame, |tree, scale, about| {
        let told = Told {
            title: title.clone(),
            from_micros: about.from_micros,
            to_micros: about.to_micros,
        };
        encoded(tree, scale, &told, asked.format)
    })?;
    let (ending, media_type) = match asked.format {
        super::ProfileFormat::Speedscope => ("speedscope.json", "application/json"),
        super::ProfileFormat::Folded => ("folded.txt", "text/plain; charset=utf-8"),
        super::ProfileFormat::Pprof => ("pb.gz", "application/gzip"),
    };
    Ok(Made::whole(&title, ending, media_type, bytes))
}

/// What a profile is of, in words.
///
/// # Errors
/// [`Error::NotFound`].
pub fn flame_title(app: &App, asked: &FlameRequest) -> Result<String> {
    let about = commands::flame_about(
        app,
        super::FlameAboutRequest {
            selection: asked.selection.clone(),
        },
    )?;
    Ok(match &*about.clusters {
        [] => "profile".to_owned(),
        [one] => format!("profile of {}", plain(&one.name)),
        some => format!("profile of {} clusters", some.len()),
    })
}
