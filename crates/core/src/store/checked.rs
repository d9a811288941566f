//! When the file was read whole last. Reading some gigabytes takes seconds, and a file that was closed in order and stands as it
//! was then has no new damage but that of the disk: one of some size is read whole once a day, and after each end that was none.
//! One for which somebody would have to wait at a start is read beside its owner, and counts as read only then. Whoever is gone
//! before that leaves it unread, so after a week it is read at the start all the same.
//!
//! Damage that anybody meets in using it is noted: its owner writes no more and opens it anew, and that start looks for it. Where it
//! finds none, what is met from then on is no fault of the file, and no reason to open it once more.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

use super::{FILE, damage, log_bytes};
use crate::install::{at, write_private};
use crate::lock::lock;
use crate::model::Micros;
use crate::{Error, Result};

const NAME: &str = "checked.json";
/// Says what was found in a store that is in use: the next start reads that whole, whatever its size.
const FOUND: &str = "damage-found";
/// Less is read in no time.
const SMALL_BYTES: u64 = 8 << 20;
/// So long a check holds.
const DAY: i64 = 86_400_000_000;
/// So long the next may be left to whoever stays: commands end within a minute, and a hub reads no store beside its owner.
const WEEK: i64 = 7 * DAY;
/// File systems count time in steps: a file that is changed within one of them looks as if it were not.
const STEP: Duration = Duration::from_millis(20);

/// What the file was when it was closed.
#[derive(Serialize, Deserialize)]
struct Mark {
    file: File,
    checked_micros: Micros,
}

#[derive(PartialEq, Serialize, Deserialize)]
struct File {
    bytes: u64,
    /// Nanoseconds since 1970.
    changed: u64,
}

/// A store, and whether its file was read whole.
#[derive(Clone)]
pub(crate) struct Checked {
    dir: PathBuf,
    state: Arc<Mutex<State>>,
    /// It was opened to look for damage, and none was found.
    doubted: bool,
    /// Which file it is, of one that somebody only reads: its owner may have moved it aside since, and have another.
    read: Option<u64>,
}

#[derive(Clone)]
pub(super) enum State {
    NotYet,
    /// At this time, a day to a week before it was opened; it stood as it was closed.
    Earlier(Micros),
    /// And nothing was wrong.
    Whole(Micros),
    /// What was wrong.
    Damaged(String),
}

impl Checked {
    /// Of a store that is about to be opened, if its file stands as it was closed: read whole within a day, or within a week. The
    /// mark is gone then: without an end in order there is none.
    ///
    /// # Errors
    /// [`crate::Error::Io`] if the mark stays.
    pub(super) fn take(dir: &Path, now: Micros) -> Result<Option<State>> {
        let path = dir.join(NAME);
        let Ok(text) = fs::read(&path) else {
            return Ok(None);
        };
        fs::remove_file(&path).map_err(at(&path))?;
        let Ok(mark) = serde_json::from_slice::<Mark>(&text) else {
            return Ok(None);
        };
        let stands = log_bytes(dir) == 0 && look(dir).is_some_and(|file| file == mark.file);
        let age = now.0.saturating_sub(mark.checked_micros.0);
        Ok(match age {
            0..DAY if stands => Some(State::Whole(mark.checked_micros)),
            DAY..WEEK if stands => Some(State::Earlier(mark.checked_micros)),
            // Too long ago, the clock went back, or somebody changed the file.
            _ => None,
        })
    }

    /// Of a store that somebody only reads.
    pub(crate) fn unread(dir: &Path) -> Self {
        Self {
            read: which(dir),
            ..Self::new(dir, State::NotYet, false)
        }
    }

    pub(super) fn new(dir: &Path, state: State, doubted: bool) -> Self {
        Self {
            dir: dir.into(),
            state: Arc::new(Mutex::new(state)),
            doubted,
            read: None,
        }
    }

    pub(super) fn dir(&self) -> &Path {
        &self.dir
    }

    pub(super) fn state(&self) -> State {
        self.lock().clone()
    }

    /// What came of reading it whole. Damage that somebody met meanwhile stays.
    pub(super) fn found(&self, state: State) {
        if let State::Damaged(detail) = &state {
            self.note(detail);
        }
        let mut known = self.lock();
        if !matches!(*known, State::Damaged(_)) {
            *known = state;
        }
    }

    /// Has the next start read it whole, unless it was moved aside meanwhile.
    fn note(&self, detail: &str) {
        if let Some((read, there)) = self.read.zip(which(&self.dir))
            && read != there
        {
            return;
        }
        if let Err(error) = write_private(&self.dir.join(FOUND), detail.as_bytes()) {
            tracing::warn!(%error, "Bobbin may not look for the damage at the next start");
        }
    }

    /// What was found wrong with it, if anything was: nothing is written to it then.
    pub(super) fn damaged(&self) -> Option<Error> {
        match self.state() {
            State::Damaged(detail) => Some(Error::StoreDamaged {
                path: self.dir.join(FILE),
                detail,
            }),
            State::NotYet | State::Earlier(_) | State::Whole(_) => None,
        }
    }

    /// Whether anybody found it damaged, here or in another process: its owner is to open it anew.
    pub(crate) fn is_to_be_opened_anew(&self) -> bool {
        if self.doubted {
            return false;
        }
        match (self.state(), damage_found(&self.dir)) {
            (State::Damaged(_), Some(_)) => true,
            // The next start would not look for what nobody noted, and the one after that neither: once there is room.
            (State::Damaged(detail), None) => {
                self.note(&detail);
                damage_found(&self.dir).is_some()
            }
            (_, Some(detail)) => {
                *self.lock() = State::Damaged(detail);
                true
            }
            (_, None) => false,
        }
    }

    /// Names an error that was met in using the store. Damage of its file is noted, once: the next start reads the file whole,
    /// however lately that was done.
    pub(crate) fn met(&self, error: Error) -> Error {
        let error = damage::named(&self.dir.join(FILE), error);
        if let Error::StoreDamaged { path, detail } = &error
            && damage::is_store(&self.dir, path)
            && self.damaged().is_none()
        {
            if !self.doubted {
                tracing::error!(
                    detail,
                    "the store is damaged; Bobbin writes no more to it, and moves it aside when it opens it next"
                );
                self.found(State::Damaged(detail.clone()));
            } else if damage_found(&self.dir).is_none() {
                tracing::error!(
                    detail,
                    "the store seems damaged, as before the start that found no damage in it"
                );
                self.note(detail);
            }
        }
        error
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    /// The store was closed in order: what the next one who opens it may go by. Without it the file is read whole.
    pub(super) fn closed(self) {
        if let Some(mark) = self.mark()
            && let Ok(text) = serde_json::to_vec(&mark)
            && let Err(error) = write_private(&self.dir.join(NAME), &text)
        {
            tracing::warn!(%error, "Bobbin reads the whole store at the next start");
        }
    }

    fn mark(&self) -> Option<Mark> {
        let (State::Whole(checked_micros) | State::Earlier(checked_micros)) = self.state() else {
            return None;
        };
        let file = look(&self.dir).filter(|file| file.bytes > SMALL_BYTES)?;
        // Whatever changes it from now on is seen.
        let changed = SystemTime::UNIX_EPOCH + Duration::from_nanos(file.changed);
        let since = changed.elapsed().unwrap_or_default();
        thread::sleep(STEP.saturating_sub(since));
        Some(Mark {
            file,
            checked_micros,
        })
    }
}

/// What was found wrong with a store that is in use.
pub(crate) fn damage_found(dir: &Path) -> Option<String> {
    fs::read_to_string(dir.join(FOUND)).ok()
}

/// It was looked for at a start: what was damaged is moved aside.
///
/// # Errors
/// [`crate::Error::Io`].
pub(super) fn damage_settled(dir: &Path) -> Result<()> {
    let path = dir.join(FOUND);
    match fs::remove_file(&path) {
        Err(source) if source.kind() != ErrorKind::NotFound => Err(at(&path)(source)),
        _ => Ok(()),
    }
}

/// The number that the system gave the file, where it gives any.
fn which(dir: &Path) -> Option<u64> {
    #[cfg(unix)]
    let number = |file: fs::Metadata| Some(std::os::unix::fs::MetadataExt::ino(&file));
    #[cfg(not(unix))]
    let number = |_| None;
    dir.join(FILE).metadata().ok().and_then(number)
}

fn look(dir: &Path) -> Option<File> {
    let found = dir.join(FILE).metadata().ok()?;
    let changed = found.modified().ok()?;
    let changed = changed.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    Some(File {
        bytes: found.len(),
        changed: u64::try_from(changed.as_nanos()).ok()?,
    })
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::FileExt as _;
    use std::sync::mpsc::sync_channel;

    use rusqlite::{Connection, OpenFlags};

    use super::*;
    use crate::store::open::{AT_START, AtStart, open_owner_of};
    use crate::store::tests::{Runs, State};
    use crate::store::{Readers, Writer, inspect, open_owner, read_whole};

    const NOW: Micros = Micros(1_700_000_000_000_000);

    /// A store beyond what is read in no time, closed in order.
    fn large() -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        let opened = open_owner(dir.path(), NOW).unwrap();
        opened
            .db
            .execute_batch(
                "create table large (bytes blob); insert into large values (zeroblob(9000000))",
            )
            .unwrap();
        close(opened);
        dir
    }

    fn close(opened: crate::store::Opened) {
        Writer::start(opened, State).unwrap().stop().unwrap();
    }

    /// Damages a page of the large value, and has the file look as it did.
    fn damage(dir: &Path) {
        let file = fs::OpenOptions::new()
            .write(true)
            .open(dir.join(FILE))
            .unwrap();
        let changed = file.metadata().unwrap().modified().unwrap();
        file.write_all_at(&[0xa5; 4_096], 4_000 * 1_024).unwrap();
        file.set_modified(changed).unwrap();
    }

    fn damaged(dir: &Path) -> usize {
        crate::store::damaged(dir).len()
    }

    /// Opens it as if it were too large to be read whole at any start.
    fn open_too_large(dir: &Path, now: Micros) -> crate::store::Opened {
        let none = AtStart {
            in_order: 1 << 20,
            otherwise: 1 << 20,
        };
        open_owner_of(dir, none, now).unwrap()
    }

    /// The same, if it stands as it was closed.
    fn open_in_order(dir: &Path, now: Micros) -> crate::store::Opened {
        let none = AtStart {
            in_order: 1 << 20,
            ..AT_START
        };
        open_owner_of(dir, none, now).unwrap()
    }

    /// What is wrong with one that stands as it was closed, found a day later and not at the start; the next start moves it
    /// aside.
    fn found_beside_its_owner(dir: &Path, later: Micros) -> Error {
        let opened = open_in_order(dir, later);
        assert!(matches!(opened.checked.state(), super::State::Earlier(_)));
        let error = read_whole(&opened.checked, later, &Arc::default()).unwrap_err();
        close(opened);
        assert_eq!(damaged(dir), 0);
        close(open_in_order(dir, later));
        assert_eq!(damaged(dir), 1);
        error
    }

    #[test]
    fn one_that_stands_as_it_was_closed_makes_nobody_wait_a_day_later_and_is_read_beside_its_owner()
    {
        let dir = large();
        let dir = dir.path();
        let later = Micros(NOW.0 + DAY);
        // Who is gone before it was read leaves it as it was found.
        for _ in 0..2 {
            let opened = open_in_order(dir, later);
            assert!(matches!(opened.checked.state(), super::State::Earlier(at) if at == NOW));
            close(opened);
        }
        damage(dir);
        let error = found_beside_its_owner(dir, later);
        assert!(matches!(error, Error::StoreDamaged { .. }), "{error}");
    }

    #[test]
    fn one_that_nobody_stays_to_read_is_read_whole_at_the_start_after_a_week() {
        let dir = large();
        let dir = dir.path();
        damage(dir);
        for after in [DAY, WEEK - 1] {
            close(open_in_order(dir, Micros(NOW.0 + after)));
            assert_eq!(damaged(dir), 0);
        }
        drop(open_in_order(dir, Micros(NOW.0 + WEEK)));
        assert_eq!(damaged(dir), 1);
    }

    #[test]
    fn the_schema_of_one_that_stands_as_it_was_closed_is_compared_when_it_is_read_whole() {
        let dir = large();
        let dir = dir.path();
        let path = dir.join(FILE);
        let changed = path.metadata().unwrap().modified().unwrap();
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE;
        let db = Connection::open_with_flags(&path, flags).unwrap();
        db.execute_batch("drop index cluster_started").unwrap();
        db.close().unwrap();
        let file = fs::OpenOptions::new().write(true).open(&path).unwrap();
        file.set_modified(changed).unwrap();
        let error = found_beside_its_owner(dir, Micros(NOW.0 + DAY));
        assert!(error.to_string().contains("cluster_started"), "{error}");
    }

    #[test]
    fn after_an_end_without_order_it_is_read_whole_at_the_start() {
        let dir = large();
        let dir = dir.path();
        drop(open_in_order(dir, NOW));
        damage(dir);
        drop(open_in_order(dir, NOW));
        assert_eq!(damaged(dir), 1);
    }

    #[test]
    fn one_that_is_too_large_for_the_start_counts_as_read_once_somebody_did() {
        let dir = large();
        let dir = dir.path();
        let later = Micros(NOW.0 + DAY);
        let go_on = Arc::default();
        // As after an end without order.
        fs::remove_file(dir.join(NAME)).unwrap();
        for read in [false, true] {
            let opened = open_too_large(dir, later);
            let checked = opened.checked.clone();
            assert!(matches!(checked.state(), super::State::NotYet));
            let stop = Arc::new(std::sync::atomic::AtomicBool::new(true));
            let error = read_whole(&checked, later, &stop).unwrap_err();
            assert!(matches!(error, Error::Stopping), "{error}");
            if read {
                read_whole(&checked, later, &go_on).unwrap();
            }
            close(opened);
            assert_eq!(dir.join(NAME).exists(), read);
        }
        // From now on it holds, as for a smaller one.
        let opened = open_too_large(dir, later);
        assert!(matches!(opened.checked.state(), super::State::Whole(at) if at == later));
        close(opened);
    }

    #[test]
    fn damage_of_one_that_is_too_large_for_the_start_is_found_beside_its_owner_and_moved_aside_next()
     {
        let dir = large();
        let dir = dir.path();
        let later = Micros(NOW.0 + DAY);
        damage(dir);
        let opened = open_too_large(dir, later);
        let checked = opened.checked.clone();
        assert_eq!((damaged(dir), damage_found(dir)), (0, None));
        for _ in 0..2 {
            let error = read_whole(&checked, later, &Arc::default()).unwrap_err();
            assert!(matches!(error, Error::StoreDamaged { .. }), "{error}");
        }
        assert!(damage_found(dir).is_some_and(|found| !found.is_empty()));
        close(opened);
        assert!(!dir.join(NAME).exists());
        close(open_too_large(dir, later));
        assert_eq!((damaged(dir), damage_found(dir)), (1, None));
    }

    #[test]
    fn a_file_that_stands_as_it_was_closed_is_read_whole_once_a_day() {
        let dir = large();
        let dir = dir.path();
        assert!(dir.join(NAME).exists());
        damage(dir);
        // It is not looked for: the file looks as it did.
        close(open_owner(dir, Micros(NOW.0 + DAY - 1)).unwrap());
        assert_eq!(damaged(dir), 0);
        damage(dir);
        drop(open_owner(dir, Micros(NOW.0 + DAY)).unwrap());
        assert_eq!(damaged(dir), 1);
    }

    #[test]
    fn it_is_read_whole_after_an_end_without_order_and_where_the_clock_went_back() {
        for (ended, now) in [(false, NOW), (true, Micros(NOW.0 - 1))] {
            let dir = large();
            let dir = dir.path();
            if !ended {
                drop(open_owner(dir, NOW).unwrap());
                assert!(!dir.join(NAME).exists());
            }
            damage(dir);
            drop(open_owner(dir, now).unwrap());
            assert_eq!(damaged(dir), 1, "{ended}");
        }
    }

    fn read_large(db: &Connection) -> Result<()> {
        let read = db.query_one("select bytes from large", [], |row| {
            row.get::<_, Vec<u8>>(0)
        });
        Ok(read.map(drop)?)
    }

    #[test]
    fn damage_that_anybody_meets_is_moved_aside_at_the_next_start() {
        for by in ["a reader", "the writer", "who looks for it"] {
            let dir = large();
            let dir = dir.path();
            let opened = open_owner(dir, NOW).unwrap();
            let readers = Readers::open(opened.checked.clone()).unwrap();
            let writer = Writer::start(opened, State).unwrap();
            damage(dir);
            let met = match by {
                "a reader" => readers.read(read_large),
                "the writer" => {
                    let (told, heard) = sync_channel(1);
                    writer.push(Box::new(Runs(read_large, told))).unwrap();
                    heard.recv().unwrap()
                }
                // From another process.
                _ => inspect(&Checked::unread(dir), &Arc::default()).map(drop),
            };
            let error = met.unwrap_err();
            assert!(matches!(error, Error::StoreDamaged { .. }), "{by}: {error}");
            assert!(damage_found(dir).is_some(), "{by}");
            readers.close();
            writer.stop().unwrap();
            assert_eq!(damaged(dir), 0);
            close(open_owner(dir, NOW).unwrap());
            assert_eq!((damaged(dir), damage_found(dir)), (1, None), "{by}");
        }
    }

    /// The store and its log, byte for byte.
    fn bytes(dir: &Path) -> [Option<Vec<u8>>; 2] {
        [FILE, "bobbin.sqlite-wal"].map(|name| fs::read(dir.join(name)).ok())
    }

    fn write(db: &Connection) -> Result<()> {
        Ok(db.execute_batch("insert into large values (randomblob(9000))")?)
    }

    #[test]
    fn what_is_damaged_is_written_to_no_more_and_kept_as_it_was_found() {
        for by in ["this process", "another one"] {
            let dir = large();
            let dir = dir.path();
            let opened = open_owner(dir, NOW).unwrap();
            let checked = opened.checked.clone();
            let writer = Writer::start(opened, State).unwrap();
            let run = |job: fn(&Connection) -> Result<()>| {
                let (told, heard) = sync_channel(1);
                writer.push(Box::new(Runs(job, told))).unwrap();
                heard.recv().unwrap()
            };
            run(write).unwrap();
            assert!(!checked.is_to_be_opened_anew());
            damage(dir);
            let whose = match by {
                "this process" => checked.clone(),
                _ => Checked::unread(dir),
            };
            inspect(&whose, &Arc::default()).unwrap_err();
            assert!(checked.is_to_be_opened_anew(), "{by}");
            let found = bytes(dir);
            assert!(found[1].as_ref().is_some_and(|log| !log.is_empty()));
            for _ in 0..3 {
                let error = run(write).unwrap_err();
                assert!(matches!(error, Error::StoreDamaged { .. }), "{by}: {error}");
            }
            writer.stop().unwrap();
            assert!(bytes(dir) == found, "{by}");
            // Its owner opens it anew, and what was found is kept.
            let opened = open_owner(dir, NOW).unwrap();
            let aside = crate::store::damaged(dir).pop().unwrap();
            assert!(bytes(&aside) == found, "{by}");
            assert!(!opened.checked.is_to_be_opened_anew());
        }
    }

    #[test]
    fn damage_of_what_was_moved_aside_meanwhile_condemns_no_other() {
        let dir = large();
        let dir = dir.path();
        let late = Checked::unread(dir);
        let met = || Error::StoreDamaged {
            path: dir.join(FILE),
            detail: "met late".into(),
        };
        damage(dir);
        inspect(&Checked::unread(dir), &Arc::default()).unwrap_err();
        let opened = open_owner(dir, NOW).unwrap();
        assert_eq!((damaged(dir), damage_found(dir)), (1, None));
        drop(late.met(met()));
        assert!(late.damaged().is_some());
        assert_eq!(damage_found(dir), None);
        assert!(!opened.checked.is_to_be_opened_anew());
        drop(Checked::unread(dir).met(met()));
        assert!(damage_found(dir).is_some());
        close(opened);
    }

    #[test]
    fn damage_that_is_met_while_the_file_is_read_whole_stays_known() {
        let dir = large();
        let opened = open_owner(dir.path(), NOW).unwrap();
        let checked = &opened.checked;
        drop(checked.met(Error::StoreDamaged {
            path: dir.path().join(FILE),
            detail: "met meanwhile".into(),
        }));
        checked.found(super::State::Whole(NOW));
        assert!(checked.damaged().is_some());
    }

    #[test]
    fn what_could_not_be_noted_is_opened_anew_once_it_could() {
        let dir = large();
        let opened = open_owner(dir.path(), NOW).unwrap();
        let checked = &opened.checked;
        let note = dir.path().join(FOUND);
        fs::create_dir(&note).unwrap();
        drop(checked.met(Error::StoreDamaged {
            path: dir.path().join(FILE),
            detail: "met without room".into(),
        }));
        assert!(checked.damaged().is_some());
        assert!(!checked.is_to_be_opened_anew());
        fs::remove_dir(&note).unwrap();
        assert!(checked.is_to_be_opened_anew());
        assert_eq!(
            damage_found(dir.path()).as_deref(),
            Some("met without room")
        );
    }

    #[test]
    fn where_no_damage_is_found_it_is_opened_anew_once() {
        let dir = large();
        let dir = dir.path();
        let met = || Error::StoreDamaged {
            path: dir.join(FILE),
            detail: "met once".into(),
        };
        let opened = open_owner(dir, NOW).unwrap();
        drop(opened.checked.met(met()));
        assert!(opened.checked.is_to_be_opened_anew());
        close(opened);
        let opened = open_owner(dir, NOW).unwrap();
        assert_eq!(damaged(dir), 0);
        assert_eq!(damage_found(dir), None);
        drop(opened.checked.met(met()));
        // The next start looks once more; this one goes on.
        assert!(damage_found(dir).is_some());
        assert!(!opened.checked.is_to_be_opened_anew());
        let writer = Writer::start(opened, State).unwrap();
        let (told, heard) = sync_channel(1);
        writer.push(Box::new(Runs(write, told))).unwrap();
        heard.recv().unwrap().unwrap();
        writer.stop().unwrap();
    }

    #[test]
    fn one_that_was_changed_is_read_whole() {
        let dir = large();
        let dir = dir.path();
        let path = dir.join(FILE);
        let mut bytes = fs::read(&path).unwrap();
        bytes[4_000 * 1_024..][..4_096].fill(0xa5);
        fs::write(&path, bytes).unwrap();
        drop(open_owner(dir, NOW).unwrap());
        assert_eq!(damaged(dir), 1);
    }

    #[test]
    fn a_mark_that_says_nothing_harms_nobody_and_a_small_store_has_none() {
        let dir = tempfile::tempdir().unwrap();
        close(open_owner(dir.path(), NOW).unwrap());
        let mark = dir.path().join(NAME);
        assert!(!mark.exists());
        for text in ["", "{}", "{\"file\":7}", "[[[["] {
            fs::write(&mark, text).unwrap();
            close(open_owner(dir.path(), NOW).unwrap());
            assert!(!mark.exists());
        }
        fs::create_dir(&mark).unwrap();
        drop(open_owner(dir.path(), NOW).unwrap());
    }
}
