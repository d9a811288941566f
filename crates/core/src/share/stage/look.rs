//! What the desk shows of a stage that is open.

use std::path::Path;

use super::ask::{StageItemsRequest, StageTextRequest, StageWholeRequest};
use super::desk::Desk;
use super::file::written;
use super::folders::folder;
use super::kept::{BUNDLE, Kept, kept};
use super::model::Model;
use super::open::{Desks, Place};
use super::shown;
use super::view::{Stage, StageFindings, StageItems, StageText, StageWhole};
use crate::Result;
use crate::lock::lock;

/// What the desk shows of a stage. Where its bytes could not be written, that is tried again: there may be room by now.
///
/// # Errors
/// [`crate::Error::NotFound`]; [`crate::Error::Locked`] where the key that opens it is not here.
pub(crate) fn view(place: &Place<'_>, desks: &Desks, id: i64) -> Result<Stage> {
    let model = desks.open(place, id)?;
    let failed = lock(&model).failed;
    if failed && let Err(error) = written(place.dir, id, &model) {
        tracing::debug!(stage = id, %error, "the staged bytes will be written later");
    }
    let model = lock(&model);
    // With the model held: what is kept changes with it.
    shown_now(place.dir, id, &kept(place.dir, id)?, &model)
}

/// The same of a stage that is held.
pub(super) fn shown_now(dir: &Path, id: i64, said: &Kept, model: &Model) -> Result<Stage> {
    let before = Desk::open(dir)?
        .last_share(&said.destination)?
        .map(|(sha256, _)| sha256);
    let path = folder(dir, id).join(BUNDLE);
    Ok(shown::stage(model, id, said, before, &path))
}

/// Values of a stage.
///
/// # Errors
/// As [`view`].
pub(crate) fn items(
    place: &Place<'_>,
    desks: &Desks,
    request: &StageItemsRequest,
) -> Result<StageItems> {
    let model = desks.open(place, request.id)?;
    let model = lock(&model);
    Ok(shown::items(&model, request))
}

/// What looks like a secret in a stage.
///
/// # Errors
/// As [`view`].
pub(crate) fn findings(place: &Place<'_>, desks: &Desks, id: i64) -> Result<StageFindings> {
    let model = desks.open(place, id)?;
    let model = lock(&model);
    Ok(shown::findings(&model))
}

/// Lines of the staged bytes.
///
/// # Errors
/// As [`view`].
pub(crate) fn text(
    place: &Place<'_>,
    desks: &Desks,
    request: &StageTextRequest,
) -> Result<StageText> {
    let model = desks.open(place, request.id)?;
    let model = lock(&model);
    shown::text(&model, request)
}

/// A piece of a text of a stage.
///
/// # Errors
/// As [`view`]; [`crate::Error::NotFound`] for a value or a line that it has not.
pub(crate) fn whole_text(
    place: &Place<'_>,
    desks: &Desks,
    request: &StageWholeRequest,
) -> Result<StageWhole> {
    let model = desks.open(place, request.id)?;
    let model = lock(&model);
    shown::whole(&model, request)
}
