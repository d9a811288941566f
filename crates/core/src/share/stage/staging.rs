//! Staging clusters: as a share with a destination tells them now.

use std::fs;

use super::ask::{ClusterLevel, StageClustersRequest};
use super::base::{Base, Wanted};
use super::desk::Desk;
use super::file::written;
use super::folders::{folder, fresh_number};
use super::kept::{BASE, Kept, keep};
use super::look::view;
use super::model::Model;
use super::open::{Desks, Place, terms};
use super::settings;
use super::view::Stage;
use crate::install::unwritten;
use crate::seal::FingerprintKey;
use crate::share::aliases::{Numbers, mark};
use crate::share::policy::Policy;
use crate::share::{Choice, Snapshot, fields};
use crate::{Error, Result};

/// Letters of a destination's name.
const NAME: usize = 200;

/// Stages clusters.
///
/// # Errors
/// [`Error::Invalid`] for no clusters or no name; those of writing a bundle.
pub(crate) fn stage(
    place: &Place<'_>,
    desks: &Desks,
    request: &StageClustersRequest,
    snapshot: &Snapshot<'_>,
) -> Result<Stage> {
    if request.ids.is_empty() {
        return Err(Error::Invalid {
            what: "stage",
            value: request.destination.chars().take(NAME).collect(),
            reason: "no cluster selected: choose the clusters to share".into(),
        });
    }
    let model = modelled(place, request, snapshot).map_err(unwritten(place.dir))?;
    let id = fresh_number(place.dir)?;
    if let Err(error) = begin(place, desks, id, request.proposed, model) {
        let folder = folder(place.dir, id);
        desks.remove(id);
        let _ = fs::remove_dir_all(&folder);
        return Err(unwritten(&folder)(error));
    }
    view(place, desks, id)
}

/// Writes what a stage is made from, and its bytes, into the folder that is made for it.
///
/// # Errors
/// [`Error::Io`], [`Error::DiskFull`], [`Error::Locked`]; those of the desk.
fn begin(place: &Place<'_>, desks: &Desks, id: i64, proposed: bool, model: Model) -> Result<()> {
    let base = &model.base;
    base.save(&folder(place.dir, id).join(BASE), place.keys)?;
    keep(
        place.dir,
        id,
        &Kept {
            destination: base.destination.clone(),
            choice: base.choice,
            staged: place.now,
            clusters: base.clusters.len() as u64,
            bytes: 0,
            sha256: String::new(),
            approved: None,
            standing: false,
            proposed,
            policy: None,
            frozen: None,
        },
    )?;
    written(place.dir, id, &desks.put(id, model))
}

/// Clusters as a share with a destination tells them now.
///
/// # Errors
/// [`Error::Invalid`] for no name; those of writing a bundle.
pub(super) fn modelled(
    place: &Place<'_>,
    request: &StageClustersRequest,
    snapshot: &Snapshot<'_>,
) -> Result<Model> {
    let destination = request.destination.trim();
    if destination.is_empty() || destination.chars().count() > NAME {
        return Err(Error::Invalid {
            what: "destination",
            value: destination.chars().take(NAME).collect(),
            reason: "it needs a name of at most 200 characters: Bobbin remembers aliases and decisions by it".into(),
        });
    }
    let key = FingerprintKey::load_or_make(place.dir)?;
    let desk = Desk::open(place.dir)?;
    let policy = Policy::read(&place.dir.join(crate::share::POLICY))?;
    let clusters = levels(request, policy.as_ref())?;
    let choice = chosen(request.choice, policy.as_ref(), &clusters);
    desk.consent(destination, &known(&request.accept_fields)?)?;
    // Fields that came since the last approval are left out until somebody accepts them.
    let held = match desk.consented(destination)? {
        Some(consented) => names()
            .into_iter()
            .filter(|field| !consented.contains(field))
            .collect(),
        None => Default::default(),
    };
    let aliases = Numbers::new(mark(&key, destination), desk.aliases(destination)?);
    let aliases = std::cell::RefCell::new(aliases);
    let wanted = Wanted {
        destination,
        clusters: &clusters,
        choice,
        now: place.now,
        held,
    };
    let base = Base::read(wanted, place.keys, &key, &aliases, snapshot)?;
    let terms = terms(&desk, destination, policy)?;
    let scanner = settings::scanner(&desk, &key)?;
    Ok(Model::new(base, terms, scanner, key, aliases.into_inner()))
}

/// How much is told of each cluster: no more than the policy allows.
///
/// # Errors
/// [`Error::Invalid`] for a level of a cluster that is not among them.
fn levels(request: &StageClustersRequest, policy: Option<&Policy>) -> Result<Vec<ClusterLevel>> {
    if let Some(other) = request
        .levels
        .iter()
        .find(|one| !request.ids.contains(&one.id))
    {
        return Err(Error::Invalid {
            what: "level of a cluster",
            value: other.id.to_string(),
            reason: "this cluster is not one of those to share".into(),
        });
    }
    let level = |id: i64| {
        let own = request.levels.iter().rfind(|one| one.id == id);
        let level = own.map_or(request.choice.level, |one| one.level);
        narrowed(
            Choice {
                level,
                ..request.choice
            },
            policy,
        )
        .level
    };
    let ids = request.ids.iter();
    Ok(ids
        .map(|&id| ClusterLevel {
            id,
            level: level(id),
        })
        .collect())
}

/// What holds for all of them: the highest of their levels.
fn chosen(choice: Choice, policy: Option<&Policy>, clusters: &[ClusterLevel]) -> Choice {
    let choice = narrowed(choice, policy);
    Choice {
        level: clusters
            .iter()
            .map(|one| one.level)
            .max()
            .unwrap_or(choice.level),
        ..choice
    }
}

fn narrowed(choice: Choice, policy: Option<&Policy>) -> Choice {
    policy.map_or(choice, |policy| policy.narrowed(choice))
}

/// The fields of the format.
pub(super) fn names() -> Vec<String> {
    fields().iter().map(ToString::to_string).collect()
}

/// # Errors
/// [`Error::Invalid`] for a field that is none.
fn known(accepted: &[String]) -> Result<Vec<String>> {
    let names = names();
    match accepted.iter().find(|field| !names.contains(field)) {
        Some(field) => Err(Error::Invalid {
            what: "field",
            value: field.chars().take(80).collect(),
            reason: "this build does not know this field".into(),
        }),
        None => Ok(accepted.to_vec()),
    }
}
