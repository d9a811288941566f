//! The staged file for whoever copies or reads it, once it follows what was decided.

use std::fs::File;
use std::path::Path;

use super::approved::Staged;
use super::file::written;
use super::kept::{kept, staged};
use super::open::{Desks, Place};
use super::shown;
use super::view::StageBytes;
use crate::Result;
use crate::install::{at, create_private};
use crate::system::read_exact_at;

/// Bytes of a piece of the staged file.
const PIECE: u64 = 1 << 20;

/// Copies the staged file to a new one, byte for byte what would be sent, and gives its hash.
///
/// # Errors
/// [`crate::Error::Refused`] where it was changed since; [`crate::Error::Io`], [`crate::Error::NoRoomFor`].
pub(crate) fn save(place: &Place<'_>, desks: &Desks, id: i64, path: &Path) -> Result<String> {
    let stage = whole(place, desks, id)?;
    let mut from = stage.open()?;
    let mut to = create_private(path)?;
    std::io::copy(&mut from, &mut to)
        .and_then(|_| to.sync_all())
        .map_err(at(path))?;
    Ok(stage.sha256)
}

/// Waits until the staged file follows what was decided.
///
/// # Errors
/// As [`save`].
pub(crate) fn settle(place: &Place<'_>, desks: &Desks, id: i64) -> Result<()> {
    whole(place, desks, id).map(drop)
}

/// The staged file, once it follows what was decided.
pub(super) fn whole(place: &Place<'_>, desks: &Desks, id: i64) -> Result<Staged> {
    let model = desks.open(place, id)?;
    // It may be on its way: whoever comes second finds it done.
    written(place.dir, id, &model)?;
    Ok(staged(place.dir, id, &kept(place.dir, id)?))
}

/// A piece of the staged file.
///
/// # Errors
/// As [`save`].
pub(crate) fn piece(place: &Place<'_>, desks: &Desks, id: i64, offset: u64) -> Result<StageBytes> {
    let stage = whole(place, desks, id)?;
    let file = File::open(stage.path()).map_err(at(stage.path()))?;
    let length = stage.bytes.saturating_sub(offset).min(PIECE);
    let mut piece = vec![0; length as usize];
    read_exact_at(&file, &mut piece, offset).map_err(at(stage.path()))?;
    let next = offset + length;
    Ok(StageBytes {
        base64: shown::base64(&piece),
        next: (next < stage.bytes).then_some(next),
        bytes: stage.bytes,
        sha256: stage.sha256,
    })
}
