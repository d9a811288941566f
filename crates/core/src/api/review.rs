//! The review desk.

use std::path::Path;

use super::demo::refuse_samples;
use super::ledger::policy_in_force;
use super::{App, Empty};
use crate::install::put_written;
use crate::ledger::{A_FILE, Entry, Kind, Ledger, Pinned};
use crate::share::stage::{
    self, AliasMap, AliasesRequest, ApproveRequest, DecideRequest, OwnWords, OwnWordsRequest,
    Place, SaveStageRequest, SharingRules, Stage, StageBytes, StageBytesRequest,
    StageClustersRequest, StageFindings, StageItems, StageItemsRequest, StageList, StageRequest,
    StageText, StageTextRequest, StageWhole, StageWholeRequest, StandingRequest,
};
use crate::{Error, Result};

pub(super) fn place(app: &App) -> Place<'_> {
    Place {
        dir: app.dir(),
        keys: app.keys(),
        now: app.now(),
    }
}

pub(super) fn stage_clusters(app: &App, request: StageClustersRequest) -> Result<Stage> {
    refuse_samples(app, &request.ids)?;
    policy_in_force(app)?;
    stage::stage(&place(app), app.desks(), &request, &|question| {
        app.read_long(question)
    })
}

pub(super) fn stages(app: &App, _: Empty) -> Result<StageList> {
    stage::list(app.dir())
}

pub(super) fn stage(app: &App, request: StageRequest) -> Result<Stage> {
    stage::view(&place(app), app.desks(), request.id)
}

pub(super) fn stage_items(app: &App, request: StageItemsRequest) -> Result<StageItems> {
    stage::items(&place(app), app.desks(), &request)
}

pub(super) fn stage_findings(app: &App, request: StageRequest) -> Result<StageFindings> {
    stage::findings(&place(app), app.desks(), request.id)
}

/// What was decided is seen at once; pages are told when the bytes are there.
pub(super) fn decide_stage(app: &App, request: DecideRequest) -> Result<Stage> {
    let told = app.clone();
    stage::decide(&place(app), app.desks(), &request, move || {
        told.tell(Vec::new());
    })
}

pub(super) fn stage_text(app: &App, request: StageTextRequest) -> Result<StageText> {
    stage::text(&place(app), app.desks(), &request)
}

pub(super) fn stage_whole(app: &App, request: StageWholeRequest) -> Result<StageWhole> {
    stage::whole_text(&place(app), app.desks(), &request)
}

/// A page that saves a stage asks for its pieces from the beginning: that is an export, and a row of the ledger before a byte
/// of it is handed out.
pub(super) fn stage_bytes(app: &App, request: StageBytesRequest) -> Result<StageBytes> {
    let piece = stage::piece(&place(app), app.desks(), request.id, request.offset)?;
    if request.offset == 0 {
        note_copy(app, request.id, &piece.sha256, "a file saved from the page")?;
    }
    Ok(piece)
}

/// Waits until the bytes of a stage follow what was decided.
///
/// # Errors
/// [`crate::Error::NotFound`], [`crate::Error::Locked`], [`crate::Error::Io`].
pub fn stage_written(app: &App, id: i64) -> Result<()> {
    stage::settle(&place(app), app.desks(), id)
}

pub(super) fn save_stage(app: &App, request: SaveStageRequest) -> Result<Stage> {
    let (id, path) = (request.id, Path::new(&request.path));
    if !path.is_absolute() {
        return Err(Error::Invalid {
            what: "path",
            value: request.path.clone(),
            reason: "use the full path, from / on".into(),
        });
    }
    let write = |beside: &Path| stage::save(&place(app), app.desks(), id, beside);
    put_written(path, write, |sha256| {
        note_copy(app, id, &sha256, &request.path)
    })
}

/// The row of the ledger for a copy of the bytes with this hash. What was decided since they were read is not in them.
///
/// # Errors
/// [`Error::Refused`] where something was, or where approved bytes tell an own word that was said since; those of [`note`].
fn note_copy(app: &App, id: i64, sha256: &str, to: &str) -> Result<Stage> {
    let stage = stage(app, StageRequest { id })?;
    if stage.sha256.as_deref() != Some(sha256) {
        return Err(Error::Refused(format!(
            "stage {id} was just decided on: save it again"
        )));
    }
    stage::may_be_saved(app.dir(), id)?;
    note(app, Kind::Export, &stage, to)?;
    Ok(stage)
}

/// The row of the ledger is there before the stage counts as approved. It names what the bytes are for: the account that was
/// joined and its hub, whatever is called so later; or a file, by which nothing is sent.
pub(super) fn approve_stage(app: &App, request: ApproveRequest) -> Result<Stage> {
    let note = |approved: &Stage| {
        let to = match request.to_save {
            true => A_FILE.to_owned(),
            false => Pinned::meant(app.dir(), &approved.destination)?,
        };
        note(app, Kind::Approved, approved, &to)
    };
    stage::approve(&place(app), app.desks(), request.id, &request.sha256, note)
}

/// Approves a stage that an approval in advance covers, with nobody looking.
///
/// # Errors
/// [`crate::Error::Refused`] where none does.
pub fn approve_covered(app: &App, id: i64) -> Result<Stage> {
    let destination = stage(app, StageRequest { id })?.destination;
    let meant = Pinned::meant(app.dir(), &destination)?;
    let note = |approved: &Stage| note(app, Kind::Approved, approved, &meant);
    stage::approve_covered(&place(app), app.desks(), id, &meant, note)
}

fn note(app: &App, kind: Kind, stage: &Stage, to: &str) -> Result<()> {
    let clusters = stage.clusters.len();
    let what = format!(
        "stage {}: {clusters} cluster{}",
        stage.id,
        if clusters == 1 { "" } else { "s" }
    );
    let entry = Entry::new(kind, what).to(to).about(
        stage.sha256.as_deref().unwrap_or_default(),
        stage.bytes.unwrap_or_default(),
    );
    let entry = telling(app, entry, stage)?;
    Ledger::of(app.dir()).append(app.now(), &entry).map(drop)
}

/// With the policy in force, and what of a stage is told.
pub(super) fn telling(app: &App, entry: Entry, stage: &Stage) -> Result<Entry> {
    let told = stage.categories.iter().filter_map(|one| {
        let how = match (one.kept, one.masked) {
            (0, 0) => return None,
            (0, _) => " (masked)",
            (_, 0) => "",
            _ => " (some masked)",
        };
        Some(format!("{}{how}", one.category.word()))
    });
    Ok(entry
        .under(policy_in_force(app)?)
        .telling(stage.choice.level.word())
        .of_categories(told.collect()))
}

pub(super) fn discard_stage(app: &App, request: StageRequest) -> Result<StageList> {
    stage::discard(app.dir(), app.desks(), request.id)
}

pub(super) fn sharing_rules(app: &App, _: Empty) -> Result<SharingRules> {
    stage::rules(app.dir(), app.now(), &|destination: &str| {
        Pinned::meant(app.dir(), destination)
    })
}

pub(super) fn own_words(app: &App, request: OwnWordsRequest) -> Result<OwnWords> {
    stage::add_words(app.dir(), &request)
}

/// An approval in advance is for what the destination means now, as each approval is.
pub(super) fn stand(app: &App, request: StandingRequest) -> Result<SharingRules> {
    let meant = Pinned::meant(app.dir(), request.destination.trim())?;
    stage::stand(app.dir(), app.now(), &request, meant.clone())?;
    let what = match request.days {
        Some(days) => format!("numbers and names are approved in advance for {days} days"),
        None => "nothing is approved in advance any more".into(),
    };
    let entry = Entry::new(Kind::PolicyChange, what).to(meant);
    Ledger::of(app.dir()).append(app.now(), &entry)?;
    sharing_rules(app, Empty {})
}

pub(super) fn aliases(app: &App, request: AliasesRequest) -> Result<AliasMap> {
    stage::alias_map(app.dir(), &request)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::share::stage::{Category, CategoryDecision, Decision};
    use crate::testing::*;

    #[test]
    fn a_copy_of_bytes_that_were_decided_on_since_has_no_row() {
        let bench = Bench::new();
        bench.send(batch(1, &[facts(0), sample(1, 1.0)]));
        let app = &bench.app;
        let wanted = StageClustersRequest {
            ids: vec![1],
            destination: "team".into(),
            ..StageClustersRequest::default()
        };
        let staged = stage_clusters(app, wanted).unwrap();
        let (id, before) = (staged.id, staged.sha256.unwrap());
        let users = CategoryDecision {
            category: Category::Users,
            decision: Some(Decision::Drop),
        };
        let decided = DecideRequest {
            id,
            categories: vec![users],
            items: Vec::new(),
            findings: Vec::new(),
        };
        decide_stage(app, decided).unwrap();
        let rows = || Ledger::of(bench.path()).rows().unwrap();
        let copied = || note_copy(app, id, &before, "copy.bobbin");
        // Before the bytes follow it, and after.
        assert!(matches!(copied(), Err(Error::Refused(_))));
        stage_written(app, id).unwrap();
        assert!(matches!(copied(), Err(Error::Refused(_))));
        assert!(rows().is_empty());
        let now = stage(app, StageRequest { id }).unwrap().sha256.unwrap();
        note_copy(app, id, &now, "copy.bobbin").unwrap();
        assert_eq!(rows()[0].entry.sha256, Some(now));
    }
}
