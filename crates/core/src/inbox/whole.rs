//! A file in a folder that is taken at once and as a whole: a bundle, or one of another program.

use std::fs::{self, Metadata};
use std::path::Path;

use super::done;
use super::folder::Place;
use super::remembered::{self, Remembered};
use super::taken::{Fate, note};
use super::{Inbox, Next};
use crate::api;
use crate::foreign::Kind;
use crate::install::at;
use crate::{Error, Result};

/// A file that can't be read and changed less than so long ago may still be on its way here.
const ARRIVING_MICROS: i64 = 30_000_000;
/// The beginning of a file of another program may look whole: it is read once it was left alone for so long.
const SETTLED_MICROS: i64 = 2_000_000;

impl Inbox {
    pub(super) fn whole(
        &self,
        place: &Place<'_>,
        path: &Path,
        found: &Metadata,
        kind: Kind,
    ) -> Result<Next> {
        let mut seen = Remembered::of(found);
        // Clocks of other machines may be ahead.
        let age = (self.app.now().0 - seen.modified.0).abs();
        if kind != Kind::Bundle && age < SETTLED_MICROS {
            return Ok(Next::Soon);
        }
        let imported = match api::import_file(&self.app, path) {
            Ok(imported) => imported,
            Err(error @ (Error::Invalid { .. } | Error::TooLarge { .. })) => {
                if age < ARRIVING_MICROS {
                    return Ok(Next::Later);
                }
                seen.refused = Some(error.to_string());
                return self.refuse(place, seen);
            }
            Err(error) => return Err(error),
        };
        let mut skipped = imported
            .clusters
            .iter()
            .filter_map(|one| one.skipped.clone());
        let why = skipped.next();
        let left_out = u64::from(why.is_some()) + skipped.count() as u64;
        let taken = imported.clusters.len() as u64 - left_out;
        tracing::info!(file = %path.display(), clusters = taken, "a file was taken");
        seen.told.schedulers = imported
            .clusters
            .into_iter()
            .map(|one| one.cluster_id)
            .collect();
        let fate = Fate::Imported {
            taken,
            left_out,
            why,
        };
        if place.own {
            // Another one may have come in its place: that is looked at in its turn.
            if fs::symlink_metadata(path).is_ok_and(|now| seen.is(&now)) {
                match kind {
                    Kind::Bundle => fs::remove_file(path).map_err(at(path))?,
                    // Not all of it is in the store, and this may be the only one.
                    _ => done::keep(path)?,
                }
            }
            if let Some((folder, name)) = place.key() {
                note(&self.app, seen.taken(&folder, name, fate))?;
            }
        } else if let Some((folder, name)) = place.key() {
            seen.offset_bytes = seen.size_bytes;
            remembered::put(&self.app, &folder, name, seen, Some(fate))?;
        }
        Ok(Next::Later)
    }
}
