//! `kill -9` of the real receiver while it brings a store of an older schema up to its own: the rows are all there, of one schema or
//! the other.

use std::{
    error::Error,
    fs,
    os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _},
    path::Path,
    thread,
    time::{Duration, Instant},
};

use fastrand::Rng;
use rusqlite::{Connection, OpenFlags};

use super::{
    Counted,
    folder::{Folder, copy},
    server::Server,
};
use crate::{
    files::root,
    process::{Failure, Result},
};

/// From here on steps make rows anew.
const SCHEMA: usize = 26;
/// Each is a record.
const GROUPS: u64 = 40_000;

/// Kills it so many times.
///
/// # Errors
/// It does not start afterwards.
pub fn run(bobbin: &Path, kills: u64, seed: u64) -> Result<Counted> {
    let folder = Folder::make("migrated")?;
    let old = folder.0.join("old");
    // Bobbin opens no folder that others may read.
    fs::DirBuilder::new().mode(0o700).create(&old)?;
    make(&old.join("bobbin.sqlite")).map_err(|error| Failure::new(error.to_string()))?;
    let store = folder.0.join("store");
    copy(&old, &store)?;
    let begun = Instant::now();
    let mut server = Server::start(bobbin, &store)?;
    server.door()?;
    let takes = begun.elapsed().as_micros() as u64;
    server.stop()?;
    let (newest, _) = held(&store)?;
    if newest <= SCHEMA {
        return Err(Failure::new("nothing was migrated"));
    }
    let mut rng = Rng::with_seed(seed);
    let mut counted = Counted::default();
    for _ in 0..kills {
        copy(&old, &store)?;
        let mut server = Server::start(bobbin, &store)?;
        thread::sleep(Duration::from_micros(rng.u64(..takes)));
        server.kill()?;
        // Whoever opens it next looks into the log: no step is half done.
        let (schema, rows) = held(&store)?;
        if schema != SCHEMA && schema != newest {
            return Err(Failure::new(format!("a store of schema {schema} stayed")));
        }
        let mut server = Server::start(bobbin, &store)?;
        server.door()?;
        server.stop()?;
        let (schema, again) = held(&store)?;
        if schema != newest {
            return Err(Failure::new(format!("a store stayed at schema {schema}")));
        }
        counted.faults += 1;
        counted.acknowledged += GROUPS;
        counted.lost += GROUPS - rows.min(again).min(GROUPS);
        counted.doubled += rows.max(again).saturating_sub(GROUPS);
    }
    Ok(counted)
}

/// A store as a Bobbin of that schema left it, with so many task groups.
fn make(file: &Path) -> std::result::Result<(), Box<dyn Error>> {
    let mut private = fs::OpenOptions::new();
    private
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(file)?;
    let db = Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    db.pragma_update(None, "auto_vacuum", "incremental")?;
    db.pragma_update(None, "journal_mode", "wal")?;
    let folder = root().join("crates/core/src/store/migrations");
    let mut steps: Vec<_> = fs::read_dir(folder)?
        .map(|entry| Ok(entry?.path()))
        .collect::<std::io::Result<_>>()?;
    steps.sort();
    for step in &steps[..SCHEMA] {
        db.execute_batch(&fs::read_to_string(step)?)?;
    }
    db.pragma_update(None, "application_id", 0x426f_6262)?;
    db.pragma_update(None, "user_version", SCHEMA)?;
    db.execute_batch(&format!(
        "insert into cluster (id, scheduler_id, first_at_micros) values (1, 'Scheduler-1', 0);
         insert into instance (id, cluster_id, instance_id, rank, plugin_version, first_at_micros)
         values (1, 1, 'i1', 1, '1', 0);
         insert into cluster_total (cluster_id, last_heard_micros, silent_after_micros, interval_micros)
         values (1, 0, 0, 0);
         insert into name (id, text) values (1, 'inc');
         with recursive n (n) as (select 1 union all select n + 1 from n where n < {GROUPS})
         insert into task_group (
             cluster_id, group_id, at_micros, seq, rank, name, prefix_id, states, compute_seconds, transfer_seconds,
             disk_read_seconds, disk_write_seconds, deserialize_seconds, other_seconds, result_bytes, types,
             start_micros, dependencies, is_final
         )
         select 1, 'g' || n, n, n, n, 'inc-' || n, 1, json_object('memory', n), n / 7.0, 0.0, 0.0, 0.0, 0.0, 0.0, n,
             '[\"int\"]', n, '[]', 1
         from n"
    ))?;
    Ok(())
}

/// The schema of a store, and its task groups.
fn held(store: &Path) -> Result<(usize, u64)> {
    let file = store.join("bobbin.sqlite");
    let read = || -> rusqlite::Result<(usize, u64)> {
        let db = Connection::open_with_flags(&file, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        let check: String = db.query_one("pragma quick_check(1)", [], |row| row.get(0))?;
        if check != "ok" {
            return Err(rusqlite::Error::InvalidParameterName(check));
        }
        Ok((
            db.pragma_query_value(None, "user_version", |row| row.get(0))?,
            db.query_one("select count(*) from task_group", [], |row| row.get(0))?,
        ))
    };
    read().map_err(|error| Failure::new(format!("{}: {error}", file.display())))
}
