//! A file of batches that a person hands over: all of it is looked at before any of it is stored.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use serde::Serialize;

use super::Together;
use super::member::{Member, next};
use crate::api::App;
use crate::install::at;
use crate::system::open_unfollowed;
use crate::wire::{Batch, Limits};
use crate::{Error, Result};

/// What such a file holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counted {
    pub batches: u64,
    pub records: u64,
}

/// Looks at all of a file of batches.
///
/// # Errors
/// [`Error::Invalid`], [`Error::TooLarge`] if it is cut, or holds what is no batch; [`Error::Io`].
pub fn count_batches(path: &Path) -> Result<Counted> {
    let mut counted = Counted::default();
    each(path, &mut |batch| {
        counted.batches += 1;
        counted.records += batch.header.records;
        Ok(())
    })?;
    Ok(counted)
}

/// Stores all batches of a file, once all of it was looked at. To do so twice changes nothing.
///
/// # Errors
/// As [`count_batches`]; [`Error::Refused`] where another Bobbin writes; [`Error::DiskFull`], [`Error::Sqlite`].
pub fn import_batches(app: &App, path: &Path) -> Result<Counted> {
    let counted = count_batches(path)?;
    let mut together = Together::default();
    each(path, &mut |batch| {
        together.push(batch);
        if together.is_full() {
            together.store(app)?;
        }
        Ok(())
    })?;
    together.store(app)?;
    Ok(counted)
}

fn each(path: &Path, take: &mut dyn FnMut(Batch) -> Result<()>) -> Result<()> {
    let file: File = open_unfollowed(path).map_err(at(path))?;
    let mut reader = BufReader::new(file);
    loop {
        match next(&mut reader, &Limits::default())? {
            Member::Whole(batch, _) => take(*batch)?,
            Member::End => return Ok(()),
            Member::Torn => {
                return Err(Error::Invalid {
                    what: "file",
                    value: path.display().to_string(),
                    reason: "its last batch is incomplete: its writer may still be running, so put it into the inbox folder".into(),
                });
            }
        }
    }
}
