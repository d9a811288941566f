//! The power goes while a real Bobbin makes and changes its folder: its first start, a deletion, a snapshot, another key, a restore.
//! All of the folder is made from what was noted, and must hold all that somebody was told of by then.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};

use fastrand::Rng;

use super::{
    Counted,
    due::Due,
    folder::Folder,
    image::{Disk, Kept, Unheard},
    moments::{Moment, Replay, moments},
    notes::Notes,
    op::Op,
    power::Size,
    story::{Told, tell},
    work::{Found, records},
};
use crate::{
    files::files_below,
    process::{Failure, Result},
};

/// Where the data folder is on the disk. What is above it is made with it.
const STORE: &str = "share/bobbin";

/// Each of these syncs is one without which something is lost.
const NEEDED: [Unheard; 17] = [
    Unheard::Bytes("token"),
    Unheard::Bytes("key"),
    Unheard::Bytes("fingerprint_key"),
    Unheard::Bytes("certificate.key"),
    Unheard::Bytes("certificate.pem"),
    Unheard::Bytes("ledger.ndjson"),
    Unheard::Name("share"),
    Unheard::Name("bobbin"),
    Unheard::Name("token"),
    Unheard::Name("key"),
    Unheard::Name("fingerprint_key"),
    Unheard::Name("certificate.key"),
    Unheard::Name("certificate.pem"),
    Unheard::Name("ledger.ndjson"),
    Unheard::Name("snapshots"),
    Unheard::Name("0001_"),
    Unheard::Name("replaced-"),
];

/// Starts Bobbin in the folders that may be left at many moments of the story; or gives why it cannot be told here.
///
/// # Errors
/// Something is missing in one, or Bobbin does not start there.
pub fn run(bobbin: &Path, size: Size, seed: u64) -> Result<std::result::Result<Counted, String>> {
    let record = match Record::make(bobbin, size.batches)? {
        Ok(record) => record,
        Err(reason) => return Ok(Err(reason)),
    };
    let mut rng = Rng::with_seed(seed);
    let mut tried = moments(&record.ops, size.images, &mut rng);
    tried.extend(record.acknowledgements());
    tried.sort_by_key(|(at, _)| *at);
    let mut counted = record.counted();
    let mut replay = Replay::new(&record.ops, None);
    for (at, kept) in tried {
        replay.until(at);
        let found = record.look(&replay, kept, &mut rng).map_err(|error| {
            Failure::new(format!(
                "seed {seed}: power lost before step {at} of {}, {kept:?} of what was not synced kept: {error}",
                record.ops.len()
            ))
        })?;
        counted.faults += 1;
        counted.add(found);
    }
    Ok(Ok(counted))
}

/// The same at the end of the story, on disks that each did not hear one kind of sync. Each that lost something counts as one.
///
/// # Errors
/// One lost nothing: that sync could be left out, and nobody would find it. Or something is lost with all of them.
pub fn unsynced(bobbin: &Path, batches: u64) -> Result<std::result::Result<Counted, String>> {
    let record = match Record::make(bobbin, batches)? {
        Ok(record) => record,
        Err(reason) => return Ok(Err(reason)),
    };
    let mut counted = record.counted();
    if let Some(lost) = record.lost(None) {
        return Err(Failure::new(format!("with all syncs: {lost}")));
    }
    for unheard in NEEDED {
        if record.lost(Some(unheard)).is_none() {
            return Err(Failure::new(format!(
                "nothing is lost without the sync of {unheard:?}"
            )));
        }
        counted.faults += 1;
        counted.lost += 1;
    }
    Ok(Ok(counted))
}

/// The story once it is told.
struct Record {
    folder: Folder,
    bobbin: PathBuf,
    ops: Vec<Op>,
    told: Vec<Told>,
}

impl Record {
    fn make(bobbin: &Path, batches: u64) -> Result<std::result::Result<Self, String>> {
        let folder = Folder::make("power-folder")?;
        let notes = match Notes::build(&folder.0)? {
            Ok(notes) => notes,
            Err(reason) => return Ok(Err(reason)),
        };
        let disk = folder.0.join("disk");
        fs::create_dir(&disk)?;
        let told = tell(bobbin, &notes, &disk.join(STORE), &folder.0, batches)?;
        let ops = notes.ops(&disk)?;
        let record = Self {
            folder,
            bobbin: bobbin.into(),
            ops,
            told,
        };
        record.is_all(&disk)?;
        Ok(Ok(record))
    }

    /// Sees to it that the notes make the folder that is there: nothing was done in a way that is not noted.
    fn is_all(&self, disk: &Path) -> Result {
        let mut replay = Replay::new(&self.ops, None);
        replay.until(self.ops.len());
        let image = self.leave(&replay.disk, Kept::All, &mut Rng::with_seed(1))?;
        let (noted, there) = (held(&image)?, held(disk)?);
        let differs = |path: &&PathBuf| noted.get(*path) != there.get(*path);
        match noted.keys().chain(there.keys()).find(differs) {
            None => Ok(()),
            Some(path) => Err(Failure::new(format!(
                "{} is not as it was noted",
                path.display()
            ))),
        }
    }

    /// Right after each thing that was told: all of it must be synced.
    fn acknowledgements(&self) -> impl Iterator<Item = Moment> {
        self.ops
            .iter()
            .enumerate()
            .filter(|(_, op)| matches!(op, Op::Acknowledged(_)))
            .map(|(at, _)| (at + 1, Kept::Nothing))
    }

    fn counted(&self) -> Counted {
        let stored = |told: &&Told| matches!(told, Told::Stored(_));
        Counted {
            acknowledged: records(self.told.iter().filter(stored).count() as u64),
            ..Counted::default()
        }
    }

    /// Makes the folder that is left.
    fn leave(&self, disk: &Disk, kept: Kept, rng: &mut Rng) -> Result<PathBuf> {
        let image = self.folder.0.join("image");
        if image.exists() {
            fs::remove_dir_all(&image)?;
        }
        disk.write(&image, kept, rng)?;
        Ok(image)
    }

    /// Looks for all that was told of by then.
    fn look(&self, replay: &Replay<'_>, kept: Kept, rng: &mut Rng) -> Result<Found> {
        let image = self.leave(&replay.disk, kept, rng)?;
        let told = replay.told.iter().map(|index| &self.told[*index]);
        let log = self.folder.0.join("image.log");
        Due::by(told).look(&self.bobbin, &image.join(STORE), &log)
    }

    /// What is lost where the power goes at the end of the story, on a disk that does not hear one kind of sync.
    fn lost(&self, unheard: Option<Unheard>) -> Option<String> {
        let mut replay = Replay::new(&self.ops, unheard);
        replay.until(self.ops.len());
        match self.look(&replay, Kept::Nothing, &mut Rng::with_seed(1)) {
            Ok(found) if found == Found::default() => None,
            Ok(found) => Some(format!("{found:?}")),
            Err(error) => Some(error.to_string()),
        }
    }
}

/// What all files below a folder hold, but for the index of a log.
fn held(folder: &Path) -> io::Result<BTreeMap<PathBuf, Vec<u8>>> {
    let mut held = BTreeMap::new();
    for path in files_below(&[folder.into()])? {
        let name = path.strip_prefix(folder).map_err(io::Error::other)?;
        if !name.to_string_lossy().ends_with("-shm") {
            held.insert(name.to_owned(), fs::read(&path)?);
        }
    }
    Ok(held)
}
