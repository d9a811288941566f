//! Bundles on their way to one account: what was declared of each, the chunks that are here, and the room that they take.
//!
//! ```text
//! incoming/MEMBER-SHA256/declared.json   what will come; the time of this file is when something came last
//! incoming/MEMBER-SHA256/NUMBER          a chunk
//! ```

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, SystemTime};

use bobbin_core::install::{create_private, prepare, write_private};
use bobbin_core::ledger::digest;
use bobbin_core::lock::lock;
use bobbin_core::model::Micros;
use bobbin_core::signature::hexadecimal;
use bobbin_core::{Error, Result};
use sha2::{Digest, Sha256};

use super::account::{Asked, Denied};
use crate::team::Declared;

const DECLARED: &str = "declared.json";
/// How long an upload waits for its next chunk before it is forgotten: a week.
const WAITS: i64 = 7 * 86_400_000_000;

/// All of one account.
pub struct Incoming {
    dir: PathBuf,
    all: Mutex<BTreeMap<String, Arc<Coming>>>,
}

/// One bundle of one member.
pub struct Coming {
    folder: PathBuf,
    state: Mutex<Came>,
    /// Whoever declares or commits it does so alone.
    one: Mutex<()>,
}

#[derive(Clone, Copy)]
struct Came {
    bytes: u64,
    last: Micros,
}

impl Incoming {
    /// Those in `dir`, without what is over.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn open(dir: &Path, now: Micros) -> Result<Self> {
        prepare(dir)?;
        let mut all = BTreeMap::new();
        for entry in fs::read_dir(dir).map_err(at(dir))? {
            let folder = entry.map_err(at(dir))?.path();
            let said = fs::read(folder.join(DECLARED)).ok();
            let said = said.and_then(|text| serde_json::from_slice::<Declared>(&text).ok());
            match (folder.file_name().and_then(|name| name.to_str()), said) {
                (Some(name), Some(said)) => {
                    let coming = Coming {
                        state: Mutex::new(Came {
                            bytes: said.bytes,
                            last: touched(&folder.join(DECLARED)).unwrap_or(now),
                        }),
                        folder: folder.clone(),
                        one: Mutex::default(),
                    };
                    all.insert(name.to_owned(), Arc::new(coming));
                }
                // It was cut off before it was declared whole.
                _ => remove_folder(&folder)?,
            }
        }
        let incoming = Self {
            dir: dir.into(),
            all: Mutex::new(all),
        };
        incoming.expire(now)?;
        Ok(incoming)
    }

    /// Forgets what nobody went on with for a week.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn expire(&self, now: Micros) -> Result<()> {
        let mut all = lock(&self.all);
        let over: Vec<String> = all
            .iter()
            .filter(|(_, coming)| lock(&coming.state).last.0 < now.0 - WAITS)
            // Those that are being committed are not over.
            .filter(|(_, coming)| coming.one.try_lock().is_ok())
            .map(|(name, _)| name.clone())
            .collect();
        for name in over {
            remove_folder(&self.dir.join(&name))?;
            all.remove(&name);
        }
        Ok(())
    }

    /// Sets room aside for a bundle and remembers what it will be, if `fits` says that there is room beside all others that
    /// are on their way.
    pub fn declare(
        &self,
        name: &str,
        declared: &Declared,
        now: Micros,
        fits: impl Fn(u64) -> Asked<()>,
    ) -> Asked<Arc<Coming>> {
        self.expire(now)?;
        let text = serde_json::to_vec(declared).map_err(Error::from)?;
        loop {
            let coming = {
                let mut all = lock(&self.all);
                let others = all.iter().filter(|(other, _)| *other != name);
                fits(others.fold(0, |sum: u64, (_, coming)| {
                    sum.saturating_add(coming.bytes())
                }))?;
                let coming = all.entry(name.to_owned()).or_insert_with(|| {
                    Arc::new(Coming {
                        folder: self.dir.join(name),
                        state: Mutex::new(Came {
                            bytes: 0,
                            last: now,
                        }),
                        one: Mutex::default(),
                    })
                });
                *lock(&coming.state) = Came {
                    bytes: declared.bytes,
                    last: now,
                };
                Arc::clone(coming)
            };
            let _alone = coming.alone();
            if !lock(&self.all)
                .get(name)
                .is_some_and(|now| Arc::ptr_eq(now, &coming))
            {
                // It was committed or forgotten while this waited.
                continue;
            }
            let written = coming.write(&text, now);
            if written.is_err() && !coming.folder.join(DECLARED).exists() {
                lock(&self.all).remove(name);
            }
            written?;
            drop(_alone);
            return Ok(coming);
        }
    }

    /// The one of this name.
    pub fn find(&self, name: &str) -> Option<Arc<Coming>> {
        lock(&self.all).get(name).cloned()
    }

    /// Forgets one, with its chunks.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn forget(&self, name: &str) -> Result<()> {
        let mut all = lock(&self.all);
        remove_folder(&self.dir.join(name))?;
        all.remove(name);
        Ok(())
    }
}

impl Coming {
    /// Until this is dropped nobody else declares or commits it.
    pub fn alone(&self) -> MutexGuard<'_, ()> {
        lock(&self.one)
    }

    fn bytes(&self) -> u64 {
        lock(&self.state).bytes
    }

    fn write(&self, text: &[u8], now: Micros) -> Result<()> {
        if fs::read(self.folder.join(DECLARED)).ok().as_deref() != Some(text) {
            // Others cut the same bytes in the same way; whoever does not begins anew.
            remove_folder(&self.folder)?;
            prepare(&self.folder)?;
            write_private(&self.folder.join(DECLARED), text)?;
        }
        self.touch(now)
    }

    /// Notes that something came.
    fn touch(&self, now: Micros) -> Result<()> {
        lock(&self.state).last = now;
        let path = self.folder.join(DECLARED);
        let since = Duration::from_micros(u64::try_from(now.0).unwrap_or(0));
        File::options()
            .write(true)
            .open(&path)
            .and_then(|file| file.set_modified(SystemTime::UNIX_EPOCH + since))
            .map_err(at(&path))
    }

    /// What was declared.
    pub fn declared(&self) -> Asked<Declared> {
        match fs::read(self.folder.join(DECLARED)) {
            Ok(text) => Ok(serde_json::from_slice(&text).map_err(Error::from)?),
            Err(_) => Err(Denied::NotFound),
        }
    }

    /// Numbers of the chunks that are not here.
    pub fn missing(&self, declared: &Declared) -> Vec<usize> {
        (0..declared.chunks.len())
            .filter(|number| !self.chunk_path(*number).exists())
            .collect()
    }

    fn chunk_path(&self, number: usize) -> PathBuf {
        self.folder.join(number.to_string())
    }

    /// Keeps a chunk, if it is the one that was declared.
    pub fn chunk(&self, number: usize, bytes: &[u8], now: Micros) -> Asked<()> {
        let declared = self.declared()?;
        let said = declared.chunks.get(number).ok_or(Denied::NotFound)?;
        if digest(bytes) != *said {
            return Err(Denied::Other(Error::Invalid {
                what: "chunk",
                value: number.to_string(),
                reason: "it is not the declared bundle".into(),
            }));
        }
        let path = self.chunk_path(number);
        if !path.exists() {
            write_private(&path, bytes)?;
        }
        Ok(self.touch(now)?)
    }

    /// Puts the chunks behind each other in a file of their own, and looks whether the whole is the bundle of that hash; none
    /// if it is another one.
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::DiskFull`].
    pub fn assemble(&self, declared: &Declared, sha256: &str) -> Result<Option<PathBuf>> {
        let whole = self.folder.join("whole");
        remove_file(&whole)?;
        let mut file = create_private(&whole)?;
        let (mut hash, mut length) = (Sha256::new(), 0);
        for number in 0..declared.chunks.len() {
            let path = self.chunk_path(number);
            let mut bytes = Vec::new();
            File::open(&path)
                .and_then(|mut chunk| chunk.read_to_end(&mut bytes))
                .map_err(at(&path))?;
            length += bytes.len() as u64;
            hash.update(&bytes);
            file.write_all(&bytes).map_err(at(&whole))?;
        }
        file.sync_all().map_err(at(&whole))?;
        let found = hexadecimal(&hash.finalize());
        Ok((found == sha256 && length == declared.bytes).then_some(whole))
    }
}

fn touched(path: &Path) -> Option<Micros> {
    let since = fs::metadata(path).ok()?.modified().ok()?;
    let since = since.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    i64::try_from(since.as_micros()).ok().map(Micros)
}

/// Makes an [`Error`] of an I/O error at `path`.
pub fn at(path: &Path) -> impl FnOnce(std::io::Error) -> Error {
    move |source| match source.kind() {
        std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => Error::DiskFull,
        _ => Error::Io {
            path: path.into(),
            source,
        },
    }
}

/// Removes a folder, if it is there.
pub fn remove_folder(path: &Path) -> Result<()> {
    match fs::remove_dir_all(path) {
        Err(source) if source.kind() != std::io::ErrorKind::NotFound => Err(at(path)(source)),
        _ => Ok(()),
    }
}

/// Removes a file, if it is there.
pub fn remove_file(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Err(source) if source.kind() != std::io::ErrorKind::NotFound => Err(at(path)(source)),
        _ => Ok(()),
    }
}
