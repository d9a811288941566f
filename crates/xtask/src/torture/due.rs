//! What must be on a disk by what was told, and whether Bobbin finds it there.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
    sync::Arc,
};

use bobbin_core::{
    api::{App, EventsRequest, Role, SealedText, events, find_cluster, safety},
    clock::SystemClock,
    ledger::Ledger,
};
use rusqlite::{Connection, OpenFlags};
use serde_json::Value;

use super::{
    server::Server,
    story::{Told, program},
    work::{Found, Sender, compare, scheduler, text},
};
use crate::process::{Failure, Result};

const FILE: &str = "bobbin.sqlite";

/// What must be there.
#[derive(Default)]
pub struct Due<'a> {
    lasting: Option<&'a BTreeMap<&'static str, Vec<u8>>>,
    stored: BTreeMap<Sender, Vec<u64>>,
    deleted: Option<Sender>,
    /// Files of snapshots.
    copied: Vec<&'a str>,
    /// Rows of the ledger.
    saved: usize,
    /// The folder of a store that another one replaced.
    replaced: Option<&'a str>,
}

impl<'a> Due<'a> {
    pub fn by(told: impl Iterator<Item = &'a Told>) -> Self {
        let mut due = Self::default();
        for told in told {
            match told {
                Told::Listens(lasting) => due.lasting = Some(lasting),
                Told::Stored((sender, number)) => {
                    due.stored.entry(*sender).or_default().push(*number);
                }
                Told::Deleting(sender) => drop(due.stored.remove(sender)),
                Told::Deleted(sender) => due.deleted = Some(*sender),
                Told::Copied(file) => due.copied.push(file.as_str()),
                Told::Saved => due.saved += 1,
                Told::Replaced(folder) => due.replaced = Some(folder.as_str()),
            }
        }
        due
    }

    /// Starts Bobbin where the power failed, and looks for everything. What is missing of batches is counted.
    ///
    /// # Errors
    /// It does not start in order, or what is not of batches is missing.
    pub fn look(&self, bobbin: &Path, store: &Path, log: &Path) -> Result<Found> {
        let mut server = Server::start_as(&mut program(bobbin), store, log)?;
        server.door()?;
        server.stop()?;
        self.files(store)?;
        let app = App::open(store, Role::Reader, Arc::new(SystemClock)).map_err(failed)?;
        let mut found = Found::default();
        for (sender, numbers) in &self.stored {
            found.lost += locked(&app, *sender, numbers)?;
        }
        if let Some(sender) = self.deleted
            && find_cluster(&app, &scheduler(sender)).is_ok()
        {
            return Err(Failure::new("a cluster that was deleted is there"));
        }
        drop(app);
        found.add(compare(store, &self.stored)?);
        Ok(found)
    }

    /// What is beside the store.
    fn files(&self, store: &Path) -> Result {
        for (name, bytes) in self.lasting.into_iter().flatten() {
            if fs::read(store.join(name)).ok().as_ref() != Some(bytes) {
                return Err(Failure::new(format!("{name} is not what it was")));
            }
        }
        let said = safety(store);
        if !said.damaged.is_empty() {
            return Err(Failure::new("Bobbin took the store for damaged"));
        }
        for copy in &said.snapshots {
            whole(copy.file.as_ref())?;
        }
        for name in &self.copied {
            let is_it = |file: &str| Path::new(file).ends_with(name);
            if !said.snapshots.iter().any(|copy| is_it(&copy.file)) {
                return Err(Failure::new(format!("the snapshot {name} is gone")));
            }
        }
        if let Some(folder) = self.replaced {
            whole(&store.join(folder).join(FILE))?;
        }
        let ledger = Ledger::of(store).read().map_err(failed)?;
        if let Some(broken) = ledger.broken {
            return Err(Failure::new(format!("the ledger: {broken:?}")));
        }
        if ledger.rows.len() < self.saved {
            return Err(Failure::new("a row of the ledger is gone"));
        }
        Ok(())
    }
}

/// Whether a file is a store, all of it.
fn whole(file: &Path) -> Result {
    let check = || -> rusqlite::Result<(String, u64)> {
        let db = Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        Ok((
            db.query_one("pragma quick_check(1)", [], |row| row.get(0))?,
            db.pragma_query_value(None, "user_version", |row| row.get(0))?,
        ))
    };
    match check() {
        Ok((said, 1..)) if said == "ok" => Ok(()),
        Ok((said, version)) => Err(Failure::new(format!(
            "{}: {said}, version {version}",
            file.display()
        ))),
        Err(error) => Err(Failure::new(format!("{}: {error}", file.display()))),
    }
}

/// How many of these batches have a text that does not open.
fn locked(app: &App, sender: Sender, numbers: &[u64]) -> Result<u64> {
    let cluster = find_cluster(app, &scheduler(sender)).map_err(failed)?;
    let request = EventsRequest {
        id: cluster.id,
        from_micros: None,
        to_micros: None,
        limit: 1_000,
        offset: 0,
    };
    let opened: BTreeSet<String> = events(app, request)
        .map_err(failed)?
        .rows
        .into_iter()
        .filter_map(|row| match row.payload {
            SealedText::Text { text } => {
                let payload: Value = serde_json::from_str(&text).ok()?;
                Some(payload["text"].as_str()?.to_owned())
            }
            SealedText::None | SealedText::Locked => None,
        })
        .collect();
    let is_locked = |number: &&u64| !opened.contains(&text(**number));
    Ok(numbers.iter().filter(is_locked).count() as u64)
}

fn failed(error: bobbin_core::Error) -> Failure {
    Failure::new(error.to_string())
}
