//! Approving the bytes of a stage, and finding what was approved.

use std::collections::HashSet;
use std::io::Read;
use std::path::Path;

use flate2::read::MultiGzDecoder;

use super::approved::{Approved, Staged};
use super::bytes::whole;
use super::desk::Desk;
use super::folders::{folder, numbers};
use super::kept::{Frozen, Kept, keep_approved, kept, policy_now, policy_of, staged, words_now};
use super::look::shown_now;
use super::model::Model;
use super::open::{Desks, Place};
use super::shown;
use super::standing;
use super::view::Stage;
use crate::install::{at, unwritten};
use crate::lock::lock;
use crate::scan::{OwnWords, Rule, Scanner};
use crate::seal::FingerprintKey;
use crate::share::looked::each;
use crate::share::policy::Policy;
use crate::{Error, Result};

/// Approves a stage whose bytes have this hash. They are read from the file and looked at once more. `note` writes the row of the
/// ledger: before the stage counts as approved, so that none does without a row.
///
/// # Errors
/// [`Error::Refused`] if they are others, were changed, or hold something that looks like a secret and that nobody has decided
/// upon; those of `note`.
pub(crate) fn approve(
    place: &Place<'_>,
    desks: &Desks,
    id: i64,
    sha256: &str,
    note: impl FnOnce(&Stage) -> Result<()>,
) -> Result<Stage> {
    // Before the stage is opened, which has its bytes follow the policy as it is now.
    policy_holds(place.dir, id, &kept(place.dir, id)?)?;
    approved_by(place, desks, id, sha256, false, note)
}

/// Approves a stage that an approval in advance covers.
///
/// # Errors
/// [`Error::Refused`] where none does: it is over, the format has grown since, the destination is another by now, or the stage
/// tells more than numbers and names; as [`approve`].
pub(crate) fn approve_covered(
    place: &Place<'_>,
    desks: &Desks,
    id: i64,
    meant: &str,
    note: impl FnOnce(&Stage) -> Result<()>,
) -> Result<Stage> {
    let said = kept(place.dir, id)?;
    if said.approved.is_some() {
        return Err(Error::Refused(format!(
            "stage {id} is already approved: to send it again, approve it again yourself"
        )));
    }
    let sha256 = whole(place, desks, id)?.sha256;
    policy_holds(place.dir, id, &kept(place.dir, id)?)?;
    let model = desks.open(place, id)?;
    {
        let model = lock(&model);
        let desk = Desk::open(place.dir)?;
        standing::covers(&desk, &said, meant, &model.base.clusters, place.now)?;
        if model.told_more() {
            return Err(Error::Refused(format!(
                "stage {id} keeps values that its level would not share: approve it yourself"
            )));
        }
    }
    approved_by(place, desks, id, &sha256, true, note)
}

fn approved_by(
    place: &Place<'_>,
    desks: &Desks,
    id: i64,
    sha256: &str,
    standing: bool,
    note: impl FnOnce(&Stage) -> Result<()>,
) -> Result<Stage> {
    let model = desks.open(place, id)?;
    let staged = whole(place, desks, id)?;
    if staged.sha256 != sha256.trim() {
        return Err(Error::Refused(format!(
            "stage {id} has different bytes than the ones reviewed: their hash is {}",
            staged.sha256
        )));
    }
    let model = lock(&model);
    let mut said = kept(place.dir, id)?;
    if said.approved.is_some() {
        staged.open()?;
        words_hold(place.dir, &said, &staged)?;
        let stage = shown_now(place.dir, id, &said, &model)?;
        note(&stage)?;
        // The first time it may have failed, as where the disk was full.
        let last = Desk::open(place.dir)?.last_share(&said.destination)?;
        if last.is_none_or(|(_, noted)| Some(noted) < said.approved) {
            note_shared(place, &said, &model)?;
        }
        return Ok(stage);
    }
    is_current(place.dir, id, &said, &staged, &model)?;
    let open = shown::open_findings(&model);
    if open > 0 {
        return Err(Error::Refused(format!(
            "stage {id} has {open} possible secret{} without a decision",
            if open == 1 { "" } else { "s" }
        )));
    }
    shown::check(&model, &plain(&staged)?)?;
    let stage = shown_now(place.dir, id, &said, &model)?;
    said.approved = Some(place.now);
    said.standing = standing;
    said.frozen = Some(Frozen {
        decisions: model
            .terms
            .decisions
            .iter()
            .map(|((category, item), decision)| (*category, item.clone(), *decision))
            .collect(),
        settled: model.terms.settled.clone(),
        words: Some(model.own_words().to_vec()),
    });
    keep_approved(place.dir, id, &said, || note(&stage))
        .map_err(unwritten(&folder(place.dir, id)))?;
    note_shared(place, &said, &model)?;
    shown_now(place.dir, id, &said, &model)
}

/// What the next share is compared with: what this one told of each value, and the fields that it could tell.
fn note_shared(place: &Place<'_>, said: &Kept, model: &Model) -> Result<()> {
    let told = model
        .entries
        .iter()
        .map(|entry| (entry.item.as_str(), model.told_name(entry)));
    let fields: Vec<String> = model
        .base
        .fields
        .difference(&model.base.held)
        .cloned()
        .collect();
    let desk = Desk::open(place.dir)?;
    desk.note_shared(&said.destination, &said.sha256, place.now, told, &fields)
        .map_err(unwritten(place.dir))
}

/// That the bytes are what was decided last and the policy lets be, here and in any other Bobbin, and were looked through for all
/// own words. With the model held, so that nothing is decided in between.
///
/// # Errors
/// [`Error::Refused`]; those of reading the policy; [`Error::Sqlite`].
pub(super) fn is_current(
    dir: &Path,
    id: i64,
    said: &Kept,
    staged: &Staged,
    model: &Model,
) -> Result<()> {
    let who = if !model.follows(&staged.sha256) {
        "changed by another Bobbin"
    } else if model.is_stale() {
        "decided on"
    } else if model.terms.policy != policy_now(dir, said)? {
        "put under another policy"
    } else if model.own_words() != words_now(&Desk::open(dir)?, said)? {
        "affected by a change to your own words"
    } else {
        return Ok(());
    };
    Err(Error::Refused(format!(
        "stage {id} was just {who}: review it again"
    )))
}

/// What was approved with this hash, for whoever sends it.
///
/// # Errors
/// [`Error::NotFound`] where no approved stage has these bytes; [`Error::Refused`] if they were changed since, the policy is
/// stricter now, or they tell an own word that was said since; [`Error::Io`].
pub fn approved(dir: &Path, sha256: &str) -> Result<Approved> {
    let approvals = numbers(dir)?.into_iter().filter_map(|id| {
        let said = kept(dir, id).ok()?;
        let at = said.approved.filter(|_| said.sha256 == sha256)?;
        Some((at, id, said))
    });
    // Of stages with the same bytes, the one that was approved last: nobody knew more of them.
    let Some((at, id, said)) = approvals.max_by_key(|(at, id, _)| (*at, *id)) else {
        return Err(Error::NotFound {
            kind: "approved stage",
            id: sha256.chars().take(64).collect(),
        });
    };
    policy_holds(dir, id, &said)?;
    let staged = staged(dir, id, &said);
    staged.open()?;
    words_hold(dir, &said, &staged)?;
    Ok(Approved {
        staged,
        at,
        standing: said.standing,
    })
}

/// That the bytes of a stage may be saved as a file: if they are approved, they tell no own word that was said since.
///
/// # Errors
/// [`Error::NotFound`], [`Error::Refused`]; those of reading them.
pub(crate) fn may_be_saved(dir: &Path, id: i64) -> Result<()> {
    let said = kept(dir, id)?;
    match said.approved {
        None => Ok(()),
        Some(_) => words_hold(dir, &said, &staged(dir, id, &said)),
    }
}

/// That approved bytes tell no own word that was said since: they were not looked through for it.
///
/// # Errors
/// [`Error::Refused`] if they do; [`Error::TooLarge`] for a text that cannot be looked at; [`Error::Sqlite`], [`Error::Io`].
fn words_hold(dir: &Path, said: &Kept, staged: &Staged) -> Result<()> {
    let then = said.frozen.as_ref().and_then(|one| one.words.as_deref());
    let then = then.unwrap_or_default();
    let mut words = Desk::open(dir)?.words()?;
    words.retain(|word| !then.contains(word));
    if words.is_empty() {
        return Ok(());
    }
    let scanner = Scanner::new(OwnWords::new(FingerprintKey::load_or_make(dir)?, words))?;
    // Most texts stand there many times.
    let mut seen = HashSet::<String>::new();
    for line in plain(staged)?.lines() {
        each(&serde_json::from_str(line)?, "", &mut |_, text| {
            if seen.contains(text) {
                return Ok(());
            }
            seen.insert(text.to_owned());
            let found = scanner.scan(text)?;
            match found.iter().any(|one| one.rule == Rule::OwnWord) {
                false => Ok(()),
                true => Err(Error::Refused(format!(
                    "stage {} contains one of your own words that you added after you approved it: stage its clusters again",
                    staged.id
                ))),
            }
        })?;
    }
    Ok(())
}

/// That nothing of a stage is forbidden since its bytes were written.
///
/// # Errors
/// [`Error::Refused`], which says what is; those of reading the policy.
fn policy_holds(dir: &Path, id: i64, said: &Kept) -> Result<()> {
    let path = dir.join(crate::share::POLICY);
    let now = Policy::read(&path)?;
    let mut stricter = Policy::stricter(policy_of(dir, said)?.as_ref(), now.as_ref());
    // What was read from the store for a level stays what it is; values follow the policy when the stage is opened.
    let wider = now.is_some_and(|now| now.narrowed(said.choice) != said.choice);
    if wider && stricter.is_empty() {
        stricter.push("the stage shares more than its level or identities allow".into());
    }
    if stricter.is_empty() {
        return Ok(());
    }
    let (since, next) = match said.approved {
        None if !wider => ("written", "review it again: it now follows the policy"),
        None => ("written", "stage its clusters again"),
        Some(_) => ("approved", "stage its clusters again"),
    };
    Err(Error::Refused(format!(
        "{} was changed since stage {id} was {since}: {}; {next}",
        path.display(),
        stricter.join(", ")
    )))
}

/// What the staged file unpacks to.
fn plain(staged: &Staged) -> Result<String> {
    let mut text = String::new();
    MultiGzDecoder::new(staged.open()?)
        .take(4 << 30)
        .read_to_string(&mut text)
        .map_err(at(&staged.path))?;
    Ok(text)
}
