//! Damage anywhere in the file: the next start finds it, or it does no harm but to values that are not sealed, which are counted.
//! What was damaged is kept as it was.

use std::{
    collections::BTreeSet,
    fs::{self, Permissions},
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    sync::Arc,
};

use bobbin_core::{
    Error,
    api::{App, Role, call, safety},
    clock::SystemClock,
    wire::decode,
};
use fastrand::Rng;
use rusqlite::{Connection, OpenFlags};
use serde_json::Value;

use super::{
    Counted,
    folder::Folder,
    work::{Sender, alone, body, records},
};
use crate::{
    process::{Failure, Result},
    tables::{Row, Table, missing, tables},
};

const FILE: &str = "bobbin.sqlite";
const SENDER: Sender = 1;
/// Batches of the store before it is damaged.
const BATCHES: u64 = 20;
/// Bytes that are changed, at most; and in every other store: fewer are found less often.
const BYTES: usize = 400;
const FEW_BYTES: usize = 8;
/// What opens its texts, and what says by which key.
const KEYS: [&str; 2] = ["key", "public_key"];

/// Damages a store so many times.
///
/// # Errors
/// A damaged file was changed or is gone, a sealed text opened as another, or Bobbin did not close in order.
pub fn run(rounds: u64, seed: u64) -> Result<Counted> {
    let folder = Folder::make("damage")?;
    let good = good(&folder.0.join("good"))?;
    let dir = folder.0.join("store");
    let mut rng = Rng::with_seed(seed);
    let mut counted = Counted::default();
    // What nothing happened to is as it was, and can be read.
    let opened = one(&dir, &good, &good.bytes, &mut counted)?;
    if opened != good.texts.len() || counted.changed > 0 {
        return Err(Failure::new("a store without damage is not as it was"));
    }
    fs::remove_dir_all(&dir)?;
    for round in 0..rounds {
        let mut bad = good.bytes.clone();
        let most = if rng.bool() { BYTES } else { FEW_BYTES };
        for _ in 0..=rng.usize(..most) {
            let at = rng.usize(..bad.len());
            bad[at] = rng.u8(..);
        }
        one(&dir, &good, &bad, &mut counted).map_err(|error| {
            Failure::new(format!("round {round} with the seed {seed}: {error}"))
        })?;
        counted.faults += 1;
        fs::remove_dir_all(&dir)?;
    }
    Ok(counted)
}

/// A store before it is damaged.
struct Good {
    dir: PathBuf,
    bytes: Vec<u8>,
    rows: Vec<(Table, Vec<Row>)>,
    /// Those that are sealed.
    texts: BTreeSet<String>,
}

/// What a store of some batches is.
fn good(dir: &Path) -> Result<Good> {
    let app = open(dir).map_err(failed)?;
    for number in 0..BATCHES {
        ingest(&app, number).map_err(failed)?;
    }
    let texts = texts(&app);
    app.drain().map_err(failed)?;
    drop(app);
    let file = dir.join(FILE);
    let rows = rows(&file).map_err(|error| Failure::new(error.to_string()))?;
    if texts.len() as u64 != BATCHES || rows.is_empty() {
        return Err(Failure::new("the store has no texts, or no rows"));
    }
    Ok(Good {
        dir: dir.into(),
        bytes: fs::read(file)?,
        rows,
        texts,
    })
}

/// Opens a damaged store and uses it; how many of its texts open still. What is taken once the damage was found is looked for: it
/// went into a file that is whole.
fn one(dir: &Path, good: &Good, bad: &[u8], counted: &mut Counted) -> Result<usize> {
    fs::create_dir(dir)?;
    fs::set_permissions(dir, Permissions::from_mode(0o700))?;
    for name in KEYS {
        fs::copy(good.dir.join(name), dir.join(name))?;
    }
    let file = dir.join(FILE);
    fs::write(&file, bad)?;
    fs::set_permissions(&file, Permissions::from_mode(0o600))?;
    let Ok(app) = open(dir) else {
        // A head that now says something else: nothing is done to the file.
        return whole(&file, bad).map(|()| 0);
    };
    let was_found = !safety(dir).damaged.is_empty();
    let opened = texts(&app);
    if !opened.is_subset(&good.texts) {
        return Err(Failure::new("a sealed text is another one"));
    }
    let taken = ingest(&app, BATCHES).is_ok();
    // A fault is told, here or at the next start.
    let _ = call(&app, "clusters", "{}");
    app.drain().map_err(failed)?;
    drop(app);
    let told = safety(dir);
    for folder in told.damaged {
        whole(&Path::new(&folder).join(FILE), bad)?;
    }
    if was_found && taken {
        counted.acknowledged += records(1);
        counted.add(alone(dir, (SENDER, BATCHES))?);
    }
    if !was_found && told.damage.is_none() {
        // As it was when it was opened: Bobbin has written to it since.
        let before = dir.join("before.sqlite");
        fs::write(&before, bad)?;
        counted.changed += changed(good, &before);
    }
    Ok(opened.len())
}

/// The texts of the cluster's events that open. Where none can be asked for any more, that is told.
fn texts(app: &App) -> BTreeSet<String> {
    let answer = call(app, "events", r#"{"id": 1, "limit": 1000}"#).unwrap_or_default();
    let answer: Value = serde_json::from_str(&answer).unwrap_or_default();
    let rows = answer["rows"].as_array().into_iter().flatten();
    rows.filter_map(|row| Some(row["payload"]["text"].as_str()?.to_owned()))
        .collect()
}

/// Every row of every table of a file to which nobody writes.
fn rows(file: &Path) -> rusqlite::Result<Vec<(Table, Vec<Row>)>> {
    let db = still(file)?;
    tables(&db)?
        .into_iter()
        .map(|table| table.rows(&db).map(|rows| (table, rows)))
        .collect()
}

/// How many rows of a damaged file are not as they were. Where a table cannot be read, whoever asks is told.
fn changed(good: &Good, file: &Path) -> u64 {
    let Ok(db) = still(file) else {
        return 0;
    };
    let of = |(table, before): &(Table, Vec<Row>)| {
        let after = table.rows(&db);
        after.map_or(0, |after| missing(before, &after))
    };
    good.rows.iter().map(of).sum()
}

/// Reads a file as it stands, and makes none beside it.
fn still(file: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
    Connection::open_with_flags(format!("file:{}?immutable=1", file.display()), flags)
}

fn open(dir: &Path) -> bobbin_core::Result<App> {
    App::open(dir, Role::Owner, Arc::new(SystemClock))
}

fn ingest(app: &App, number: u64) -> bobbin_core::Result<()> {
    app.ingest(decode(&body((SENDER, number)))?).map(drop)
}

fn failed(error: Error) -> Failure {
    Failure::new(error.to_string())
}

fn whole(file: &Path, bad: &[u8]) -> Result {
    if fs::read(file)? == bad {
        return Ok(());
    }
    Err(Failure::new(format!("{} is not as it was", file.display())))
}
