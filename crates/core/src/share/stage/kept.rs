//! What is kept of a stage beside its bytes, and the policy that they follow.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::approved::Staged;
use super::desk::Desk;
use super::folders::{folder, numbers};
use super::view::{Category, Decision, FindingState, StageList, StageRow};
use crate::install::{at, write_private};
use crate::model::Micros;
use crate::scan::OwnWord;
use crate::share::Choice;
use crate::share::policy::Policy;
use crate::system::sync_folder;
use crate::{Error, Result};

/// What the bytes are made from.
pub(super) const BASE: &str = "base";
pub(super) const BUNDLE: &str = "bundle.bobbin";
const KEPT: &str = "stage.json";
/// What is to be kept once the ledger has the row of the approval.
const READY: &str = "stage.json.approved";

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
    pub(super) policy: Option<String>,
    /// What had been decided, and was looked for, when it was approved.
    #[serde(default)]
    pub(super) frozen: Option<Frozen>,
}

#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Frozen {
    pub(super) decisions: Vec<(Category, String, Decision)>,
    pub(super) settled: BTreeMap<String, FindingState>,
    /// The own words that were looked for. None in stages of versions that did not note them.
    #[serde(default)]
    pub(super) words: Option<Vec<OwnWord>>,
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

/// The same of a stage that is approved. `note` writes the row of the ledger when what is to be kept is on the disk, and before the
/// stage counts as approved: where there is no room for one of both, there is neither.
///
/// # Errors
/// [`Error::Io`], [`Error::DiskFull`]; those of `note`.
pub(super) fn keep_approved(
    dir: &Path,
    id: i64,
    kept: &Kept,
    note: impl FnOnce() -> Result<()>,
) -> Result<()> {
    let folder = folder(dir, id);
    let (path, ready) = (folder.join(KEPT), folder.join(READY));
    write_private(&ready, &serde_json::to_vec(kept)?)?;
    let approved = note().and_then(|()| fs::rename(&ready, &path).map_err(at(&path)));
    if approved.is_err() {
        let _ = fs::remove_file(&ready);
        return approved;
    }
    sync_folder(&folder).map_err(at(&folder))
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

/// The policy that a stage follows from now on. What was approved stays under the one that it was approved under.
pub(super) fn policy_now(dir: &Path, kept: &Kept) -> Result<Option<Policy>> {
    match &kept.frozen {
        None => Policy::read(&dir.join(crate::share::POLICY)),
        Some(_) => policy_of(dir, kept),
    }
}

/// The own words that a stage is looked through for from now on. What was approved stays as it was looked through then.
pub(super) fn words_now(desk: &Desk, kept: &Kept) -> Result<Vec<OwnWord>> {
    let then = kept.frozen.as_ref().and_then(|one| one.words.clone());
    then.map_or_else(|| desk.words(), Ok)
}

/// The policy that the bytes of a stage follow.
pub(super) fn policy_of(dir: &Path, said: &Kept) -> Result<Option<Policy>> {
    let path = dir.join(crate::share::POLICY).display().to_string();
    let text = said.policy.as_deref();
    text.map(|text| Policy::parse(&path, text)).transpose()
}
