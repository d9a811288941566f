//! The stages that are being looked at.

use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};

use super::base::Base;
use super::desk::Desk;
use super::file::written;
use super::folders::folder;
use super::kept::{BASE, kept, list, policy_now, words_now};
use super::model::{Model, Terms};
use super::view::StageList;
use crate::Result;
use crate::install::at;
use crate::lock::lock;
use crate::model::Micros;
use crate::scan::{OwnWords, Scanner};
use crate::seal::{FingerprintKey, Keys};
use crate::share::aliases::{Numbers, mark};
use crate::share::policy::Policy;

/// Stages that are kept open.
const OPEN: usize = 2;

/// Where the desk stands.
pub(crate) struct Place<'a> {
    pub(crate) dir: &'a Path,
    pub(crate) keys: &'a Keys,
    pub(crate) now: Micros,
}

/// The stages that are being looked at, the last one last.
#[derive(Default)]
pub(crate) struct Desks {
    open: Mutex<Vec<(i64, Shared)>>,
    /// Held while a stage is opened, so that whoever comes second finds it open.
    opening: Mutex<()>,
}

type Shared = Arc<Mutex<Model>>;

impl Desks {
    pub(super) fn put(&self, id: i64, model: Model) -> Shared {
        let model = Arc::new(Mutex::new(model));
        let mut open = lock(&self.open);
        open.retain(|(other, _)| *other != id);
        if open.len() >= OPEN {
            open.remove(0);
        }
        open.push((id, Arc::clone(&model)));
        model
    }

    pub(super) fn remove(&self, id: i64) {
        lock(&self.open).retain(|(other, _)| *other != id);
    }

    fn has(&self, id: i64) -> Option<Shared> {
        lock(&self.open)
            .iter()
            .find(|(other, _)| *other == id)
            .map(|(_, model)| Arc::clone(model))
    }

    /// A stage that is open, or that is opened now.
    pub(super) fn open(&self, place: &Place<'_>, id: i64) -> Result<Shared> {
        if let Some(open) = self.current(place, id)? {
            return Ok(open);
        }
        let _opening = lock(&self.opening);
        if let Some(open) = self.current(place, id)? {
            return Ok(open);
        }
        self.remove(id);
        let kept = kept(place.dir, id)?;
        let policy = policy_now(place.dir, &kept)?;
        let key = FingerprintKey::load_or_make(place.dir)?;
        let desk = Desk::open(place.dir)?;
        let base = Base::load(&folder(place.dir, id).join(BASE), place.keys)?;
        let mut terms = match &kept.frozen {
            None => terms(&desk, &kept.destination, policy)?,
            Some(frozen) => Terms {
                policy,
                decisions: Default::default(),
                settled: frozen.settled.clone(),
                approved: true,
                shared: desk.shared(&kept.destination)?,
            },
        };
        for (category, item, decision) in kept.frozen.iter().flat_map(|frozen| &frozen.decisions) {
            terms.decisions.insert((*category, item.clone()), *decision);
        }
        let mark = mark(&key, &kept.destination);
        let aliases = Numbers::new(mark, desk.aliases(&kept.destination)?);
        let words = OwnWords::new(key.clone(), words_now(&desk, &kept)?);
        let model = Model::new(base, terms, Scanner::new(words)?, key, aliases);
        let model = self.put(id, model);
        written(place.dir, id, &model)?;
        Ok(model)
    }

    /// The stage that is open, while it is what lies on the disk: another process may have decided, and written the file, since;
    /// another stage may have given aliases that this one does not know; and somebody may have changed the policy, or said another
    /// own word.
    fn current(&self, place: &Place<'_>, id: i64) -> Result<Option<Shared>> {
        let Some(open) = self.has(id) else {
            return Ok(None);
        };
        // With the model held: nobody here writes its file meanwhile.
        let model = lock(&open);
        let kept = kept(place.dir, id)?;
        let desk = Desk::open(place.dir)?;
        let holds = model.follows(&kept.sha256)
            && model.numbers.borrow().stored() == desk.count_aliases(&kept.destination)?
            && model.terms.policy == policy_now(place.dir, &kept)?
            && model.own_words() == words_now(&desk, &kept)?;
        drop(model);
        Ok(holds.then_some(open))
    }
}

/// What holds for a destination now.
pub(super) fn terms(desk: &Desk, destination: &str, policy: Option<Policy>) -> Result<Terms> {
    Ok(Terms {
        policy,
        decisions: desk.decisions(destination)?,
        settled: desk.settled(destination)?,
        approved: false,
        shared: desk.shared(destination)?,
    })
}

/// Removes a stage. What was decided stays remembered.
///
/// # Errors
/// [`crate::Error::NotFound`], [`crate::Error::Io`].
pub(crate) fn discard(dir: &Path, desks: &Desks, id: i64) -> Result<StageList> {
    kept(dir, id)?;
    desks.remove(id);
    let folder = folder(dir, id);
    fs::remove_dir_all(&folder).map_err(at(&folder))?;
    list(dir)
}
