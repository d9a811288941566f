//! Writing a bundle, cluster by cluster, each from one state of the store.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use flate2::{Compression, GzBuilder};
use rusqlite::{OptionalExtension, named_params};
use sha2::{Digest, Sha256};

use super::FORMAT;
use super::manifest::{BundleBatch, BundleCluster, Manifest};
use crate::hex::hexadecimal;
use crate::install::{at, create_private, give_name};
use crate::model::{Micros, SourceFormat};
use crate::query::Unsealer;
use crate::seal::{FingerprintKey, Keys};
use crate::share::aliases::Aliases;
use crate::share::fields::line;
use crate::share::lens::Lens;
use crate::share::policy::{FILE as POLICY, Policy};
use crate::share::rows::{Cluster, Instance, Piece, Source, cluster};
use crate::share::{Choice, FieldCounts, Snapshot, stage, vocabulary};
use crate::wire::{Header, Record};
use crate::{Error, Result};

/// Plain bytes after which a batch is full; one record more may make it longer.
pub(super) const BATCH_BYTES: usize = 1 << 20;

/// A bundle that was written.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Written {
    pub(crate) manifest: Manifest,
    /// Of the file.
    pub(crate) bytes: u64,
    /// Of the file, in hexadecimal.
    pub(crate) sha256: String,
}

/// Writes the clusters with these numbers to a new file; there is a whole one or none. `snapshot` runs a question on one state
/// of the store. Nobody looks at it value by value, so a team's policy in the folder of the install binds each of them, and
/// `look` is given each batch, and gives the one that is written.
///
/// # Errors
/// Those of `look`; [`Error::Invalid`] for a policy that cannot be read; [`Error::NotFound`], [`Error::Refused`] for a cluster that cannot be told of, or where the file exists; [`Error::Locked`]
/// where code or text is asked for and the private key is not here; [`Error::Io`], [`Error::DiskFull`], [`Error::Sqlite`].
pub(crate) fn write(
    path: &Path,
    ids: &[i64],
    choice: Choice,
    keys: &Keys,
    aliases: &FingerprintKey,
    snapshot: &Snapshot<'_>,
    look: &mut dyn FnMut(String) -> Result<String>,
) -> Result<Written> {
    let policy = Policy::read(&keys.dir().join(POLICY))?;
    let choice = policy
        .as_ref()
        .map_or(choice, |policy| policy.narrowed(choice));
    if path.exists() {
        return Err(exists(path));
    }
    let mut body = Draft::new(path, ".body")?;
    let mut batches = Vec::new();
    let each = &mut |text: String| {
        let text = look(text)?;
        batches.push(said(&text));
        body.member(&text, Compression::default())
    };
    let clusters = tell_all(ids, choice, policy.as_ref(), keys, aliases, snapshot, each)?;
    let manifest = Manifest {
        kind: "manifest".into(),
        format: FORMAT,
        bobbin: env!("CARGO_PKG_VERSION").into(),
        choice,
        clusters,
        batches,
    };
    let mut whole = Draft::new(path, ".partial")?;
    let manifest_line = serde_json::to_string(&manifest)? + "\n";
    whole.member(&manifest_line, Compression::default())?;
    whole.take(&mut body)?;
    let (bytes, sha256) = whole.finish(path)?;
    Ok(Written {
        manifest,
        bytes,
        sha256,
    })
}

/// The batches of one cluster as [`write()`] would tell them, one behind the other, in memory alone.
///
/// # Errors
/// As [`write()`].
pub(crate) fn text(
    id: i64,
    choice: Choice,
    keys: &Keys,
    aliases: &FingerprintKey,
    snapshot: &Snapshot<'_>,
) -> Result<String> {
    let policy = Policy::read(&keys.dir().join(POLICY))?;
    let policy = policy.as_ref();
    let choice = policy.map_or(choice, |policy| policy.narrowed(choice));
    let mut whole = String::new();
    let each = &mut |text: String| {
        whole.push_str(&text);
        Ok(())
    };
    tell_all(&[id], choice, policy, keys, aliases, snapshot, each)?;
    Ok(whole)
}

/// All that is stored of the clusters with these numbers, each from one state of the store.
fn tell_all(
    ids: &[i64],
    choice: Choice,
    policy: Option<&Policy>,
    keys: &Keys,
    aliases: &FingerprintKey,
    snapshot: &Snapshot<'_>,
    each: &mut Batches<'_>,
) -> Result<Vec<BundleCluster>> {
    let names = stage::scanner(&stage::Desk::open(keys.dir())?, aliases)?;
    let aliases = Aliases::new(aliases);
    let mut clusters = Vec::new();
    for &id in ids {
        snapshot(&mut |db| {
            let cluster = cluster(db, id)?;
            let unsealer = choice.level.needs_key().then(|| Unsealer::new(keys));
            let source = Source {
                db,
                cluster: &cluster,
                unsealer,
                unread: BTreeMap::new(),
            };
            let lens = Lens::new(choice, &aliases, &cluster.said, group_names(&source)?)
                .under(policy)
                .naming_nobody(&names);
            clusters.push(tell(source, lens, each)?);
            Ok(())
        })?;
    }
    Ok(clusters)
}

fn exists(path: &Path) -> Error {
    Error::Refused(format!(
        "{} exists: nothing is written over it",
        path.display()
    ))
}

/// What the manifest says of a batch.
pub(in crate::share) fn said(text: &str) -> BundleBatch {
    BundleBatch {
        sha256: hexadecimal(&Sha256::digest(text.as_bytes())),
        bytes: text.len() as u64,
    }
}

/// Takes the text of one batch after the other.
type Batches<'a> = dyn FnMut(String) -> Result<()> + 'a;

/// All that is stored of a cluster, as the lens shows it.
///
/// # Errors
/// As [`write()`]; those of `each`.
pub(in crate::share) fn tell(
    mut source: Source<'_>,
    mut lens: Lens<'_>,
    each: &mut Batches<'_>,
) -> Result<BundleCluster> {
    let cluster = source.cluster;
    let mut told = Told::default();
    for instance in source.instances()? {
        let mut batch = Next::new(cluster, &instance, &lens);
        source.read(&instance, &mut |piece| {
            match piece {
                Piece::Gap(missing) => {
                    end(&mut batch, &lens, each)?;
                    batch.first_seq += missing;
                    told.missing += missing;
                }
                Piece::Record(record) => {
                    told.record(&record);
                    let text = line(&record, &mut lens)?;
                    if let Record::Cluster(_) = record {
                        told.name = name_in(&text)?;
                    }
                    batch.push(&text);
                    if batch.text.len() + lens.recorded_bytes() - batch.recorded >= BATCH_BYTES {
                        end(&mut batch, &lens, each)?;
                    }
                }
            }
            Ok(())
        })?;
        end(&mut batch, &lens, each)?;
    }
    let unknown = source
        .db
        .prepare_cached(include_str!("../sql/kept.sql"))?
        .query_one(named_params! { ":cluster_id": cluster.id }, |row| {
            row.get(0)
        })?;
    Ok(BundleCluster {
        cluster_id: lens_id(&lens, &cluster.scheduler_id),
        name: told.name,
        as_of_micros: cluster.heard,
        level: None,
        records: told.records,
        fields: counted(lens.counts(), &source.unread),
        missing_records: told.missing,
        pruned: pruned(&source)?,
        unknown_records: unknown,
        source: source_format(&source)?,
    })
}

/// Hands the batch at hand on, if there is something in it.
fn end(batch: &mut Next, lens: &Lens<'_>, each: &mut Batches<'_>) -> Result<()> {
    batch.recorded = lens.recorded_bytes();
    match batch.records {
        0 => Ok(()),
        _ => each(batch.take()?),
    }
}

pub(in crate::share) fn group_names(source: &Source<'_>) -> Result<Vec<(String, String)>> {
    let mut statement = source
        .db
        .prepare_cached(include_str!("../sql/group_names.sql"))?;
    let rows = statement.query_map(named_params! { ":cluster_id": source.cluster.id }, |row| {
        Ok((row.get("name")?, row.get("prefix")?))
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Of which kind the file was that it was read from, if no plugin told of it.
fn source_format(source: &Source<'_>) -> Result<Option<SourceFormat>> {
    let word: Option<String> = source
        .db
        .prepare_cached(include_str!("../sql/source_format.sql"))?
        .query_row(named_params! { ":cluster_id": source.cluster.id }, |row| {
            row.get(0)
        })
        .optional()?
        .flatten();
    Ok(word.as_deref().and_then(SourceFormat::of_word))
}

fn pruned(source: &Source<'_>) -> Result<BTreeMap<String, u64>> {
    let mut statement = source
        .db
        .prepare_cached(include_str!("../sql/pruned.sql"))?;
    let rows = statement.query_map(named_params! { ":cluster_id": source.cluster.id }, |row| {
        Ok((row.get("category")?, row.get("records")?))
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// With what was not even read.
fn counted(mut fields: FieldCounts, unread: &BTreeMap<&'static str, u64>) -> FieldCounts {
    for (&field, count) in unread {
        fields.entry(field.into()).or_default().withheld += count;
    }
    fields
}

/// Ids of schedulers are UUIDs with a word before them.
fn lens_id(lens: &Lens<'_>, scheduler_id: &str) -> String {
    match scheduler_id.strip_prefix("Scheduler-") {
        Some(id) => format!("Scheduler-{}", lens.id_of(id)),
        None => lens.id_of(scheduler_id),
    }
}

/// What the cluster is called in the bundle.
fn name_in(line: &str) -> Result<Option<String>> {
    #[derive(serde::Deserialize)]
    struct Named {
        name: Option<String>,
    }
    Ok(serde_json::from_str::<Named>(line)?.name)
}

/// What was told of a cluster.
#[derive(Default)]
struct Told {
    name: Option<String>,
    records: BTreeMap<String, u64>,
    missing: u64,
}

impl Told {
    fn record(&mut self, record: &Record) {
        *self.records.entry(record.kind().into()).or_default() += 1;
    }
}

/// The batch at hand.
struct Next {
    cluster_id: String,
    instance_id: String,
    plugin_version: String,
    /// When the last of it was made.
    at: Micros,
    first_seq: u64,
    records: u64,
    text: String,
    /// Bytes of texts that a recorder had taken when it began.
    recorded: usize,
}

impl Next {
    fn new(cluster: &Cluster, instance: &Instance, lens: &Lens<'_>) -> Self {
        Self {
            cluster_id: lens_id(lens, &cluster.scheduler_id),
            instance_id: lens.id_of(&instance.instance_id),
            plugin_version: vocabulary::version(&instance.plugin_version),
            at: instance.last_at.unwrap_or(cluster.heard),
            first_seq: 1,
            records: 0,
            text: String::new(),
            recorded: lens.recorded_bytes(),
        }
    }

    fn push(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
        self.records += 1;
    }

    /// The text of it, header first; the next one begins behind it.
    fn take(&mut self) -> Result<String> {
        let head = Header {
            protocol: 1,
            cluster_id: self.cluster_id.clone(),
            instance_id: self.instance_id.clone(),
            first_seq: self.first_seq,
            records: self.records,
            sent_at_micros: self.at,
            monotonic_micros: 0,
            plugin_version: self.plugin_version.clone(),
        };
        self.first_seq += self.records;
        self.records = 0;
        Ok(header(&head)? + &std::mem::take(&mut self.text))
    }
}

/// The first line of a batch.
pub(super) fn header(header: &Header) -> Result<String> {
    #[derive(serde::Serialize)]
    struct Tagged<'a> {
        kind: &'a str,
        #[serde(flatten)]
        header: &'a Header,
    }
    Ok(serde_json::to_string(&Tagged {
        kind: "header",
        header,
    })? + "\n")
}

/// A gzip member, which tells no time and no name.
///
/// # Errors
/// Hardly any: it is made in memory.
pub(in crate::share) fn member(text: &str) -> io::Result<Vec<u8>> {
    packed(text, Compression::default())
}

fn packed(text: &str, level: Compression) -> io::Result<Vec<u8>> {
    let mut packed = GzBuilder::new().mtime(0).write(Vec::new(), level);
    packed.write_all(text.as_bytes())?;
    packed.finish()
}

/// What a process calls its draft of a part of the bundle at `path`.
pub(super) fn draft(path: &Path, process: u32, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{process}{end}"));
    PathBuf::from(name)
}

/// A file that is not whole yet: it goes unless it is finished.
pub(in crate::share) struct Draft {
    path: PathBuf,
    file: File,
    hash: Sha256,
    bytes: u64,
}

impl Draft {
    /// Beside `path`.
    pub(in crate::share) fn new(path: &Path, end: &str) -> Result<Self> {
        // Of this process: what one that was killed left keeps nobody from writing.
        let path = draft(path, std::process::id(), end);
        Ok(Self {
            file: create_private(&path)?,
            path,
            hash: Sha256::new(),
            bytes: 0,
        })
    }

    pub(super) fn member(&mut self, text: &str, level: Compression) -> Result<()> {
        let packed = packed(text, level).map_err(at(&self.path))?;
        self.add(&packed)
    }

    pub(in crate::share) fn add(&mut self, bytes: &[u8]) -> Result<()> {
        self.file.write_all(bytes).map_err(at(&self.path))?;
        self.hash.update(bytes);
        self.bytes += bytes.len() as u64;
        Ok(())
    }

    /// Adds all of another one.
    pub(super) fn take(&mut self, other: &mut Self) -> Result<()> {
        other
            .file
            .seek(SeekFrom::Start(0))
            .map_err(at(&other.path))?;
        let mut piece = vec![0; 1 << 16];
        loop {
            match other.file.read(&mut piece) {
                Ok(0) => return Ok(()),
                Ok(read) => self.add(&piece[..read])?,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(at(&other.path)(error)),
            }
        }
    }

    /// Has all of it on the disk.
    pub(in crate::share) fn sync(&self) -> Result<()> {
        self.file.sync_all().map_err(at(&self.path))
    }

    /// Makes it the file that was asked for: its size and hash.
    pub(in crate::share) fn finish(self, path: &Path) -> Result<(u64, String)> {
        self.sync()?;
        if !give_name(&self.path, path)? {
            return Err(exists(path));
        }
        Ok((self.bytes, hexadecimal(&self.hash.clone().finalize())))
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        match fs::remove_file(&self.path) {
            // It may have become the bundle itself.
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                tracing::warn!(path = %self.path.display(), %error, "a draft of a bundle is left");
            }
            _ => {}
        }
    }
}
