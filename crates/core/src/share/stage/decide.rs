//! Deciding on the values and findings of a stage.

use std::time::Duration;

use super::ask::DecideRequest;
use super::desk::Desk;
use super::file::written;
use super::kept::kept;
use super::look::view;
use super::open::{Desks, Place};
use super::view::Stage;
use crate::install::at;
use crate::lock::lock;
use crate::{Error, Result};

/// Nobody decides for so long before the file is made anew: who goes through many values waits for no disk in between.
const SETTLED: Duration = Duration::from_millis(300);

/// Decides, and remembers it. What is told changes at once; the file is made anew by a thread once nothing more is decided,
/// after which `done` is called.
///
/// # Errors
/// As [`view`]; [`Error::Refused`] for an approved stage; [`Error::Invalid`] for a value or finding that it has not.
pub(crate) fn decide(
    place: &Place<'_>,
    desks: &Desks,
    request: &DecideRequest,
    done: impl FnOnce() + Send + 'static,
) -> Result<Stage> {
    let id = request.id;
    let said = kept(place.dir, id)?;
    if said.approved.is_some() {
        return Err(Error::Refused(format!(
            "stage {id} is already approved: stage its clusters again to change something"
        )));
    }
    let open = desks.open(place, id)?;
    let desk = Desk::open(place.dir)?;
    let version = {
        let mut model = lock(&open);
        // An approval holds the model.
        if kept(place.dir, id)?.approved.is_some() {
            return Err(Error::Refused(format!(
                "stage {id} was just approved: stage its clusters again to change something"
            )));
        }
        let none = |what, value: &str| Error::Invalid {
            what,
            value: value.chars().take(80).collect(),
            reason: format!("stage {id} has no such {what}"),
        };
        // All of it is looked for before anything is done: a request is done whole or not at all.
        let items = request
            .items
            .iter()
            .map(|one| {
                let category = model.category_of(&one.item);
                Ok((category.ok_or_else(|| none("value", &one.item))?, one))
            })
            .collect::<Result<Vec<_>>>()?;
        if let Some(one) = request
            .findings
            .iter()
            .find(|one| !model.has_finding(&one.finding))
        {
            return Err(none("finding", &one.finding));
        }
        desk.at_once(|desk| {
            let destination = &said.destination;
            for one in &request.categories {
                desk.decide(destination, one.category, "", one.decision)?;
            }
            for (category, one) in &items {
                desk.decide(destination, *category, &one.item, one.decision)?;
            }
            for one in &request.findings {
                desk.settle(destination, &one.finding, one.state)?;
            }
            Ok(())
        })?;
        for one in &request.categories {
            model.decide(one.category, "", one.decision);
        }
        for (category, one) in items {
            model.decide(category, &one.item, one.decision);
        }
        for one in &request.findings {
            model.settle(&one.finding, one.state);
        }
        model.version()
    };
    // Before the thread has the model: an answer waits for no file.
    let decided = view(place, desks, id);
    let dir = place.dir.to_owned();
    std::thread::Builder::new()
        .name("stage".into())
        .spawn(move || {
            std::thread::sleep(SETTLED);
            if lock(&open).version() != version {
                // Whoever decided since has a thread, too.
                return;
            }
            if let Err(error) = written(&dir, id, &open) {
                tracing::warn!(stage = id, %error, "Bobbin could not write the staged bytes again");
            }
            done();
        })
        .map_err(at(place.dir))?;
    decided
}
