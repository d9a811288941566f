//! Stores apart from the folder of the install: of a file that somebody hands over, and of clusters as somebody else may see
//! them. Each lies in a private folder of its own, and goes with it.

use std::fs;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Once};
use std::time::{Duration, SystemTime};

use flate2::read::{GzDecoder, MultiGzDecoder};
use rusqlite::named_params;

use super::{App, Role};
use crate::clock::Clock;
use crate::hex::hexadecimal;
use crate::install::{at, prepare, random};
use crate::seal::FingerprintKey;
use crate::share::{self, Choice, POLICY, Policy};
use crate::store;
use crate::system::{Owner, lock_file};
use crate::wire::decode_stream;
use crate::{Error, Result};

/// How a bundle begins, and a file of batches does not.
const BUNDLE: &[u8] = br#"{"kind":"manifest","#;
/// The most that a file of batches may be, unpacked.
const MOST_BYTES: u64 = 1 << 30;
/// How the name of a folder begins.
const BEGINS: &str = "bobbin-apart-";
/// So old is a folder before another process looks whether its own is gone: one that was just made is not held yet.
const AGE: Duration = Duration::from_secs(60);

/// An open store that only reads. Dropping it removes its folder.
pub struct Apart {
    // Closed before the folder goes: fields are dropped in this order.
    app: App,
    _folder: Folder,
}

impl Apart {
    /// The store of a file: a bundle, or batches as a plugin with `destination: file` writes them.
    ///
    /// # Errors
    /// [`Error::Invalid`], [`Error::TooLarge`] if it is neither, is cut or was changed; [`Error::Io`], [`Error::DiskFull`].
    pub fn of_file(path: &Path, clock: &Arc<dyn Clock>) -> Result<Self> {
        let folder = Folder::new()?;
        let store = App::open(&folder.store(), Role::Owner, Arc::clone(clock))?;
        if is_bundle(path)? {
            let bundle = share::open(path)?;
            share::import(&bundle, store.now(), &mut |taking| store.take(taking))?;
        } else {
            let file = fs::File::open(path).map_err(at(path))?;
            let plain = MultiGzDecoder::new(file).take(MOST_BYTES);
            for (taken, batch) in decode_stream(BufReader::new(plain)).enumerate() {
                match batch {
                    Ok(batch) => store.import(vec![batch])?,
                    // Its writer was killed: what was whole before stands.
                    Err(Error::Io { source, .. })
                        if taken > 0 && source.kind() == std::io::ErrorKind::UnexpectedEof =>
                    {
                        break;
                    }
                    Err(error) => return Err(neither(path, &error)),
                }
            }
        }
        Self::reading(store, folder, clock)
    }

    /// What a choice comes to under the policy of `app`, and the text of that policy: another text tells other things.
    ///
    /// # Errors
    /// [`Error::Invalid`], [`Error::TooLarge`], [`Error::Io`] for a policy that cannot be read.
    pub fn narrowed(app: &App, choice: Choice) -> Result<(Choice, Option<String>)> {
        let policy = Policy::read(&app.dir().join(POLICY))?;
        Ok(policy.map_or((choice, None), |policy| {
            (policy.narrowed(choice), Some(policy.text().into()))
        }))
    }

    /// Clusters of `app` as a share of this choice would tell them, with the numbers that they have there. What looks like a secret,
    /// and nobody decides upon here, is masked.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Refused`] for a cluster that has not said yet who it is; [`Error::Locked`] where text is
    /// chosen and the private key is not here; [`Error::Io`], [`Error::DiskFull`], [`Error::Sqlite`].
    pub fn through_lens(app: &App, ids: &[i64], choice: Choice) -> Result<Self> {
        let folder = Folder::new()?;
        let clock = app.clock();
        let aliases = FingerprintKey::load_or_make(app.dir())?;
        let masks = share::Masks::new(app.dir())?;
        let mut ids = ids.to_vec();
        ids.sort_unstable();
        ids.dedup();
        let told = folder.path().join("told");
        for id in ids {
            share::write(
                &told,
                &[id],
                choice,
                app.keys(),
                &aliases,
                &|question| app.read_long(question),
                &mut |batch| masks.batch(&batch),
            )?;
            let bundle = share::open(&told)?;
            fs::remove_file(&told).map_err(at(&told))?;
            number_next(&folder.store(), id, app)?;
            let store = App::open(&folder.store(), Role::Owner, Arc::clone(&clock))?;
            share::import(&bundle, app.now(), &mut |taking| store.take(taking))?;
            store.drain()?;
        }
        let app = App::open(&folder.store(), Role::Reader, clock)?;
        Ok(Self {
            app,
            _folder: folder,
        })
    }

    fn reading(store: App, folder: Folder, clock: &Arc<dyn Clock>) -> Result<Self> {
        store.drain()?;
        drop(store);
        let app = App::open(&folder.store(), Role::Reader, Arc::clone(clock))?;
        Ok(Self {
            app,
            _folder: folder,
        })
    }

    /// The open store.
    pub fn app(&self) -> &App {
        &self.app
    }
}

fn neither(path: &Path, error: &Error) -> Error {
    Error::Invalid {
        what: "file",
        value: path.display().to_string(),
        reason: format!("it is neither a bundle nor a plugin's batches: {error}"),
    }
}

fn is_bundle(path: &Path) -> Result<bool> {
    let file = fs::File::open(path).map_err(at(path))?;
    if !file.metadata().map_err(at(path))?.is_file() {
        return Err(Error::Invalid {
            what: "file",
            value: path.display().to_string(),
            reason: "it is not a file".into(),
        });
    }
    let mut begin = [0; BUNDLE.len()];
    let read = GzDecoder::new(file).read_exact(&mut begin);
    Ok(read.is_ok() && begin == BUNDLE)
}

/// The next cluster of a store gets this number.
fn number_next(dir: &Path, id: i64, app: &App) -> Result<()> {
    let opened = store::open_owner(dir, app.now())?;
    let before = named_params! { ":number": id - 1 };
    let changed = opened
        .db
        .execute(include_str!("sql/number_next.sql"), before)?;
    if changed == 0 {
        opened
            .db
            .execute(include_str!("sql/number_first.sql"), before)?;
    }
    Ok(())
}

/// Removed when dropped. Where its process was killed, the next one that needs such a folder removes it.
pub(super) struct Folder {
    path: PathBuf,
    /// Locked for as long as the process lives.
    _held: fs::File,
}

impl Folder {
    /// Among the files of the system that do not last; readable by this user only.
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::DiskFull`].
    pub(super) fn new() -> Result<Self> {
        let among = std::env::temp_dir();
        let mut drawn = [0; 16];
        random(&mut drawn)?;
        let drawn = hexadecimal(&drawn);
        let path = among.join(format!("{BEGINS}{drawn}"));
        prepare(&path)?;
        let held = lock_file(&path).map_err(at(&path))?;
        held.lock().map_err(at(&path))?;
        static SWEPT: Once = Once::new();
        let about = held.metadata().map_err(at(&path))?;
        // What the clock of these files says: it was made right now.
        let now = about.modified().map_err(at(&path))?;
        SWEPT.call_once(|| sweep(&among, Owner::of(&about), now));
        Ok(Self { path, _held: held })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    fn store(&self) -> PathBuf {
        self.path.join("store")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.path) {
            tracing::warn!(%error, folder = %self.path.display(), "Bobbin could not remove a temporary store");
        }
    }
}

/// Removes the folders of `owner` among `among` whose processes are gone.
fn sweep(among: &Path, owner: Owner, now: SystemTime) {
    let Ok(entries) = fs::read_dir(among) else {
        return;
    };
    for entry in entries.flatten() {
        if !entry.file_name().to_string_lossy().starts_with(BEGINS) {
            continue;
        }
        // Not of what a link points to.
        let old = entry.metadata().is_ok_and(|about| {
            let made = about.modified().unwrap_or(now);
            about.is_dir()
                && Owner::of(&about) == owner
                && now.duration_since(made).is_ok_and(|age| age >= AGE)
        });
        let path = entry.path();
        let gone = || lock_file(&path).is_ok_and(|held| held.try_lock().is_ok());
        if old && gone() {
            match fs::remove_dir_all(&path) {
                Ok(()) => {
                    tracing::info!(folder = %path.display(), "removed what a killed process left behind")
                }
                Err(error) => {
                    tracing::warn!(%error, folder = %path.display(), "Bobbin could not remove what a killed process left behind")
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::{
        ClusterRequest, ClustersRequest, TaskGroupsRequest, cluster, clusters, export, task_groups,
    };
    use crate::testing::*;

    fn bench() -> Bench {
        let bench = Bench::new();
        for name in ["one", "two", "three"] {
            bench.send(batch_of(
                name,
                "i",
                1,
                &[
                    facts(0),
                    group(3, "inc", 2.0),
                    computation(5, "c", Some("canary_code()")),
                    stop(9),
                ],
            ));
        }
        bench
    }

    #[test]
    fn clusters_keep_their_numbers_and_lose_what_is_not_told() {
        let bench = bench();
        let lens = Apart::through_lens(&bench.app, &[3, 2, 3], Choice::default()).unwrap();
        let folder = lens._folder.path().to_owned();
        let rows = clusters(lens.app(), ClustersRequest::default())
            .unwrap()
            .rows;
        let mut ids: Vec<i64> = rows.iter().map(|row| row.id).collect();
        ids.sort_unstable();
        assert_eq!(ids, [2, 3]);
        assert!(rows[0].user.as_deref().unwrap().starts_with("user-"));
        let shown = cluster(lens.app(), ClusterRequest { id: 3 }).unwrap();
        assert_eq!(shown.facts.from_bundle.unwrap().level, "names");
        assert_eq!(
            task_groups(lens.app(), TaskGroupsRequest { id: 3 })
                .unwrap()
                .total,
            1
        );
        drop(lens);
        assert!(!folder.exists());
        assert!(Apart::through_lens(&bench.app, &[9], Choice::default()).is_err());
    }

    #[test]
    fn what_a_killed_process_left_goes_and_what_somebody_holds_stays() {
        let among = tempfile::tempdir().unwrap();
        let made = |name: &str| {
            let path = among.path().join(name);
            fs::create_dir(&path).unwrap();
            fs::write(path.join("told"), "a").unwrap();
            path
        };
        let (left, held, other) = (made("bobbin-apart-1"), made("bobbin-apart-2"), made("else"));
        let elsewhere = made("elsewhere");
        let link = among.path().join("bobbin-apart-3");
        std::os::unix::fs::symlink(&elsewhere, &link).unwrap();
        let holds = fs::File::open(&held).unwrap();
        holds.lock().unwrap();
        let owner = Owner::of(&fs::metadata(&left).unwrap());
        let there = || [&left, &held, &other, &elsewhere].map(|path| path.join("told").exists());
        // One that was just made may not be held yet.
        let now = fs::metadata(&elsewhere).unwrap().modified().unwrap();
        sweep(among.path(), owner, now);
        assert_eq!(there(), [true; 4]);
        let later = now + AGE * 2;
        sweep(among.path(), owner.another(), later);
        assert_eq!(there(), [true; 4], "they are somebody else's");
        sweep(among.path(), owner, later);
        assert_eq!(there(), [false, true, true, true]);
        drop(holds);
        sweep(among.path(), owner, later);
        assert_eq!(there(), [false, false, true, true]);
    }

    #[test]
    fn a_policy_narrows_a_choice_and_another_text_is_another_policy() {
        let bench = bench();
        let wide = Choice {
            level: share::Level::Everything,
            ..Choice::default()
        };
        let narrowed = || Apart::narrowed(&bench.app, wide);
        assert_eq!(narrowed().unwrap(), (wide, None));
        let put = |text: &str| fs::write(bench.path().join(POLICY), text).unwrap();
        put("level = 'metrics'");
        let (choice, text) = narrowed().unwrap();
        assert_eq!(choice.level, share::Level::Metrics);
        put("level = 'metrics'\nmust_drop = ['functions']");
        let (same, other) = narrowed().unwrap();
        assert_eq!(same, choice);
        assert!(text.is_some() && other.is_some() && text != other);
        put("level = 'nonsense'");
        assert!(narrowed().is_err());
    }

    #[test]
    fn a_bundle_and_a_file_of_batches_open_without_any_install() {
        let bench = bench();
        let path = bench.path().join("three.bobbin");
        export(&bench.app, &path, &[1, 2, 3], Choice::default()).unwrap();
        let clock = bench.app.clock();
        let opened = Apart::of_file(&path, &clock).unwrap();
        let total = |app: &App| clusters(app, ClustersRequest::default()).unwrap().total;
        assert_eq!(total(opened.app()), 3);
        let plain = batch_text("four", "i", 1, &[facts(0), sample(1, 1.0), stop(2)]);
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        std::io::Write::write_all(&mut packed, &plain).unwrap();
        let batches = bench.path().join("batches.bobbin");
        fs::write(&batches, packed.finish().unwrap()).unwrap();
        let opened = Apart::of_file(&batches, &clock).unwrap();
        assert_eq!(total(opened.app()), 1);
        let whole = fs::read(&batches).unwrap();
        let torn = [&whole[..], &whole[..whole.len() / 2]].concat();
        fs::write(&batches, torn).unwrap();
        let opened = Apart::of_file(&batches, &clock).unwrap();
        assert_eq!(total(opened.app()), 1);
        fs::write(&batches, &whole[..whole.len() / 2]).unwrap();
        assert!(Apart::of_file(&batches, &clock).is_err());
        let other = bench.path().join("other");
        fs::write(&other, "neither").unwrap();
        assert!(Apart::of_file(&other, &clock).is_err());
        assert!(Apart::of_file(bench.path(), &clock).is_err());
    }
}
