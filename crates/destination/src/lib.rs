//! A folder or an object store (S3, GCS, Azure) as a team account: bundles that a person reviewed, and beside them tables of
//! what they hold in Parquet, which Dask, DuckDB and Spark read where they lie.
//!
//! Objects are only added, and named by what they hold, so that members need no lock and never conflict. What they are called
//! is in `layout`.

mod client;
mod error;
mod follow;
mod known;
mod layout;
mod newest;
mod place;
mod send;
mod sending;
mod signed;
mod tables;
mod watch;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::path::Path as FilePath;
use std::sync::Arc;

use bobbin_core::api;
use bobbin_core::install::create_private;
use bobbin_core::ledger::{Ledger, Minted, place_named};
use bobbin_core::model::Micros;
use bobbin_core::share::Level;
use bobbin_core::signature::{SigningKey, hexadecimal};
use futures_util::TryStreamExt;
use object_store::buffered::BufWriter;
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt, PutMode, PutOptions, PutPayload};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

pub use error::{Error, Result};
pub use follow::{Picked, follow, note, pick_up};
pub use known::{Known, KnownList};
pub use newest::Lying;
pub use place::{choose_cryptography, is_address};
pub use send::{recall, send};
pub use sending::sending;
pub use signed::{Aside, Signature, Trust, accept, member_key};
pub use watch::KeysFrom;

use layout::Layout;
use watch::Watch;

/// What a `shared` or `recalled` object may be at most: a few hundred bytes are usual.
const MOST_WORDS_BYTES: u64 = 64 << 10;
/// What a bundle may be at most.
const MOST_BUNDLE_BYTES: u64 = 1 << 30;
const BUFFER_BYTES: usize = 1 << 20;

/// One open destination.
pub struct Destination {
    address: String,
    /// As the ledger names what this process opens.
    to: String,
    store: Arc<dyn ObjectStore>,
    layout: Layout,
    watch: Option<Arc<Watch>>,
}

/// A bundle that lies at a destination.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shared {
    pub format: u32,
    /// Of the bundle, in hexadecimal: its name.
    pub sha256: String,
    pub bytes: u64,
    /// Under which its tables lie.
    pub account: String,
    /// Who shared it, as they call themselves.
    pub by: Option<String>,
    pub shared_at_micros: Micros,
    pub clusters: u64,
    pub level: Level,
    /// Its clusters, each with the time up to which it knows of it.
    #[serde(default)]
    pub told: BTreeMap<String, Micros>,
    /// Of all of the above, by whoever shared it; earlier Bobbins did not sign.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signed: Option<Signature>,
}

/// That a bundle was taken back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recalled {
    pub format: u32,
    pub sha256: String,
    pub by: Option<String>,
    pub recalled_at_micros: Micros,
    /// Of all of the above, by whoever took it back; earlier Bobbins did not sign.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signed: Option<Signature>,
}

/// What every object of words says first.
const FORMAT: u32 = 1;

/// Who shares, and under which account.
#[derive(Clone, Debug)]
pub struct Member {
    pub account: String,
    pub name: Option<String>,
}

impl Member {
    /// # Errors
    /// [`bobbin_core::Error::Invalid`] if the account cannot be a part of an address.
    pub fn new(account: &str, name: Option<String>) -> Result<Self> {
        if !layout::is_account(account) {
            return Err(Error::invalid(
                "account",
                account,
                "use letters, digits, `-`, `_` and `.`, at most 64",
            ));
        }
        Ok(Self {
            account: account.into(),
            name,
        })
    }
}

impl Destination {
    /// Opens `s3://bucket/folder`, `gs://…`, `az://…` or a folder. Keys of object stores come from where their own tools
    /// have them in the environment (`AWS_…`, `GOOGLE_…`, `AZURE_…`). Each connection to another machine is a row of the ledger
    /// first.
    ///
    /// # Errors
    /// [`bobbin_core::Error::Invalid`] if it is no such address; [`Error::Place`] where it cannot be used.
    pub fn open(address: &str, keys: KeysFrom, ledger: &Ledger) -> Result<Self> {
        let place = place::open(address, keys, ledger)?;
        Ok(Self {
            address: address.into(),
            to: place_named(address, place::server(address).as_deref()),
            store: place.store,
            layout: Layout::below(place.root),
            watch: place.watch,
        })
    }

    /// As it was opened by.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Puts a bundle there, and tables of it, and says so, signed with `key`. Doing so again changes nothing, unless what was
    /// said before is not signed, or was changed; what was cut off is done again from the start.
    ///
    /// # Errors
    /// [`bobbin_core::Error::Refused`] if the file is not what was approved for here, or was recalled; those of
    /// [`api::import`]; [`Error::Place`].
    pub async fn share(
        &self,
        bundle: &FilePath,
        minted: Minted,
        member: &Member,
        key: &SigningKey,
        now: Micros,
    ) -> Result<Shared> {
        let sha256 = minted.sha256();
        if minted.to() != self.to {
            return Err(Error::refused(format!(
                "{sha256} was approved for {}, not for {}",
                minted.to(),
                self.to
            )));
        }
        // From here on a private copy is what is looked at, sent and read: nobody can put other bytes in its place.
        let folder = tempfile::tempdir().map_err(|source| io(&std::env::temp_dir(), source))?;
        let copy = folder.path().join("bundle");
        let (found, bytes) = copied(bundle, &copy)?;
        if found != sha256 {
            return Err(Error::refused(format!(
                "{} is not what you approved: its hash is {found}, not {sha256}",
                bundle.display()
            )));
        }
        self.not_recalled(sha256).await?;
        let manifest = api::bundle(&copy)?;
        let tables = tables::of_bundle(&copy)?;
        self.send(&self.layout.bundle(sha256), &copy).await?;
        let shared = Shared {
            format: FORMAT,
            sha256: sha256.into(),
            bytes,
            account: member.account.clone(),
            by: member.name.clone(),
            shared_at_micros: now,
            clusters: manifest.clusters.len() as u64,
            level: manifest.choice.level,
            told: manifest
                .clusters
                .iter()
                .map(|one| (one.cluster_id.clone(), one.as_of_micros))
                .collect(),
            signed: None,
        }
        .signed_with(key)?;
        self.put_tables(&tables, &shared, &self.list().await?)
            .await?;
        let path = self.layout.shared(sha256);
        let shared = if self.add(&path, &shared).await? {
            shared
        } else {
            // Somebody shared the same bytes before.
            let before: Shared = self.words(&path).await?;
            if before.signer().is_some() || before.account != shared.account {
                before
            } else {
                self.replace(&path, &shared).await?;
                shared
            }
        };
        // A recall that came in between found no more than a part.
        if let Err(recalled) = self.not_recalled(sha256).await {
            self.remove(self.objects_of(sha256).await?).await?;
            return Err(recalled);
        }
        self.settle_tables(&shared).await?;
        Ok(shared)
    }

    /// What lies there and was not taken back, the oldest first. Objects that are none of Bobbin's are passed over, and so are
    /// recalls of what is signed by anybody but its signer.
    ///
    /// # Errors
    /// [`Error::Place`].
    pub async fn list(&self) -> Result<Vec<Shared>> {
        let recalled = self.hashes(&self.layout.all_recalled()).await?;
        let mut found = Vec::new();
        for sha256 in self.hashes(&self.layout.all_shared()).await? {
            let is_recalled = recalled.contains(&sha256);
            match self.words::<Shared>(&self.layout.shared(&sha256)).await {
                Ok(shared) if shared.sha256 == sha256 && layout::is_account(&shared.account) => {
                    if !is_recalled || !self.is_recalled_rightly(&shared).await {
                        found.push(shared);
                    }
                }
                // Of a later format, or nobody's.
                Ok(_) | Err(Error::Core(_)) => {}
                // It may be going just now.
                Err(_) if is_recalled => {}
                Err(error) => return Err(error),
            }
        }
        found.sort_by(|a, b| (a.shared_at_micros, &a.sha256).cmp(&(b.shared_at_micros, &b.sha256)));
        Ok(found)
    }

    /// Which bundles were taken back.
    ///
    /// # Errors
    /// [`Error::Place`].
    pub async fn recalled(&self) -> Result<BTreeSet<String>> {
        self.hashes(&self.layout.all_recalled()).await
    }

    /// Brings a bundle here, into a new private file that has its name only once it is whole and has its hash.
    ///
    /// # Errors
    /// [`bobbin_core::Error::Refused`] if it is not what its name says; [`bobbin_core::Error::TooLarge`]; [`Error::Place`];
    /// those of the file.
    pub async fn fetch(&self, sha256: &str, to: &FilePath) -> Result<()> {
        if !layout::is_hash(sha256) {
            return Err(Error::invalid(
                "bundle",
                sha256,
                "use 64 hexadecimal digits",
            ));
        }
        let unfinished = to.with_extension("part");
        let fetched = self.fetch_into(sha256, &unfinished).await;
        match fetched {
            Ok(()) => std::fs::rename(&unfinished, to).map_err(|source| io(to, source)),
            Err(error) => {
                // What is left of it is of no use to anybody.
                let _ = std::fs::remove_file(&unfinished);
                Err(error)
            }
        }
    }

    /// Takes a bundle back: it is marked first, signed with `key`, then it and its tables are deleted, and looked for again.
    /// Members who have it already keep what they have.
    ///
    /// # Errors
    /// [`bobbin_core::Error::Refused`] if another key signed that it is shared, or if something of it is still there
    /// afterwards; [`Error::Place`].
    pub async fn recall(
        &self,
        sha256: &str,
        by: Option<String>,
        key: &SigningKey,
        now: Micros,
    ) -> Result<Recalled> {
        if !layout::is_hash(sha256) {
            return Err(Error::invalid(
                "bundle",
                sha256,
                "use 64 hexadecimal digits",
            ));
        }
        let gone = match self.words::<Shared>(&self.layout.shared(sha256)).await {
            Ok(shared) => Some(shared).filter(|shared| shared.sha256 == sha256),
            Err(error) if error.is_of_the_bundle() => None,
            Err(error) => return Err(error),
        };
        let owner = gone.as_ref().and_then(Shared::signer);
        if owner.is_some_and(|owner| owner != key.public()) {
            return Err(Error::refused(format!(
                "{sha256} at {} is signed with another key than yours: only whoever shared it can recall it",
                self.address
            )));
        }
        let path = self.layout.recalled(sha256);
        let recalled = Recalled {
            format: FORMAT,
            sha256: sha256.into(),
            by,
            recalled_at_micros: now,
            signed: None,
        }
        .signed_with(key)?;
        let recalled = if self.add(&path, &recalled).await? {
            recalled
        } else {
            match self.words::<Recalled>(&path).await {
                // Somebody took it back before.
                Ok(before) if owner.is_none() || before.signer() == owner => before,
                // That is nobody's word, or was not theirs to say.
                _ => {
                    self.replace(&path, &recalled).await?;
                    recalled
                }
            }
        };
        // What it holds goes first. What says of which clusters it was stays until all is done, for when this is cut off.
        self.remove(self.bytes_of(sha256).await?).await?;
        // Where an older one has a cluster of it, that one's rows count again.
        if let Some(gone) = &gone {
            self.settle_tables(gone).await?;
        }
        self.remove(self.objects_of(sha256).await?).await?;
        let left = self.objects_of(sha256).await?;
        match left.first() {
            None => Ok(recalled),
            Some(object) => Err(Error::refused(format!(
                "{object} is still at {} after Bobbin deleted it",
                self.address
            ))),
        }
    }

    /// Whether it answers at all.
    pub(crate) async fn is_there(&self) -> bool {
        self.recalled().await.is_ok()
    }

    /// Whether a recall that lies there counts: what is signed only its signer takes back.
    async fn is_recalled_rightly(&self, shared: &Shared) -> bool {
        let Some(key) = shared.signer() else {
            return true;
        };
        let said: Result<Recalled> = self.words(&self.layout.recalled(&shared.sha256)).await;
        let is_by_key = match &said {
            Ok(recalled) => recalled.sha256 == shared.sha256 && recalled.signer() == Some(key),
            Err(error) => !error.is_of_the_bundle(),
        };
        if !is_by_key {
            tracing::warn!(
                address = self.address,
                sha256 = shared.sha256,
                "ignored a recall that was not signed with the key that shared the bundle"
            );
        }
        is_by_key
    }

    async fn not_recalled(&self, sha256: &str) -> Result<()> {
        match self.store.head(&self.layout.recalled(sha256)).await {
            Ok(_) => Err(Error::refused(format!(
                "{sha256} was recalled from {}: recalled bundles cannot be shared again; change a decision, or share the cluster when it has grown",
                self.address
            ))),
            Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(self.at()(error)),
        }
    }

    async fn send(&self, path: &Path, file: &FilePath) -> Result<()> {
        let mut from = File::open(file).map_err(|source| io(file, source))?;
        let mut writer = BufWriter::new(Arc::clone(&self.store), path.clone());
        loop {
            let mut piece = vec![0; BUFFER_BYTES];
            let read = from.read(&mut piece).map_err(|source| io(file, source))?;
            if read == 0 {
                break;
            }
            piece.truncate(read);
            writer.put(piece.into()).await.map_err(self.at())?;
        }
        tokio::io::AsyncWriteExt::shutdown(&mut writer)
            .await
            .map_err(|source| {
                self.at()(object_store::Error::Generic {
                    store: "upload",
                    source: source.into(),
                })
            })
    }

    async fn fetch_into(&self, sha256: &str, file: &FilePath) -> Result<()> {
        let got = self
            .store
            .get(&self.layout.bundle(sha256))
            .await
            .map_err(self.at())?;
        let mut pieces = got.into_stream();
        let mut to = create_private(file)?;
        let (mut hash, mut bytes) = (Sha256::new(), 0u64);
        while let Some(piece) = pieces.try_next().await.map_err(self.at())? {
            bytes += piece.len() as u64;
            if bytes > MOST_BUNDLE_BYTES {
                return Err(bobbin_core::Error::TooLarge {
                    what: "the bundle",
                    limit: MOST_BUNDLE_BYTES,
                }
                .into());
            }
            hash.update(&piece);
            to.write_all(&piece).map_err(|source| io(file, source))?;
        }
        to.sync_all().map_err(|source| io(file, source))?;
        match hexadecimal(&hash.finalize()) {
            found if found == sha256 => Ok(()),
            found => Err(Error::refused(format!(
                "the bundle {sha256} at {} has changed: its hash is {found}",
                self.address
            ))),
        }
    }

    /// Whether it was not there yet.
    async fn add(&self, path: &Path, words: &impl Serialize) -> Result<bool> {
        let bytes = serde_json::to_vec(words).map_err(bobbin_core::Error::from)?;
        let options = PutOptions::from(PutMode::Create);
        match self
            .store
            .put_opts(path, PutPayload::from(bytes), options)
            .await
        {
            Ok(_) => Ok(true),
            Err(object_store::Error::AlreadyExists { .. }) => Ok(false),
            Err(error) => Err(self.at()(error)),
        }
    }

    /// Writes it, whatever was there.
    async fn replace(&self, path: &Path, words: &impl Serialize) -> Result<()> {
        let bytes = serde_json::to_vec(words).map_err(bobbin_core::Error::from)?;
        self.store
            .put(path, PutPayload::from(bytes))
            .await
            .map(drop)
            .map_err(self.at())
    }

    async fn words<T: for<'a> Deserialize<'a>>(&self, path: &Path) -> Result<T> {
        let got = self.store.get(path).await.map_err(self.at())?;
        if got.meta.size > MOST_WORDS_BYTES {
            return Err(bobbin_core::Error::TooLarge {
                what: "an object's content",
                limit: MOST_WORDS_BYTES,
            }
            .into());
        }
        let bytes = got.bytes().await.map_err(self.at())?;
        Ok(serde_json::from_slice(&bytes).map_err(bobbin_core::Error::from)?)
    }

    async fn hashes(&self, below: &Path) -> Result<BTreeSet<String>> {
        let listed = self.store.list(Some(below));
        listed
            .try_filter_map(async |object| Ok(layout::hash_of(&object.location)))
            .try_collect()
            .await
            .map_err(self.at())
    }

    /// Deletes objects, as far as they are still there.
    pub(crate) async fn remove(&self, paths: Vec<Path>) -> Result<()> {
        for path in paths {
            match self.store.delete(&path).await {
                Ok(()) | Err(object_store::Error::NotFound { .. }) => {}
                Err(error) => return Err(self.at()(error)),
            }
        }
        Ok(())
    }

    /// That the bundle is shared, and what it holds, as far as they are there.
    async fn objects_of(&self, sha256: &str) -> Result<Vec<Path>> {
        let mut found = self.if_there(self.layout.shared(sha256)).await?;
        found.extend(self.bytes_of(sha256).await?);
        Ok(found)
    }

    /// The bundle and its tables, as far as they are there.
    async fn bytes_of(&self, sha256: &str) -> Result<Vec<Path>> {
        let mut found = self.if_there(self.layout.bundle(sha256)).await?;
        found.extend(self.tables_of(sha256).await?);
        Ok(found)
    }

    async fn if_there(&self, path: Path) -> Result<Vec<Path>> {
        match self.store.head(&path).await {
            Ok(_) => Ok(vec![path]),
            Err(object_store::Error::NotFound { .. }) => Ok(Vec::new()),
            Err(error) => Err(self.at()(error)),
        }
    }

    async fn tables_of(&self, sha256: &str) -> Result<Vec<Path>> {
        let mut found = Vec::new();
        let all_tables = self.layout.all_tables();
        let mut tables = self.store.list(Some(&all_tables));
        while let Some(object) = tables.try_next().await.map_err(self.at())? {
            if layout::hash_of(&object.location).as_deref() == Some(sha256) {
                found.push(object.location);
            }
        }
        Ok(found)
    }

    fn at(&self) -> impl Fn(object_store::Error) -> Error {
        |source| match self.watch.as_ref().and_then(|watch| watch.refused()) {
            // The store only knows that nothing was opened.
            Some(why) => Error::refused(why),
            None => Error::Place {
                place: self.address.clone(),
                source,
            },
        }
    }
}

/// Copies into a new private file, and gives its hash and length.
fn copied(from: &FilePath, to: &FilePath) -> Result<(String, u64)> {
    let mut source = File::open(from).map_err(|source| io(from, source))?;
    let mut copy = create_private(to)?;
    let (mut hash, mut bytes) = (Sha256::new(), 0);
    let mut piece = vec![0; BUFFER_BYTES];
    loop {
        let read = source.read(&mut piece).map_err(|error| io(from, error))?;
        if read == 0 {
            return Ok((hexadecimal(&hash.finalize()), bytes));
        }
        bytes += read as u64;
        hash.update(&piece[..read]);
        copy.write_all(&piece[..read])
            .map_err(|error| io(to, error))?;
    }
}

fn io(path: &FilePath, source: std::io::Error) -> Error {
    let path = path.into();
    Error::Core(match source.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => bobbin_core::Error::NoRoomFor { path },
        _ => bobbin_core::Error::Io { path, source },
    })
}

#[cfg(test)]
mod tests;
