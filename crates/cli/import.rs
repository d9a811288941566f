//! `bobbin import FILE …`: clusters out of bundles, batches and files of other programs, by what is in them. While Bobbin is
//! open elsewhere, it is given the files.

use std::path::Path;
use std::{fs, io};

use bobbin_core::Code;
use bobbin_core::api::{self, App};
use bobbin_core::clock::{Clock, SystemClock};
use bobbin_core::foreign::{Kind, kind_of};
use bobbin_core::inbox::{Counted, count_batches, import_batches};
use bobbin_core::install::create_private;
use bobbin_core::share::{Imported, Manifest};
use serde::Serialize;

use crate::args::ImportArgs;
use crate::failure::Failure;
use crate::{open, print, visible};

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
    /// The Bobbin that is open takes it.
    HandedOver,
}

#[derive(Serialize)]
struct File<'a> {
    path: &'a Path,
    outcome: Outcome,
}

/// Runs the verb. All files are looked at before the first is taken.
pub fn run(data_dir: &Path, json: bool, args: &ImportArgs) -> Result<(), Failure> {
    let looked = args
        .files
        .iter()
        .map(|path| look(path))
        .collect::<Result<Vec<_>, _>>()?;
    let outcomes = if args.check {
        looked
    } else {
        match open::owner(data_dir) {
            Ok(app) => {
                let taken = args.files.iter().map(|path| take(&app, path));
                let taken = taken.collect::<Result<Vec<_>, _>>();
                app.drain()?;
                taken?
            }
            Err(failure) if failure.code == Code::Busy => args
                .files
                .iter()
                .enumerate()
                .map(|(number, path)| {
                    hand_over(data_dir, path, number).map(|()| Outcome::HandedOver)
                })
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

fn take(app: &App, path: &Path) -> bobbin_core::Result<Outcome> {
    match kind_of(path)? {
        Kind::Batches => import_batches(app, path).map(Outcome::ImportedBatches),
        _ => api::import_file(app, path).map(Outcome::Imported),
    }
}

/// Puts a copy into the inbox, whole from the moment that it has its name. Files of other programs keep theirs, after which
/// their cluster is called.
fn hand_over(data_dir: &Path, path: &Path, number: usize) -> Result<(), Failure> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let inbox = data_dir.join("inbox");
    let own = format!("{}-{number}", std::process::id());
    let copy = inbox.join(format!("{own}.copy"));
    let whole = match kind_of(path)? {
        Kind::Bundle | Kind::Batches => {
            inbox.join(format!("{}.{own}.bobbin", name.trim_end_matches(".bobbin")))
        }
        _ => Some(inbox.join(&*name))
            .filter(|whole| !whole.exists())
            .unwrap_or_else(|| inbox.join(format!("{own}-{name}"))),
    };
    let mut private = create_private(&copy)?;
    let copied = fs::File::open(path)
        .and_then(|mut file| io::copy(&mut file, &mut private))
        .and_then(|_| private.sync_all())
        .and_then(|()| fs::rename(&copy, &whole));
    copied.map_err(|error| {
        // What is left of it is of no use to anybody.
        let _ = fs::remove_file(&copy);
        Failure::io("the inbox", &whole, &error)
    })
}

fn text(file: &File<'_>) -> String {
    let mut text = format!("{}\n", file.path.display());
    match &file.outcome {
        Outcome::HandedOver => {
            text += "  handed to the Bobbin that is open, which takes it from its inbox\n"
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
                    (Some(why), _) => format!("  {name}: not taken, {why}\n"),
                    (None, Some(id)) => format!("  {name}: now number {id}\n"),
                    (None, None) => format!("  {name}: taken\n"),
                };
            }
        }
    }
    text
}

fn named(name: Option<&str>, id: &str) -> String {
    print::cut(&visible::plain(name.unwrap_or(id)), 60)
}
