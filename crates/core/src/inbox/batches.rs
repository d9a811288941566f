//! A file of batches that a person hands over: whoever stores it has looked at all of it first.

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

impl Counted {
    fn add(&mut self, batch: &Batch) {
        self.batches += 1;
        self.records += batch.header.records;
    }
}

/// Looks at all of a file of batches.
///
/// # Errors
/// [`Error::Invalid`], [`Error::TooLarge`] if it is cut, or holds what is no batch; [`Error::Io`].
pub fn count_batches(path: &Path) -> Result<Counted> {
    let mut counted = Counted::default();
    each(path, &mut |batch| {
        counted.add(&batch);
        Ok(())
    })?;
    Ok(counted)
}

/// Stores all batches of a file that was looked at with [`count_batches`]. To do so twice changes nothing.
///
/// # Errors
/// As [`count_batches`]; [`Error::Refused`] where another Bobbin writes; [`Error::DiskFull`], [`Error::Sqlite`].
pub fn import_batches(app: &App, path: &Path) -> Result<Counted> {
    let mut counted = Counted::default();
    let mut together = Together::default();
    each(path, &mut |batch| {
        counted.add(&batch);
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
