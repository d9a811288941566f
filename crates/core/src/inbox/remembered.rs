//! What is remembered of a file, so that it is read on from where it was left.

use std::fs::Metadata;

use rusqlite::{Connection, OptionalExtension, named_params};

use super::taken::{Fate, Taken, Told};
use crate::Result;
use crate::api::App;
use crate::model::Micros;
use crate::system::modified;
use crate::wire::Header;

/// A file, as it was when it was last looked at.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Remembered {
    pub(super) size_bytes: u64,
    pub(super) modified: Micros,
    /// Where the next batch begins.
    pub(super) offset_bytes: u64,
    /// Dask's id of the scheduler of its last batch, and the plugin's of its instance.
    pub(super) last: Option<(String, String)>,
    /// Why no more of it is read.
    pub(super) refused: Option<String>,
    /// What was read of it since it was found here.
    pub(super) told: Told,
    /// Whether some of it had been read before.
    pub(super) begun: bool,
}

impl Remembered {
    /// A file of which nothing was read.
    pub(super) fn of(found: &Metadata) -> Self {
        Self {
            size_bytes: found.len(),
            modified: modified(found),
            offset_bytes: 0,
            last: None,
            refused: None,
            told: Told::default(),
            begun: false,
        }
    }

    /// Whether it is as it was.
    pub(super) fn is(&self, found: &Metadata) -> bool {
        self.size_bytes == found.len() && self.modified == modified(found)
    }

    pub(super) fn read(&mut self, header: &Header, bytes: u64) {
        self.offset_bytes += bytes;
        let last = (&header.cluster_id, &header.instance_id);
        if self.last.as_ref().map(|(c, i)| (c, i)) != Some(last) {
            self.last = Some((last.0.clone(), last.1.clone()));
        }
    }

    /// What became of it.
    pub(super) fn taken(&self, folder: &str, name: &str, fate: Fate) -> Taken {
        Taken {
            folder: folder.to_owned(),
            name: name.to_owned(),
            size_bytes: Some(self.size_bytes),
            told: self.told.clone(),
            goes_on: self.begun,
            begun: self.begun,
            fate,
        }
    }
}

/// What is remembered of a file.
pub(super) fn find(app: &App, folder: &str, name: &str) -> Result<Option<Remembered>> {
    app.read(|db| {
        let found = db
            .prepare_cached(include_str!("sql/file_find.sql"))?
            .query_row(named_params! { ":folder": folder, ":name": name }, |row| {
                let offset_bytes = row.get("offset_bytes")?;
                Ok(Remembered {
                    size_bytes: row.get("size_bytes")?,
                    modified: row.get("modified_micros")?,
                    offset_bytes,
                    last: Option::zip(row.get("scheduler_id")?, row.get("instance_id")?),
                    refused: row.get("refused")?,
                    told: Told::default(),
                    begun: offset_bytes > 0,
                })
            })
            .optional()?;
        Ok(found)
    })
}

/// Remembers a file, and notes what became of it, if anything did.
pub(super) fn put(
    app: &App,
    folder: &str,
    name: &str,
    file: Remembered,
    fate: Option<Fate>,
) -> Result<()> {
    let taken = fate.map(|fate| file.taken(folder, name, fate));
    let (folder, name) = (folder.to_owned(), name.to_owned());
    let (now, something) = (app.now(), taken.is_some());
    app.write(move |db| {
        let (scheduler_id, instance_id) = file.last.unzip();
        db.prepare_cached(include_str!("sql/file_put.sql"))?
            .execute(named_params! {
                ":folder": folder,
                ":name": name,
                ":size_bytes": file.size_bytes,
                ":modified_micros": file.modified,
                ":offset_bytes": file.offset_bytes,
                ":scheduler_id": scheduler_id,
                ":instance_id": instance_id,
                ":refused": file.refused,
            })?;
        taken.map_or(Ok(()), |taken| taken.put(db, now))
    })?;
    if something {
        app.tell(Vec::new());
    }
    Ok(())
}

/// The names that are remembered of a folder.
pub(super) fn names(app: &App, folder: &str) -> Result<Vec<String>> {
    app.read(|db| {
        let mut statement = db.prepare_cached(include_str!("sql/file_names.sql"))?;
        let names = statement
            .query_map(named_params! { ":folder": folder }, |row| row.get(0))?
            .collect::<rusqlite::Result<_>>()?;
        Ok(names)
    })
}

/// Forgets files that are gone.
pub(super) fn forget(app: &App, folder: &str, names: Vec<String>) -> Result<()> {
    let folder = folder.to_owned();
    app.write(move |db| {
        let mut statement = db.prepare_cached(include_str!("sql/file_forget.sql"))?;
        for name in names {
            statement.execute(named_params! { ":folder": folder, ":name": name })?;
        }
        Ok(())
    })
}

/// Whether the instance has said goodbye.
pub(super) fn has_stopped(app: &App, (scheduler, instance): &(String, String)) -> Result<bool> {
    let ids = named_params! { ":scheduler_id": scheduler, ":instance_id": instance };
    app.read(|db: &Connection| {
        Ok(db
            .prepare_cached(include_str!("sql/instance_has_stopped.sql"))?
            .query_row(ids, |row| row.get(0))
            .optional()?
            .unwrap_or(false))
    })
}
