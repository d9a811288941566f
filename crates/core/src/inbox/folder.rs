//! One folder of files of batches: each is read on from where it was left.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{BufReader, ErrorKind, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::file::{self, Opened};
use super::member::{self, Member};
use super::remembered::{self, Remembered};
use super::taken::{self, Fate};
use super::{Inbox, Next, Together, refused, told};
use crate::foreign::{self, Kind};
use crate::install::{BATCHES, at, is_looked_at};
use crate::wire::Limits;
use crate::{Error, Result};

/// Bytes of one file that are read before others have their turn.
const TURN_BYTES: u64 = 16 << 20;
const BUFFER_BYTES: usize = 64 << 10;
/// A file that did not grow for so long has no writer any more, although nobody said goodbye.
const SILENT_MICROS: i64 = 24 * 3_600_000_000;

/// One file.
pub(super) struct Place<'a> {
    folder: &'a Path,
    name: OsString,
    /// Whether it is in the install's own inbox, where files that are done are removed and refused ones renamed.
    pub(super) own: bool,
}

impl Place<'_> {
    fn path(&self) -> PathBuf {
        self.folder.join(&self.name)
    }

    /// What it is remembered by; `None` for names that are no text.
    pub(super) fn key(&self) -> Option<(String, &str)> {
        Some((key(self.folder), self.name.to_str()?))
    }
}

fn key(folder: &Path) -> String {
    folder.to_string_lossy().into_owned()
}

/// Of folders that are not the install's own only files are looked at that end as those that are read here, since anything may
/// lie there.
fn is_ours(name: &OsStr, own: bool) -> bool {
    let name = name.to_string_lossy();
    is_looked_at(&name) && (own || foreign::READ.iter().any(|end| name.ends_with(end)))
}

/// How far reading came.
#[derive(Debug, PartialEq)]
enum Reached {
    End,
    /// The last batch is not whole yet.
    Torn,
    /// Others have their turn.
    More,
    /// What follows can never be read.
    Refused(String),
}

impl Inbox {
    /// Looks at each file of a folder.
    pub(super) fn folder(&self, folder: &Path, own: bool, go_on: &dyn Fn() -> bool) -> Next {
        let entries = match fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) => {
                told(folder, &at(folder)(error));
                return Next::Later;
            }
        };
        let mut next = Next::Later;
        for entry in entries.flatten() {
            let name = entry.file_name();
            if !is_ours(&name, own) {
                continue;
            }
            if !go_on() {
                return next;
            }
            let place = Place { folder, name, own };
            match self.one(&place, go_on) {
                Ok(again) => next = next.max(again),
                Err(error) => told(&place.path(), &error),
            }
        }
        if let Err(error) = self.forget_gone(folder) {
            told(folder, &error);
        }
        next
    }

    fn one(&self, place: &Place<'_>, go_on: &dyn Fn() -> bool) -> Result<Next> {
        let path = place.path();
        let found = match fs::symlink_metadata(&path) {
            Ok(found) => found,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Next::Later),
            Err(error) => return Err(at(&path)(error)),
        };
        let Some((folder, name)) = place.key() else {
            self.put_aside_if_own(place, "its name is not text")?;
            return Ok(Next::Later);
        };
        let known = remembered::find(&self.app, &folder, name)?;
        if let Some(known) = known.as_ref().filter(|known| known.is(&found)) {
            self.remove_if_over(place, known)?;
            return Ok(Next::Later);
        }
        let file = match file::open(&path, self.owner).map_err(at(&path))? {
            Opened::File(file) => file,
            Opened::Gone => return Ok(Next::Later),
            Opened::Refused(why) => {
                let mut seen = Remembered::of(&found);
                seen.refused = Some(why.into());
                return self.refuse(place, seen);
            }
        };
        let found = file.metadata().map_err(at(&path))?;
        let kind = match place.own {
            true => foreign::kind_of(&path)?,
            false => foreign::surely_kind_of(&path)?,
        };
        match kind {
            Kind::Batches => {}
            // The first of its batches may not be whole yet: whoever reads batches says what is wrong.
            Kind::Unknown if place.name.as_encoded_bytes().ends_with(BATCHES.as_bytes()) => {}
            Kind::Unknown if !place.own => {
                // It is nobody's mistake that it lies there.
                let seen = Remembered::of(&found);
                remembered::put(&self.app, &folder, name, seen, None)?;
                return Ok(Next::Later);
            }
            kind => return self.whole(place, &path, &found, kind),
        }
        let fresh = Remembered::of(&found);
        let mut seen = known
            .filter(|known| known.refused.is_none() && known.offset_bytes <= found.len())
            .unwrap_or_else(|| fresh.clone());
        let begun_bytes = seen.offset_bytes;
        let mut reached = self.read(&file, &mut seen, TURN_BYTES, go_on)?;
        if matches!(reached, Reached::Refused(_)) && begun_bytes > 0 {
            // Another file may lie there under the same name: what was read before changes nothing. In one turn, or the
            // same file would come here again and again.
            let mut again = fresh.clone();
            reached = self.read(&file, &mut again, u64::MAX, go_on)?;
            seen = again;
        }
        (seen.size_bytes, seen.modified) = (fresh.size_bytes, fresh.modified);
        match reached {
            Reached::End | Reached::Torn => {
                remembered::put(&self.app, &folder, name, seen.clone(), read(&seen))?;
                self.remove_if_over(place, &seen)?;
                Ok(Next::Later)
            }
            Reached::More => {
                // Not its size: it is looked at again.
                seen.size_bytes = seen.offset_bytes;
                let fate = read(&seen);
                remembered::put(&self.app, &folder, name, seen, fate)?;
                Ok(Next::Soon)
            }
            Reached::Refused(why) => {
                seen.refused = Some(why);
                self.refuse(place, seen)
            }
        }
    }

    /// Reads on, and stores what it reads. `seen` says how far it came, also when something failed.
    fn read(
        &self,
        file: &File,
        seen: &mut Remembered,
        turn_bytes: u64,
        go_on: &dyn Fn() -> bool,
    ) -> Result<Reached> {
        let unread = |source| Error::Io {
            path: "batches".into(),
            source,
        };
        let mut reader = BufReader::with_capacity(BUFFER_BYTES, file);
        reader
            .seek(SeekFrom::Start(seen.offset_bytes))
            .map_err(unread)?;
        let limits = Limits::default();
        let turn = seen.offset_bytes.saturating_add(turn_bytes);
        let mut ahead = seen.clone();
        let mut together = Together::default();
        let reached = loop {
            if !go_on() || ahead.offset_bytes >= turn {
                break Reached::More;
            }
            match member::next(&mut reader, &limits) {
                Ok(Member::Whole(batch, bytes)) => {
                    ahead.read(&batch.header, bytes);
                    together.push(*batch);
                    if together.is_full() {
                        ahead.told.add(together.store(&self.app)?);
                        *seen = ahead.clone();
                    }
                }
                Ok(Member::Torn) => break Reached::Torn,
                Ok(Member::End) => break Reached::End,
                Err(error @ (Error::Invalid { .. } | Error::TooLarge { .. })) => {
                    break Reached::Refused(format!("{error} (at byte {})", ahead.offset_bytes));
                }
                Err(error) => return Err(error),
            }
        };
        ahead.told.add(together.store(&self.app)?);
        *seen = ahead;
        Ok(reached)
    }

    /// A file in the own inbox goes once all of it is stored and its instance has said goodbye, or was killed long ago.
    fn remove_if_over(&self, place: &Place<'_>, seen: &Remembered) -> Result<()> {
        let Some((folder, name)) = place.key().filter(|_| place.own) else {
            return Ok(());
        };
        let Some(last) = seen.last.as_ref().filter(|_| seen.refused.is_none()) else {
            return Ok(());
        };
        let silent = self.app.now().0 - seen.modified.0 > SILENT_MICROS;
        let all_read = seen.offset_bytes == seen.size_bytes;
        let over = silent || all_read && remembered::has_stopped(&self.app, last)?;
        if !over {
            return Ok(());
        }
        let path = place.path();
        // It may have grown since it was read.
        if fs::symlink_metadata(&path).is_ok_and(|found| seen.is(&found)) {
            fs::remove_file(&path).map_err(at(&path))?;
            remembered::forget(&self.app, &folder, vec![name.to_owned()])?;
            tracing::info!(file = name, "read to its end and removed");
        }
        Ok(())
    }

    /// Puts a file aside, or remembers that it is not to be read.
    pub(super) fn refuse(&self, place: &Place<'_>, seen: Remembered) -> Result<Next> {
        let why = seen.refused.clone().unwrap_or_default();
        let Some((folder, name)) = place.key() else {
            self.put_aside_if_own(place, &why)?;
            return Ok(Next::Later);
        };
        if place.own {
            remembered::forget(&self.app, &folder, vec![name.to_owned()])?;
            let aside = self.put_aside_if_own(place, &why)?;
            let fate = Fate::Refused { why, aside };
            taken::note(&self.app, seen.taken(&folder, name, fate))?;
        } else {
            tracing::warn!(file = %place.path().display(), why, "Bobbin cannot read a file");
            let fate = Fate::Refused { why, aside: None };
            remembered::put(&self.app, &folder, name, seen, Some(fate))?;
        }
        Ok(Next::Later)
    }

    /// What a file of the own inbox is called now.
    fn put_aside_if_own(&self, place: &Place<'_>, why: &str) -> Result<Option<String>> {
        if !place.own {
            return Ok(None);
        }
        let aside = refused::put_aside(&place.path(), &place.name, place.folder, why)?;
        Ok(Some(aside.to_string_lossy().into_owned()))
    }

    /// Forgets the files of a folder that are gone.
    fn forget_gone(&self, folder: &Path) -> Result<()> {
        let key = key(folder);
        let mut names = remembered::names(&self.app, &key)?;
        names.retain(|name| {
            fs::symlink_metadata(folder.join(name))
                .is_err_and(|error| error.kind() == ErrorKind::NotFound)
        });
        if names.is_empty() {
            return Ok(());
        }
        remembered::forget(&self.app, &key, names)
    }
}

/// What became of a file, if any of it was read.
fn read(seen: &Remembered) -> Option<Fate> {
    (!seen.told.is_nothing()).then_some(Fate::Read)
}
