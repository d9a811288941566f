//! Damage anywhere in the file: the next start finds it or it does no harm, and what was damaged is kept as it was.

use std::{
    fs::{self, Permissions},
    os::unix::fs::PermissionsExt,
    path::Path,
    sync::Arc,
};

use bobbin_core::{
    Error,
    api::{App, Role, call, safety},
    clock::SystemClock,
    wire::decode,
};
use fastrand::Rng;

use super::{
    Counted,
    folder::Folder,
    work::{Sender, alone, body, records},
};
use crate::process::{Failure, Result};

const FILE: &str = "bobbin.sqlite";
const SENDER: Sender = 1;
/// Batches of the store before it is damaged.
const BATCHES: u64 = 20;
/// Bytes that are changed, at most.
const BYTES: usize = 400;

/// Damages a store so many times.
///
/// # Errors
/// A damaged file was changed or is gone, or Bobbin did not close in order.
pub fn run(rounds: u64, seed: u64) -> Result<Counted> {
    let folder = Folder::make("damage")?;
    let good = good(&folder.0.join("good"))?;
    let mut rng = Rng::with_seed(seed);
    let mut counted = Counted::default();
    for round in 0..rounds {
        let mut bad = good.clone();
        for _ in 0..=rng.usize(..BYTES) {
            let at = rng.usize(..bad.len());
            bad[at] = rng.u8(..);
        }
        let dir = folder.0.join("store");
        one(&dir, &bad, &mut counted).map_err(|error| {
            Failure::new(format!("round {round} with the seed {seed}: {error}"))
        })?;
        counted.faults += 1;
        fs::remove_dir_all(&dir)?;
    }
    Ok(counted)
}

/// What a store of some batches is.
fn good(dir: &Path) -> Result<Vec<u8>> {
    let app = open(dir).map_err(failed)?;
    for number in 0..BATCHES {
        ingest(&app, number).map_err(failed)?;
    }
    app.drain().map_err(failed)?;
    drop(app);
    Ok(fs::read(dir.join(FILE))?)
}

/// Opens a damaged store and uses it. What is taken once the damage was found is looked for: it went into a file that is whole.
fn one(dir: &Path, bad: &[u8], counted: &mut Counted) -> Result {
    fs::create_dir(dir)?;
    fs::set_permissions(dir, Permissions::from_mode(0o700))?;
    let file = dir.join(FILE);
    fs::write(&file, bad)?;
    fs::set_permissions(&file, Permissions::from_mode(0o600))?;
    let Ok(app) = open(dir) else {
        // A head that now says something else: nothing is done to the file.
        return whole(&file, bad);
    };
    let was_found = !safety(dir).damaged.is_empty();
    let taken = ingest(&app, BATCHES).is_ok();
    // A fault is told, here or at the next start.
    let _ = call(&app, "clusters", "{}");
    app.drain().map_err(failed)?;
    drop(app);
    for folder in safety(dir).damaged {
        whole(&Path::new(&folder).join(FILE), bad)?;
    }
    if was_found && taken {
        counted.acknowledged += records(1);
        counted.add(alone(dir, (SENDER, BATCHES))?);
    }
    Ok(())
}

fn open(dir: &Path) -> bobbin_core::Result<App> {
    App::open(dir, Role::Owner, Arc::new(SystemClock))
}

fn ingest(app: &App, number: u64) -> bobbin_core::Result<()> {
    app.ingest(decode(&body((SENDER, number)))?).map(drop)
}

fn failed(error: Error) -> Failure {
    Failure::new(error.to_string())
}

fn whole(file: &Path, bad: &[u8]) -> Result {
    if fs::read(file)? == bad {
        return Ok(());
    }
    Err(Failure::new(format!("{} is not as it was", file.display())))
}
