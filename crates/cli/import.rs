//! `bobbin import FILE …`: clusters out of bundles, batches and files of other programs, by what is in them. While Bobbin is
//! open elsewhere, it is given the files, and waited for.

use std::collections::BTreeMap;
use std::panic::resume_unwind;
use std::path::Path;
use std::thread;

use bobbin_core::Code;
use bobbin_core::api::{self, App, Ready};
use bobbin_core::clock::{Clock, SystemClock};
use bobbin_core::foreign::{Kind, kind_of};
use bobbin_core::inbox::{Counted, count_batches, import_batches};
use bobbin_core::share::{Imported, ImportedCluster, Manifest};
use serde::Serialize;

use crate::args::ImportArgs;
use crate::failure::Failure;
use crate::{hand_over, open, print, visible};

/// What became of one file.
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Outcome {
    /// Only looked at.
    Looked(Manifest),
    Imported(Imported),
    /// The same for batches as a plugin left them.
    LookedAtBatches(Counted),
    ImportedBatches(Counted),
    /// The Bobbin that is open has it, and had not taken it after a minute.
    HandedOver,
}

impl Outcome {
    /// Of batches that were looked at, once they are stored.
    fn taken(self) -> Self {
        match self {
            Self::LookedAtBatches(counted) => Self::ImportedBatches(counted),
            other => other,
        }
    }
}

#[derive(Serialize)]
struct File<'a> {
    path: &'a Path,
    outcome: Outcome,
}

/// Files that stay open from the look at them until they are taken: no system lets a program hold as many as one may name. Those
/// beyond are looked at once more.
const HELD: usize = 64;

/// Runs the verb. All files are looked at before the first is taken.
pub fn run(data_dir: &Path, json: bool, args: &ImportArgs) -> Result<(), Failure> {
    let look_at_all = || {
        let looked = args.files.iter().map(|path| look(path));
        looked.collect::<bobbin_core::Result<Vec<_>>>()
    };
    let outcomes = if args.check {
        look_at_all()?
    } else {
        // Before there is a store for it: its name may be wrong.
        for path in &args.files {
            kind_of(path)?;
        }
        let (opened, first) = thread::scope(|scope| {
            let first = scope.spawn(|| look_at_first(args));
            let opened = open::owner(data_dir);
            let first = first.join().unwrap_or_else(|panic| resume_unwind(panic));
            (opened, first)
        });
        match opened {
            Ok(app) => {
                let mut first = first?;
                let looked = args.files.iter().enumerate();
                let looked = looked.map(|(number, path)| match first.take() {
                    Some(bundle) => Ok(Some(bundle)),
                    None => ready(&app, path, number),
                });
                let looked = looked.collect::<bobbin_core::Result<Vec<_>>>()?;
                let taken = args.files.iter().zip(&looked);
                let taken = taken.map(|(path, ready)| take(&app, path, ready.as_ref()));
                let taken = taken.collect::<bobbin_core::Result<Vec<_>>>();
                app.drain()?;
                taken?
            }
            Err(failure) if failure.code == Code::Busy => args
                .files
                .iter()
                .zip(look_at_all()?)
                .enumerate()
                .map(|(number, (path, looked))| give(data_dir, path, number, looked))
                .collect::<Result<Vec<_>, _>>()?,
            Err(failure) => return Err(failure),
        }
    };
    let files: Vec<File<'_>> = args
        .files
        .iter()
        .zip(outcomes)
        .map(|(path, outcome)| File { path, outcome })
        .collect();
    if json {
        return print::json(&files);
    }
    print::write(&files.iter().map(text).collect::<String>())
}

fn look(path: &Path) -> bobbin_core::Result<Outcome> {
    match kind_of(path)? {
        Kind::Batches => count_batches(path).map(Outcome::LookedAtBatches),
        _ => api::look_at_file(path, SystemClock.now()).map(Outcome::Looked),
    }
}

/// Looks at all of the first file, if it is a bundle: while the store opens, which takes about as long.
fn look_at_first(args: &ImportArgs) -> bobbin_core::Result<Option<Ready>> {
    match args.files.first() {
        Some(path) => Ready::look_at_bundle(path),
        None => Ok(None),
    }
}

/// Looks at all of a file that is to be taken. None where it is read again then: batches, which are stored as they are, and what is
/// not held.
fn ready(app: &App, path: &Path, number: usize) -> bobbin_core::Result<Option<Ready>> {
    if number < HELD && kind_of(path)? != Kind::Batches {
        return Ready::look(app, path).map(Some);
    }
    look(path).map(|_| None)
}

fn take(app: &App, path: &Path, ready: Option<&Ready>) -> bobbin_core::Result<Outcome> {
    match ready {
        Some(ready) => ready.take(app).map(Outcome::Imported),
        None if kind_of(path)? == Kind::Batches => {
            import_batches(app, path).map(Outcome::ImportedBatches)
        }
        None => api::import_file(app, path).map(Outcome::Imported),
    }
}

/// Has the Bobbin that is open take it.
fn give(data_dir: &Path, path: &Path, number: usize, looked: Outcome) -> Result<Outcome, Failure> {
    let here = |cluster: &str| -> Result<Option<i64>, Failure> {
        match api::find_cluster(&open::reader(data_dir)?, cluster) {
            Ok(row) => Ok(Some(row.id)),
            Err(error) if error.code() == Code::NotFound => Ok(None),
            Err(error) => Err(error.into()),
        }
    };
    let manifest = match looked {
        Outcome::Looked(manifest) => manifest,
        batches => {
            let taken = hand_over::give(data_dir, path, number)?;
            return Ok(if taken {
                batches.taken()
            } else {
                Outcome::HandedOver
            });
        }
    };
    let ids: Vec<String> = manifest
        .clusters
        .iter()
        .map(|cluster| cluster.cluster_id.clone())
        .collect();
    let until = || api::told_until(&open::reader(data_dir)?, &ids).map_err(Failure::from);
    let told = until()?;
    let before = manifest
        .clusters
        .iter()
        .map(|cluster| here(&cluster.cluster_id))
        .collect::<Result<Vec<_>, _>>()?;
    if !hand_over::give(data_dir, path, number)? {
        return Ok(Outcome::HandedOver);
    }
    let now = until()?;
    let taken = manifest.clusters.into_iter().zip(before);
    let clusters = taken
        .map(|(cluster, before)| {
            let id = here(&cluster.cluster_id)?;
            let known = |told: &BTreeMap<_, _>| told.get(&cluster.cluster_id).copied();
            let renewed = before.is_some() && known(&told) < known(&now);
            let skipped = match (before, id) {
                (Some(_), _) if renewed => None,
                (Some(before), _) => Some(format!("it is already here as number {before}")),
                (None, None) => Some("`bobbin serve` logs why".into()),
                (None, Some(_)) => None,
            };
            Ok(ImportedCluster {
                id: id.filter(|_| skipped.is_none()),
                cluster_id: cluster.cluster_id,
                name: cluster.name,
                skipped,
                renewed,
            })
        })
        .collect::<Result<Vec<_>, Failure>>()?;
    Ok(Outcome::Imported(Imported { clusters }))
}

fn text(file: &File<'_>) -> String {
    let mut text = format!("{}\n", file.path.display());
    match &file.outcome {
        Outcome::HandedOver => {
            text += "  handed to the running Bobbin, which has not imported it from its inbox yet\n"
        }
        Outcome::LookedAtBatches(Counted { batches, records }) => {
            text += &format!("  {records} records in {batches} batches\n");
        }
        Outcome::ImportedBatches(Counted { batches, records }) => {
            text += &format!("  {records} records in {batches} batches: stored\n");
        }
        Outcome::Looked(manifest) => {
            for cluster in &manifest.clusters {
                let records: u64 = cluster
                    .records
                    .values()
                    .fold(0, |sum, count| sum.saturating_add(*count));
                text += &format!(
                    "  {}: {records} records\n",
                    named(cluster.name.as_deref(), &cluster.cluster_id)
                );
            }
        }
        Outcome::Imported(imported) => {
            for cluster in &imported.clusters {
                let name = named(cluster.name.as_deref(), &cluster.cluster_id);
                text += &match (&cluster.skipped, cluster.id) {
                    (Some(why), _) => format!("  {name}: not imported, {why}\n"),
                    (None, Some(id)) if cluster.renewed => {
                        format!("  {name}: number {id}, updated from this newer bundle\n")
                    }
                    (None, Some(id)) => format!("  {name}: now number {id}\n"),
                    (None, None) => format!("  {name}: imported\n"),
                };
            }
        }
    }
    text
}

fn named(name: Option<&str>, id: &str) -> String {
    print::cut(&visible::plain(name.unwrap_or(id)), 60)
}
