//! Files for the Bobbin that is open, by way of its inbox.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, UNIX_EPOCH};
use std::{fs, io, thread};

use bobbin_core::api;
use bobbin_core::clock::{Clock, SystemClock};
use bobbin_core::foreign::{Kind, kind_of};
use bobbin_core::install::create_private;

use crate::failure::Failure;

/// A large file takes a while; somebody who waits for longer is told that it is on its way.
const PATIENCE: Duration = Duration::from_secs(60);
const LOOK: Duration = Duration::from_millis(50);
/// What changed a moment ago may still be written: a copy is whole, and says so by its age.
const AGED: Duration = Duration::from_secs(60);

/// Characters of a file's own name that the name of its copy begins with, so that a person knows it again.
const KNOWN_BY: usize = 50;

/// Puts a copy into the inbox, whole from the moment that it has its name, and waits until it was taken; whether it was within
/// a minute. Of a file of another program the copy is a bundle: the inbox keeps such files themselves.
///
/// # Errors
/// The inbox cannot be written; the file was refused.
pub fn give(data_dir: &Path, path: &Path, number: usize) -> Result<bool, Failure> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let inbox = data_dir.join("inbox");
    let own = format!("{}-{number}", std::process::id());
    // Hidden, and so are the drafts beside it: nobody looks at them before they are whole.
    let copy = inbox.join(format!(".{own}.copy"));
    let known_by = name.trim_end_matches(".bobbin").trim_start_matches('.');
    let known_by: String = known_by.chars().take(KNOWN_BY).collect();
    let whole = format!("{known_by}.{own}.bobbin")
        .trim_start_matches('.')
        .to_owned();
    let known = why(&inbox, &whole).exists();
    match kind_of(path)? {
        Kind::Bundle | Kind::Batches => copied(path, &copy),
        _ => Ok(api::make_bundle(path, &copy, SystemClock.now())?),
    }
    .and_then(|()| {
        let put = fs::rename(&copy, inbox.join(&whole));
        put.map_err(|error| Failure::io("the inbox", &inbox.join(&whole), &error))
    })
    .inspect_err(|_| {
        // What is left of it is of no use to anybody.
        let _ = fs::remove_file(&copy);
    })?;
    wait(&inbox, &whole, known)
}

fn copied(path: &Path, copy: &Path) -> Result<(), Failure> {
    let now = Duration::from_micros(SystemClock.now().0.unsigned_abs());
    let aged = UNIX_EPOCH + now.saturating_sub(AGED);
    let mut private = create_private(copy)?;
    fs::File::open(path)
        .and_then(|mut file| io::copy(&mut file, &mut private))
        .and_then(|_| private.set_modified(aged))
        .and_then(|()| private.sync_all())
        .map_err(|error| Failure::io("the inbox", copy, &error))
}

fn why(inbox: &Path, name: &str) -> PathBuf {
    inbox.join(format!("{name}.why"))
}

/// Where nothing was `known` of a file of that name, what is said of it now is why it was refused.
fn wait(inbox: &Path, name: &str, known: bool) -> Result<bool, Failure> {
    let end = Instant::now() + PATIENCE;
    while inbox.join(name).exists() {
        if Instant::now() > end {
            return Ok(false);
        }
        thread::sleep(LOOK);
    }
    match fs::read_to_string(why(inbox, name)) {
        Ok(why) if !known => Err(Failure::refused(format!("{name}: {}", why.trim()))),
        _ => Ok(true),
    }
}
