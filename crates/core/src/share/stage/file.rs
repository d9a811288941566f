//! The file of a stage, which follows what is decided.

use std::fs;
use std::path::Path;
use std::sync::Mutex;

use super::desk::Desk;
use super::folders::folder;
use super::kept::{BUNDLE, keep, kept};
use super::model::{Filing, Model};
use crate::Result;
use crate::install::{at, unwritten};
use crate::lock::lock;
use crate::share::bundle::{Draft, member};

/// Held while a stage's file is written: the one that lies half-written beside it is one.
static WRITING: Mutex<()> = Mutex::new(());

/// Makes what a decision changed anew, batch by batch, then the file. Whoever asks meanwhile waits for one batch at most, and
/// not for the disk. An approved stage stays as it is. Where it fails, whoever looks next has it tried again.
pub(super) fn written(dir: &Path, id: i64, model: &Mutex<Model>) -> Result<()> {
    let ended = write(dir, id, model);
    if ended.is_err() {
        lock(model).failed = true;
    }
    ended
}

fn write(dir: &Path, id: i64, model: &Mutex<Model>) -> Result<()> {
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
        let draft = drafted(&path, &filing).map_err(unwritten(&path))?;
        let mut model = lock(model);
        // What was decided meanwhile makes it one of before.
        if model.version() == filing.version {
            let sha256 = put_in_place(dir, id, &model, draft).map_err(unwritten(&path))?;
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
    desk.add_aliases(&said.destination, model.numbers.borrow().fresh())?;
    // Only now: what the desk has no room for is added with the next try.
    drop(model.numbers.borrow_mut().take_fresh());
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
