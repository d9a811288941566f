//! Stages on the disk, and those that are being looked at.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::approved::Staged;
use super::ask::{
    ClusterLevel, DecideRequest, StageClustersRequest, StageItemsRequest, StageTextRequest,
    StageWholeRequest,
};
use super::base::{Base, Wanted};
use super::desk::Desk;
use super::folders::{folder, fresh_number, numbers};
use super::model::{Filing, Model, Terms};
use super::settings;
use super::shown;
use super::view::{
    Category, Decision, FindingState, Stage, StageBytes, StageFindings, StageItems, StageList,
    StageRow, StageText, StageWhole,
};
use crate::install::{at, create_private, write_private};
use crate::model::Micros;
use crate::seal::{FingerprintKey, Keys};
use crate::share::aliases::{Numbers, mark};
use crate::share::bundle::{Draft, member};
use crate::share::policy::Policy;
use crate::share::{Choice, Snapshot, fields};
use crate::system::read_exact_at;
use crate::{Error, Result};

const BASE: &str = "base";
const BUNDLE: &str = "bundle.bobbin";
const KEPT: &str = "stage.json";
/// Letters of a destination's name.
const NAME: usize = 200;
/// Stages that are kept open.
const OPEN: usize = 2;
/// Nobody decides for so long before the file is made anew: who goes through many values waits for no disk in between.
const SETTLED: Duration = Duration::from_millis(300);
/// Bytes of a piece of the staged file.
const PIECE: u64 = 1 << 20;

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

/// Held while a stage's file is written: the one that lies half-written beside it is one.
static WRITING: Mutex<()> = Mutex::new(());

type Shared = Arc<Mutex<Model>>;

/// What is kept of a stage, beside its bytes.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Kept {
    pub(super) destination: String,
    pub(super) choice: Choice,
    pub(super) staged: Micros,
    pub(super) clusters: u64,
    pub(super) bytes: u64,
    pub(super) sha256: String,
    pub(super) approved: Option<Micros>,
    #[serde(default)]
    pub(super) standing: bool,
    /// Whether the policy proposed its clusters, and nobody named them one by one.
    #[serde(default)]
    pub(super) proposed: bool,
    /// The policy that the bytes follow, as its file had it.
    policy: Option<String>,
    /// What had been decided when it was approved.
    #[serde(default)]
    pub(super) frozen: Option<Frozen>,
}

#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Frozen {
    pub(super) decisions: Vec<(Category, String, Decision)>,
    pub(super) settled: BTreeMap<String, FindingState>,
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(super) fn kept(dir: &Path, id: i64) -> Result<Kept> {
    let path = folder(dir, id).join(KEPT);
    match fs::read(&path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Err(Error::NotFound {
            kind: "stage",
            id: id.to_string(),
        }),
        Err(error) => Err(at(&path)(error)),
        Ok(text) => Ok(serde_json::from_slice(&text)?),
    }
}

pub(super) fn keep(dir: &Path, id: i64, kept: &Kept) -> Result<()> {
    write_private(&folder(dir, id).join(KEPT), &serde_json::to_vec(kept)?)
}

pub(super) fn staged(dir: &Path, id: i64, kept: &Kept) -> Staged {
    Staged {
        id,
        destination: kept.destination.clone(),
        path: folder(dir, id).join(BUNDLE),
        bytes: kept.bytes,
        sha256: kept.sha256.clone(),
    }
}

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
    let model = modelled(place, request, snapshot)?;
    let id = fresh_number(place.dir)?;
    let folder = folder(place.dir, id);
    model.base.save(&folder.join(BASE), place.keys)?;
    keep(
        place.dir,
        id,
        &Kept {
            destination: model.base.destination.clone(),
            choice: model.base.choice,
            staged: place.now,
            clusters: model.base.clusters.len() as u64,
            bytes: 0,
            sha256: String::new(),
            approved: None,
            standing: false,
            proposed: request.proposed,
            policy: None,
            frozen: None,
        },
    )?;
    let model = desks.put(id, model);
    if let Err(error) = written(place.dir, id, &model) {
        desks.remove(id);
        let _ = fs::remove_dir_all(&folder);
        return Err(error);
    }
    view(place, desks, id)
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

fn terms(desk: &Desk, destination: &str, policy: Option<Policy>) -> Result<Terms> {
    Ok(Terms {
        policy,
        decisions: desk.decisions(destination)?,
        settled: desk.settled(destination)?,
        shared: desk.shared(destination)?,
    })
}

impl Desks {
    fn put(&self, id: i64, model: Model) -> Shared {
        let model = Arc::new(Mutex::new(model));
        let mut open = lock(&self.open);
        open.retain(|(other, _)| *other != id);
        if open.len() >= OPEN {
            open.remove(0);
        }
        open.push((id, Arc::clone(&model)));
        model
    }

    fn remove(&self, id: i64) {
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
                shared: desk.shared(&kept.destination)?,
            },
        };
        for (category, item, decision) in kept.frozen.iter().flat_map(|frozen| &frozen.decisions) {
            terms.decisions.insert((*category, item.clone()), *decision);
        }
        let mark = mark(&key, &kept.destination);
        let aliases = Numbers::new(mark, desk.aliases(&kept.destination)?);
        let model = Model::new(base, terms, settings::scanner(&desk, &key)?, key, aliases);
        let model = self.put(id, model);
        written(place.dir, id, &model)?;
        Ok(model)
    }

    /// The stage that is open, while it is what lies on the disk: another process may have decided, and written the file, since;
    /// another stage may have given aliases that this one does not know; and somebody may have changed the policy.
    fn current(&self, place: &Place<'_>, id: i64) -> Result<Option<Shared>> {
        let Some(open) = self.has(id) else {
            return Ok(None);
        };
        // With the model held: nobody here writes its file meanwhile.
        let model = lock(&open);
        let kept = kept(place.dir, id)?;
        let aliases = Desk::open(place.dir)?.count_aliases(&kept.destination)?;
        let holds = model.follows(&kept.sha256)
            && model.numbers.borrow().stored() == aliases
            && model.terms.policy == policy_now(place.dir, &kept)?;
        drop(model);
        Ok(holds.then_some(open))
    }
}

/// The policy that a stage follows from now on. What was approved stays under the one that it was approved under.
pub(super) fn policy_now(dir: &Path, kept: &Kept) -> Result<Option<Policy>> {
    match &kept.frozen {
        None => Policy::read(&dir.join(crate::share::POLICY)),
        Some(_) => policy_of(dir, kept),
    }
}

/// Makes what a decision changed anew, batch by batch, then the file. Whoever asks meanwhile waits for one batch at most, and
/// not for the disk. An approved stage stays as it is.
fn written(dir: &Path, id: i64, model: &Mutex<Model>) -> Result<()> {
    let path = folder(dir, id).join(BUNDLE);
    loop {
        let stale = lock(model).stale();
        if let Some((place, version, plain)) = stale {
            let packed = member(&plain).map_err(at(&path))?;
            lock(model).take(place, version, plain, packed);
            continue;
        }
        let _writing = lock(&WRITING);
        let filing = {
            let model = lock(model);
            match (model.is_stale(), model.is_made()) {
                (false, _) => return Ok(()),
                (true, false) => continue,
                (true, true) => model.filing(),
            }
        };
        let draft = drafted(&path, &filing)?;
        let mut model = lock(model);
        // What was decided meanwhile makes it one of before.
        if model.version() == filing.version {
            let sha256 = put_in_place(dir, id, &model, draft)?;
            model.filed(sha256);
            return Ok(());
        }
    }
}

/// The whole file beside its place, on the disk.
pub(super) fn drafted(path: &Path, filing: &Filing) -> Result<Draft> {
    let mut draft = Draft::new(path, ".partial")?;
    let manifest = serde_json::to_string(&filing.manifest)? + "\n";
    draft.add(&member(&manifest).map_err(at(path))?)?;
    for packed in &filing.batches {
        draft.add(packed)?;
    }
    draft.sync()?;
    Ok(draft)
}

/// The hash of the file that stands there then.
fn put_in_place(dir: &Path, id: i64, model: &Model, draft: Draft) -> Result<String> {
    let mut said = kept(dir, id)?;
    if said.approved.is_some() {
        return Ok(said.sha256);
    }
    let desk = Desk::open(dir)?;
    desk.add_aliases(&said.destination, &model.numbers.borrow_mut().take_fresh())?;
    let path = folder(dir, id).join(BUNDLE);
    match fs::remove_file(&path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(at(&path)(error)),
        _ => {}
    }
    let (bytes, sha256) = draft.finish(&path)?;
    said.bytes = bytes;
    said.sha256.clone_from(&sha256);
    said.policy = model.terms.policy.as_ref().map(|one| one.text().to_owned());
    keep(dir, id, &said)?;
    Ok(sha256)
}

/// What the desk shows of a stage.
///
/// # Errors
/// [`Error::NotFound`]; [`Error::Locked`] where the key that opens it is not here.
pub(crate) fn view(place: &Place<'_>, desks: &Desks, id: i64) -> Result<Stage> {
    let model = desks.open(place, id)?;
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
/// As [`view`]; [`Error::NotFound`] for a value or a line that it has not.
pub(crate) fn whole_text(
    place: &Place<'_>,
    desks: &Desks,
    request: &StageWholeRequest,
) -> Result<StageWhole> {
    let model = desks.open(place, request.id)?;
    let model = lock(&model);
    shown::whole(&model, request)
}

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
                lock(&open).failed = true;
            }
            done();
        })
        .map_err(at(place.dir))?;
    decided
}

/// All stages, the newest first.
///
/// # Errors
/// [`Error::Io`].
pub(crate) fn list(dir: &Path) -> Result<StageList> {
    let mut stages = Vec::new();
    for id in numbers(dir)?.into_iter().rev() {
        // One that is being removed or written is not in the list.
        let Ok(said) = kept(dir, id) else { continue };
        stages.push(StageRow {
            id,
            destination: said.destination,
            choice: said.choice,
            staged_micros: said.staged,
            clusters: said.clusters,
            bytes: said.bytes,
            sha256: said.sha256,
            approved_micros: said.approved,
        });
    }
    Ok(StageList { stages })
}

/// Removes a stage. What was decided stays remembered.
///
/// # Errors
/// [`Error::NotFound`], [`Error::Io`].
pub(crate) fn discard(dir: &Path, desks: &Desks, id: i64) -> Result<StageList> {
    kept(dir, id)?;
    desks.remove(id);
    let folder = folder(dir, id);
    fs::remove_dir_all(&folder).map_err(at(&folder))?;
    list(dir)
}

/// Copies the staged file to a new one: byte for byte what would be sent.
///
/// # Errors
/// [`Error::Refused`] where the file exists, or while the stage is written; [`Error::Io`].
pub(crate) fn save(place: &Place<'_>, desks: &Desks, id: i64, path: &Path) -> Result<()> {
    let stage = whole(place, desks, id)?;
    if !path.is_absolute() {
        return Err(Error::Invalid {
            what: "path",
            value: path.display().to_string(),
            reason: "use the full path, from / on".into(),
        });
    }
    let mut from = stage.open()?;
    let mut to = create_private(path)?;
    std::io::copy(&mut from, &mut to)
        .and_then(|_| to.sync_all())
        .map_err(at(path))
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

/// The policy that the bytes of a stage follow.
pub(super) fn policy_of(dir: &Path, said: &Kept) -> Result<Option<Policy>> {
    let path = dir.join(crate::share::POLICY).display().to_string();
    let text = said.policy.as_deref();
    text.map(|text| Policy::parse(&path, text)).transpose()
}
