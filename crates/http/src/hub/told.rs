//! Which bundle tells a cluster that several members share. It is the one that knows most, as long as it tells all that whoever
//! shared the cluster first does, with the same numbers: nobody changes what somebody else shared, and nobody takes it away.
//!
//! ```text
//! of each member      the bundle that knows the latest of it; of several, the one that was shared last
//! the first member's  tells it
//! each member's next  tells it from then on, if it tells all that the one before does, and more
//! ```
//!
//! This follows from the bundles that are here and their order in the audit, so it is the same after a restart and after a recall.
//! How two bundles stand to each other never changes: what was found is kept in `compared.json`, and found again if that is gone.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard};

use bobbin_core::api::{self, Telling};
use bobbin_core::install::write_private;
use bobbin_core::lock::lock;
use bobbin_core::model::Micros;
use bobbin_core::share::{Contained, Contradiction, Identities};
use bobbin_core::{Error, Result};
use serde::{Deserialize, Serialize};

use super::account::Account;
use super::state::Bundle;

/// By which bundles are compared: another number where that changes, so that what was found by others is found again.
const RULES: u32 = 2;
/// What separates a bundle from the member for whom it tells a cluster.
const FOR: &str = " for ";

/// Whether a file is no bundle, as one that was damaged on the disk: then the account goes on without it.
fn is_of_the_file(error: &Error) -> bool {
    matches!(error, Error::Invalid { .. } | Error::TooLarge { .. })
}

/// A bundle by its SHA-256.
pub type Known = (String, Bundle);

/// Who tells a cluster.
#[derive(Clone, Debug, PartialEq)]
pub struct Teller {
    /// The bundle, by its SHA-256.
    pub sha256: String,
    /// The member who shared it first: it is theirs.
    pub first: String,
    /// The bundle of that member.
    first_sha256: String,
    /// Who shared the bundle that tells it.
    pub member: String,
    /// Bundles that contradict it.
    pub contradict: BTreeMap<String, Contradiction>,
}

impl Teller {
    /// As the store notes it.
    fn noted(&self) -> String {
        match self.first == self.member {
            true => self.sha256.clone(),
            false => format!("{}{FOR}{}", self.sha256, self.first),
        }
    }
}

/// The bundle of what the store notes.
fn bundle_of(noted: &str) -> &str {
    noted.split_once(FOR).map_or(noted, |(sha256, _)| sha256)
}

/// What is remembered of the bundles of one account.
pub struct Tellers {
    path: PathBuf,
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    /// Of clusters that several bundles have.
    shared: BTreeMap<String, Teller>,
    compared: BTreeMap<Pair, Contained>,
    changed: bool,
    manifests: BTreeMap<String, Manifest>,
}

/// What is kept of it in a file.
#[derive(Serialize, Deserialize)]
struct Kept {
    rules: u32,
    found: Vec<(Pair, Contained)>,
}

/// Two bundles, and the cluster that both have.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct Pair {
    first: String,
    other: String,
    cluster: String,
}

/// What a bundle says of itself.
struct Manifest {
    until: BTreeMap<String, Micros>,
    identities: Identities,
}

impl Tellers {
    /// Those of the account in a folder.
    pub fn open(path: PathBuf) -> Self {
        let text = fs::read(&path).ok();
        let kept: Option<Kept> = text.and_then(|text| serde_json::from_slice(&text).ok());
        let kept = kept.filter(|kept| kept.rules == RULES);
        Self {
            path,
            inner: Mutex::new(Inner {
                compared: kept.map_or_else(BTreeMap::new, |kept| kept.found.into_iter().collect()),
                ..Inner::default()
            }),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        lock(&self.inner)
    }

    /// Of the clusters that several bundles have, who tells each.
    pub fn shared(&self) -> BTreeMap<String, Teller> {
        self.lock().shared.clone()
    }

    /// Writes down what was found since, and forgets what is of bundles that are gone.
    fn keep(&self, here: &BTreeSet<&String>) -> Result<()> {
        let mut inner = self.lock();
        let before = inner.compared.len();
        inner
            .compared
            .retain(|pair, _| here.contains(&pair.first) && here.contains(&pair.other));
        inner.manifests.retain(|sha256, _| here.contains(sha256));
        if !inner.changed && inner.compared.len() == before {
            return Ok(());
        }
        let found = inner.compared.iter();
        let kept = Kept {
            rules: RULES,
            found: found
                .map(|(pair, how)| (pair.clone(), how.clone()))
                .collect(),
        };
        write_private(&self.path, &serde_json::to_vec(&kept)?)?;
        inner.changed = false;
        Ok(())
    }
}

impl Account {
    /// The bundles that are here, in the order in which they came.
    pub(super) fn all_here(&self) -> Vec<Known> {
        let state = self.state();
        let here = state.here();
        here.map(|(sha256, bundle)| (sha256.clone(), bundle.clone()))
            .collect()
    }

    /// Has the store tell these clusters as these bundles do, and no others. Where `anew`, what is told otherwise is removed first, and nothing
    /// of it stays.
    ///
    /// # Errors
    /// [`bobbin_core::Error::Busy`] where a removal takes long; those of the store and of the disk.
    pub(super) fn tell(
        &self,
        clusters: &BTreeSet<String>,
        here: &[Known],
        anew: bool,
    ) -> Result<()> {
        let tellers = self.tellers(clusters, here)?;
        let ids: Vec<String> = clusters.iter().cloned().collect();
        let mut noted = api::told_by(&self.app, &ids)?;
        let known: BTreeSet<&String> = here.iter().map(|(sha256, _)| sha256).collect();
        let is_told = |id: &String, noted: &Option<String>| {
            let teller = tellers.get(id);
            teller.is_some_and(|(teller, _)| noted.as_ref() == Some(&teller.noted()))
        };
        // An earlier version noted nothing, and where one bundle has it there is nothing to decide.
        let mut of_one: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (id, noted) in &mut noted {
            if let (None, Some((teller, true))) = (noted.as_ref(), tellers.get(id)) {
                *noted = Some(teller.noted());
                of_one.entry(teller.noted()).or_default().push(id.clone());
            }
        }
        for (by, ids) in of_one {
            api::note_told_by(&self.app, &by, &ids)?;
        }
        let gone: Vec<String> = noted
            .iter()
            .filter(|(id, noted)| {
                let of_none = noted
                    .as_deref()
                    .is_none_or(|noted| !known.contains(&bundle_of(noted).to_owned()));
                !is_told(id, noted) && (anew || of_none || !tellers.contains_key(*id))
            })
            .map(|(id, _)| id.clone())
            .collect();
        api::remove_taken(&self.app, &gone)?;
        noted.retain(|id, _| !gone.contains(id));
        let absent: Vec<String> = ids
            .iter()
            .filter(|id| tellers.contains_key(*id) && !noted.contains_key(*id))
            .cloned()
            .collect();
        let mut wanted: BTreeSet<String> =
            api::not_taken(&self.app, &absent)?.into_iter().collect();
        let others = noted.iter().filter(|(id, noted)| !is_told(id, noted));
        wanted.extend(others.map(|(id, _)| id.clone()));
        let mut takes: BTreeMap<&String, BTreeMap<String, Telling>> = BTreeMap::new();
        for id in wanted {
            if let Some((teller, _)) = tellers.get(&id) {
                let telling = self.telling(teller)?;
                takes.entry(&teller.sha256).or_default().insert(id, telling);
            }
        }
        for (sha256, clusters) in takes {
            if !self.bundle_path(sha256).exists() {
                tracing::error!(account = self.id, sha256, "the file of a bundle is gone");
                continue;
            }
            api::take_for(&self.app, &self.bundle_path(sha256), &clusters)?;
        }
        {
            let mut inner = self.tellers.lock();
            for id in clusters {
                match tellers.get(id) {
                    Some((teller, false)) => inner.shared.insert(id.clone(), teller.clone()),
                    _ => inner.shared.remove(id),
                };
            }
        }
        self.tellers.keep(&known)
    }

    /// Of these clusters, which bundle tells each, and whether it is the only one that has it.
    fn tellers(
        &self,
        clusters: &BTreeSet<String>,
        here: &[Known],
    ) -> Result<BTreeMap<String, (Teller, bool)>> {
        let mut having: BTreeMap<&String, Vec<&Known>> = BTreeMap::new();
        for one in here {
            for id in one.1.clusters.iter().filter(|id| clusters.contains(*id)) {
                having.entry(id).or_default().push(one);
            }
        }
        // Bundles are opened whole to be compared: those that are compared for several clusters, once.
        let mut open: BTreeMap<(&String, &String), Vec<String>> = BTreeMap::new();
        let mut bests = BTreeMap::new();
        for (id, bundles) in &having {
            if let [only] = bundles.as_slice() {
                bests.insert(*id, vec![*only]);
                continue;
            }
            let each = self.best_of_each(id, bundles)?;
            if let Some((first, rest)) = each.split_first() {
                for other in rest {
                    let pair = (&first.0, &other.0);
                    open.entry(pair).or_default().push((*id).clone());
                }
            }
            bests.insert(*id, each);
        }
        // Most contain what the first one tells, or do not: these are found together.
        for ((first, other), ids) in open {
            self.compare(first, other, &ids)?;
        }
        let mut found = BTreeMap::new();
        for (id, each) in bests {
            let Some(((sha256, bundle), rest)) = each.split_first() else {
                continue;
            };
            let mut teller = Teller {
                sha256: sha256.clone(),
                first: bundle.member.clone(),
                first_sha256: sha256.clone(),
                member: bundle.member.clone(),
                contradict: BTreeMap::new(),
            };
            for (sha256, bundle) in rest {
                match self.compared(&teller.sha256, sha256, id)? {
                    Contained::Whole => {
                        teller.sha256.clone_from(sha256);
                        teller.member.clone_from(&bundle.member);
                    }
                    Contained::NotWhole => {}
                    Contained::Contradicts(what) => {
                        teller.contradict.insert(sha256.clone(), what);
                    }
                }
            }
            let only = having.get(id).is_some_and(|bundles| bundles.len() == 1);
            found.insert(id.clone(), (teller, only));
        }
        Ok(found)
    }

    /// Of the bundles that have a cluster, the one of each member that counts, in the order in which the members shared it first.
    fn best_of_each<'a>(&self, id: &str, bundles: &[&'a Known]) -> Result<Vec<&'a Known>> {
        let mut best: Vec<(&Known, Option<Micros>)> = Vec::new();
        for &one in bundles {
            // One whose file is gone, or is no bundle any more, is held against none.
            let Some(until) = self.until(&one.0, id)? else {
                continue;
            };
            let own = best
                .iter_mut()
                .find(|(other, _)| other.1.member == one.1.member);
            match own {
                // They come in the order in which they were shared.
                Some(own) if own.1 <= Some(until) => *own = (one, Some(until)),
                Some(_) => {}
                None => best.push((one, Some(until))),
            }
        }
        match best.is_empty() {
            true => Ok(bundles.iter().take(1).copied().collect()),
            false => Ok(best.into_iter().map(|(one, _)| one).collect()),
        }
    }

    /// Up to when a bundle knows of a cluster.
    fn until(&self, sha256: &str, id: &str) -> Result<Option<Micros>> {
        if !self.bundle_path(sha256).exists() {
            return Ok(None);
        }
        match self.of_manifest(sha256, |manifest| manifest.until.get(id).copied()) {
            Err(error) if is_of_the_file(&error) => {
                tracing::error!(account = self.id, sha256, %error, "a bundle cannot be read");
                Ok(None)
            }
            read => read,
        }
    }

    fn of_manifest<T>(&self, sha256: &str, of: impl FnOnce(&Manifest) -> T) -> Result<T> {
        let mut inner = self.tellers.lock();
        if !inner.manifests.contains_key(sha256) {
            let said = api::manifest(&self.bundle_path(sha256))?;
            let each = said.clusters.into_iter();
            let manifest = Manifest {
                until: each.map(|one| (one.cluster_id, one.as_of_micros)).collect(),
                identities: said.choice.identities,
            };
            inner.manifests.insert(sha256.into(), manifest);
        }
        Ok(of(&inner.manifests[sha256]))
    }

    /// How the store is to have a cluster.
    fn telling(&self, teller: &Teller) -> Result<Telling> {
        Ok(Telling {
            by: teller.noted(),
            person: self.state().name_of(&teller.first),
            // It stays whose it was, whoever tells more of it.
            always: teller.first != teller.member
                && self.of_manifest(&teller.first_sha256, |said| {
                    said.identities == Identities::Aliases
                })?,
        })
    }

    fn compared(&self, first: &str, other: &str, id: &str) -> Result<Contained> {
        let pair = Pair {
            first: first.into(),
            other: other.into(),
            cluster: id.into(),
        };
        self.compare(first, other, &[id.to_owned()])?;
        let inner = self.tellers.lock();
        let found = inner.compared.get(&pair).cloned();
        Ok(found.unwrap_or(Contained::NotWhole))
    }

    fn compare(&self, first: &str, other: &str, ids: &[String]) -> Result<()> {
        let pair = |id: &String| Pair {
            first: first.into(),
            other: other.into(),
            cluster: id.clone(),
        };
        let unknown: Vec<String> = {
            let inner = self.tellers.lock();
            let new = ids
                .iter()
                .filter(|id| !inner.compared.contains_key(&pair(id)));
            new.cloned().collect()
        };
        if unknown.is_empty() {
            return Ok(());
        }
        let (one, two) = (self.bundle_path(first), self.bundle_path(other));
        let found = match api::contained(&one, &two, &unknown) {
            Err(error) if is_of_the_file(&error) => {
                tracing::error!(account = self.id, first, other, %error, "two bundles cannot be compared");
                return Ok(());
            }
            found => found?,
        };
        let mut inner = self.tellers.lock();
        inner.changed = true;
        for (id, how) in found {
            inner.compared.insert(pair(&id), how);
        }
        Ok(())
    }
}
