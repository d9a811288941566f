//! What arrives as files: the spool of plugins that are gone, and files in the inbox or in folders that the user names:
//! batches as a plugin would have posted them, bundles, and files of other programs. All of them go the same way through
//! `ingest`.
//!
//! Whatever lies there may be anybody's: nothing is followed, waited for, or unpacked beyond the limits of one batch. A
//! file goes once what it holds is durable; to read it twice changes nothing.

mod batches;
mod done;
mod file;
mod folder;
mod member;
mod refused;
mod remembered;
mod spool;
mod taken;
mod watch;
mod whole;

pub use batches::{Counted, count_batches, import_batches};
pub use member::{Member, next as next_member};
pub use watch::Watching;

use std::path::{Path, PathBuf};

use self::taken::Told;
use crate::api::{App, settle_keys};
use crate::install::{at, inbox_dir, owner, prepare, spool_dir};
use crate::system::Owner;
use crate::wire::Batch;
use crate::{Error, Result};

/// Plain bytes of batches that are read before they are stored, and how many.
const TOGETHER_BYTES: u64 = 4 << 20;
const TOGETHER: usize = 64;

/// When to look again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Next {
    /// When something changes.
    Later,
    /// In a moment: there is more, or it was too early to tell.
    Soon,
}

/// The folders of one open Bobbin in which batches arrive.
struct Inbox {
    app: App,
    /// Whose files are read.
    owner: Owner,
    /// Looked at beside the install's own, and left as they are.
    others: Vec<PathBuf>,
}

impl Inbox {
    /// Makes the install's own folders.
    ///
    /// # Errors
    /// [`Error::Invalid`] if one of `others` is no folder; [`Error::Loosened`], [`Error::Io`].
    fn open(app: App, others: &[PathBuf]) -> Result<Self> {
        let own = inbox_dir(app.dir());
        prepare(&own)?;
        prepare(&spool_dir(app.dir()))?;
        let owner = owner(app.dir()).map_err(at(app.dir()))?;
        let own = own.canonicalize().map_err(at(&own))?;
        let mut real = Vec::new();
        for folder in others {
            let found = folder.canonicalize().map_err(at(folder))?;
            if !found.is_dir() {
                return Err(Error::Invalid {
                    what: "inbox",
                    value: folder.display().to_string(),
                    reason: "it is not a folder".into(),
                });
            }
            if found != own && !real.contains(&found) {
                real.push(found);
            }
        }
        Ok(Self {
            app,
            owner,
            others: real,
        })
    }

    /// Looks through all folders once, for as long as `go_on` says so. What goes wrong is logged and tried again: one
    /// file never keeps the others from being read.
    fn look(&self, go_on: &dyn Fn() -> bool) -> Next {
        let own = inbox_dir(self.app.dir());
        let mut next = self.spool(go_on);
        next = next.max(self.folder(&own, true, go_on));
        for folder in &self.others {
            next = next.max(self.folder(folder, false, go_on));
        }
        // What was sealed to a key before the present one may just have been read.
        if let Err(error) = settle_keys(&self.app) {
            told(self.app.dir(), &error);
        }
        next
    }
}

/// Batches that are stored together: each commit waits for the disk once.
#[derive(Default)]
struct Together {
    batches: Vec<Batch>,
    bytes: u64,
    told: Told,
}

impl Together {
    fn push(&mut self, batch: Batch) {
        self.bytes += batch.bytes;
        self.told.read(&batch.header);
        self.batches.push(batch);
    }

    fn is_full(&self) -> bool {
        self.bytes >= TOGETHER_BYTES || self.batches.len() >= TOGETHER
    }

    /// Stores them, and waits until they are durable. Answers what they told.
    fn store(&mut self, app: &App) -> Result<Told> {
        let Self { batches, told, .. } = std::mem::take(self);
        if !batches.is_empty() {
            app.import(batches)?;
        }
        Ok(told)
    }
}

/// Logs what keeps a file or folder from being read now; whether to go on with others.
fn told(path: &Path, error: &Error) {
    if !matches!(error, Error::Stopping) {
        tracing::warn!(path = %path.display(), %error, "not read now; Bobbin retries later");
    }
}

#[cfg(test)]
mod tests;
