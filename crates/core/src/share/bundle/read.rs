//! Reading a bundle: nothing of it is used before all of it was looked at.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use flate2::bufread::GzDecoder;
use sha2::{Digest, Sha256};

use super::FORMAT;
use super::ahead::ahead;
use super::manifest::{BundleBatch, Manifest};
use crate::hex::hexadecimal;
use crate::install::at;
use crate::share::fields;
use crate::system::{open_unfollowed, read_at};
use crate::wire::{Batch, Limits, Line, decode, look_at_batch, without_value};
use crate::{Error, Result};

/// What a manifest may be: that of ten thousand clusters is smaller.
const MANIFEST: Limits = Limits {
    wire_bytes: 16 << 20,
    inflated_bytes: 64 << 20,
    ratio: 100,
};
/// What a member may be, packed: a record is longer than a batch of the plugin's where many were put together.
const BATCH: Limits = Limits {
    wire_bytes: 16 << 20,
    inflated_bytes: 16 << 20,
    ratio: 100,
};
/// Plain bytes of one cluster, which is stored in one transaction.
const CLUSTER_BYTES: u64 = 256 << 20;
const BUFFER_BYTES: usize = 64 << 10;

/// A bundle all of which was looked at: every byte is what the hashes say, every line can be read, and there are as many
/// records of each kind as its manifest counts.
pub(crate) struct Opened {
    pub(crate) manifest: Manifest,
    path: PathBuf,
    file: Arc<File>,
    /// Where the batches of each cluster are.
    places: BTreeMap<String, Place>,
}

/// Where the batches of a cluster are.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Place {
    /// In the file.
    offset: u64,
    /// In the manifest.
    first: usize,
    batches: usize,
}

/// Opens a bundle and looks at all of it.
///
/// # Errors
/// [`Error::Invalid`], [`Error::TooLarge`] if it is no bundle, is cut or was changed, or holds a line that cannot be read;
/// [`Error::Io`].
pub(crate) fn open(path: &Path) -> Result<Opened> {
    let (manifest, members) = begun(path)?;
    let mut opened = Opened {
        manifest,
        path: path.into(),
        file: Arc::clone(&members.file),
        places: BTreeMap::new(),
    };
    opened.check(members)?;
    Ok(opened)
}

/// Bytes that the batches of a bundle unpack to, as its manifest says. [`open`] refuses one that says it wrong.
///
/// # Errors
/// As [`open`].
pub(crate) fn unpacked_bytes(path: &Path) -> Result<u64> {
    let (manifest, _) = begun(path)?;
    let batches = manifest.batches.iter();
    Ok(batches.fold(0, |sum: u64, batch| sum.saturating_add(batch.bytes)))
}

/// The manifest of a bundle that was looked at before, without looking at the rest again.
///
/// # Errors
/// As [`open`].
pub(crate) fn look_at_manifest(path: &Path) -> Result<Manifest> {
    Ok(begun(path)?.0)
}

/// The manifest of a bundle, and what follows it.
fn begun(path: &Path) -> Result<(Manifest, Members)> {
    let file = open_unfollowed(path).map_err(at(path))?;
    let found = file.metadata().map_err(at(path))?;
    if !found.is_file() {
        return Err(invalid(path, "it is not a file"));
    }
    let mut members = Members::new(path, Arc::new(file), 0);
    let text = members
        .next(&MANIFEST)?
        .ok_or_else(|| invalid(path, "it is empty"))?;
    Ok((manifest(path, &text)?, members))
}

fn manifest(path: &Path, text: &[u8]) -> Result<Manifest> {
    #[derive(serde::Deserialize)]
    struct Begun {
        kind: String,
        format: u32,
    }
    let line = text.strip_suffix(b"\n").unwrap_or(text);
    let begun: Begun = serde_json::from_slice(line)
        .ok()
        .filter(|begun: &Begun| begun.kind == "manifest")
        .ok_or_else(|| invalid(path, "it does not start with a bundle's manifest"))?;
    if begun.format != FORMAT {
        return Err(invalid(
            path,
            &format!(
                "it has format {}, but this build reads {FORMAT}",
                begun.format
            ),
        ));
    }
    let manifest: Manifest = serde_json::from_slice(line).map_err(|error| {
        let reason = format!("its manifest cannot be read: {}", without_value(&error));
        invalid(path, &reason)
    })?;
    let known: BTreeSet<String> = fields().iter().map(ToString::to_string).collect();
    let mut named = BTreeSet::new();
    for cluster in &manifest.clusters {
        if !named.insert(&cluster.cluster_id) {
            return Err(invalid(path, "its manifest names a cluster twice"));
        }
        if let Some(field) = cluster.fields.keys().find(|field| !known.contains(*field)) {
            let field: String = field.chars().take(80).collect();
            return Err(invalid(
                path,
                &format!("its manifest names a field unknown to this build: {field}"),
            ));
        }
    }
    Ok(manifest)
}

impl Opened {
    /// The batches of one cluster, read once more.
    pub(crate) fn part(&self, cluster_id: &str) -> Option<Part> {
        let place = self.places.get(cluster_id)?;
        let said = &self.manifest.batches[place.first..place.first + place.batches];
        Some(Part(Texts {
            members: Members::new(&self.path, Arc::clone(&self.file), place.offset),
            said: Vec::from(said).into_iter(),
        }))
    }

    fn check(&mut self, members: Members) -> Result<()> {
        let mut texts = Texts {
            members,
            said: self.manifest.batches.clone().into_iter(),
        };
        let mut counted = ahead(&mut texts, |texts| self.look(texts))?;
        if !texts.members.ended()? {
            return Err(invalid(
                &self.path,
                "it contains more than its manifest says",
            ));
        }
        for cluster in &self.manifest.clusters {
            if cluster.records != counted.remove(&cluster.cluster_id).unwrap_or_default() {
                return Err(invalid(
                    &self.path,
                    "it holds a different number of records than its manifest says",
                ));
            }
        }
        Ok(())
    }

    /// Looks at all batches, and gives how many records of each kind each cluster has.
    fn look(&mut self, texts: &mut dyn Iterator<Item = Result<Text>>) -> Result<Counted> {
        let path = &self.path;
        let unread = |error: Error| invalid(path, &error.to_string());
        let mut counted = Counted::new();
        let mut bytes: BTreeMap<String, u64> = BTreeMap::new();
        let mut before: Option<String> = None;
        let named: BTreeSet<&str> = self
            .manifest
            .clusters
            .iter()
            .map(|one| one.cluster_id.as_str())
            .collect();
        for (index, text) in texts.enumerate() {
            let wrong = |reason: &str| invalid(path, &format!("batch {}: {reason}", index + 1));
            let Text { offset, plain } = text?;
            let (header, lines) = look_at_batch(&plain).map_err(unread)?;
            let id = header.cluster_id;
            if !named.contains(id.as_str()) {
                return Err(wrong(
                    "it belongs to a cluster that the manifest does not name",
                ));
            }
            match self.places.get_mut(&id) {
                Some(place) if before.as_ref() == Some(&id) => place.batches += 1,
                Some(_) => {
                    return Err(wrong("the batches of its cluster are not consecutive"));
                }
                None => {
                    let place = Place {
                        offset,
                        first: index,
                        batches: 1,
                    };
                    self.places.insert(id.clone(), place);
                }
            }
            let sum = bytes.entry(id.clone()).or_default();
            *sum += plain.len() as u64;
            if *sum > CLUSTER_BYTES {
                return Err(Error::TooLarge {
                    what: "a cluster of the bundle",
                    limit: CLUSTER_BYTES,
                });
            }
            let counts = counted.entry(id.clone()).or_default();
            for line in &lines {
                match line {
                    Line::Known(record, None) => {
                        *counts.entry(record.kind().into()).or_default() += 1;
                    }
                    Line::Known(_, Some(_)) | Line::Unknown(_) => {
                        return Err(wrong("a line contains something unknown to this build"));
                    }
                    Line::Refused(refusal) => {
                        return Err(wrong(&format!(
                            "line {} cannot be read: {}",
                            refusal.index + 1,
                            refusal.detail
                        )));
                    }
                }
            }
            before = Some(id);
        }
        Ok(counted)
    }
}

/// Records of each kind, by cluster.
type Counted = BTreeMap<String, BTreeMap<String, u64>>;

/// The batches of one cluster.
pub(crate) struct Part(Texts);

impl Iterator for Part {
    type Item = Result<Batch>;

    fn next(&mut self) -> Option<Self::Item> {
        let text = self.0.next()?;
        let path = &self.0.members.path;
        let unread = |error: Error| invalid(path, &error.to_string());
        Some(text.and_then(|text| decode(&text.plain).map_err(unread)))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

impl ExactSizeIterator for Part {}

/// The plain text of a batch, which is what the manifest says.
struct Text {
    /// Where its member begins in the file.
    offset: u64,
    plain: Vec<u8>,
}

/// The texts of batches that follow each other.
struct Texts {
    members: Members,
    /// What the manifest says of those to come.
    said: std::vec::IntoIter<BundleBatch>,
}

impl Iterator for Texts {
    type Item = Result<Text>;

    fn next(&mut self) -> Option<Self::Item> {
        let said = self.said.next()?;
        let offset = self.members.offset();
        let text = self.members.text(&said);
        Some(text.map(|plain| Text { offset, plain }))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.said.size_hint()
    }
}

impl ExactSizeIterator for Texts {}

/// The gzip members of a file, one after the other.
struct Members {
    path: PathBuf,
    file: Arc<File>,
    reader: BufReader<At>,
}

impl Members {
    fn new(path: &Path, file: Arc<File>, offset: u64) -> Self {
        let at = At {
            file: Arc::clone(&file),
            offset,
        };
        Self {
            path: path.into(),
            file,
            reader: BufReader::with_capacity(BUFFER_BYTES, at),
        }
    }

    /// Where the next one begins.
    fn offset(&self) -> u64 {
        self.reader.get_ref().offset - self.reader.buffer().len() as u64
    }

    fn ended(&mut self) -> Result<bool> {
        Ok(self.reader.fill_buf().map_err(at(&self.path))?.is_empty())
    }

    /// The plain text of the batch of which the manifest says this.
    fn text(&mut self, said: &BundleBatch) -> Result<Vec<u8>> {
        let text = self
            .next(&BATCH)?
            .ok_or_else(|| invalid(&self.path, "it is cut off: batches are missing"))?;
        let hash = hexadecimal(&Sha256::digest(&text));
        if hash != said.sha256 || text.len() as u64 != said.bytes {
            return Err(invalid(
                &self.path,
                "a batch was changed: its hash differs from the manifest",
            ));
        }
        Ok(text)
    }

    /// The plain text of the next one; none at the end of the file.
    fn next(&mut self, limits: &Limits) -> Result<Option<Vec<u8>>> {
        if self.ended()? {
            return Ok(None);
        }
        let begun = self.offset();
        let mut plain = Vec::new();
        GzDecoder::new((&mut self.reader).take(limits.wire_bytes))
            .take(limits.inflated_bytes + 1)
            .read_to_end(&mut plain)
            .map_err(|error| {
                invalid(&self.path, &format!("it is cut off, or not gzip: {error}"))
            })?;
        let most = limits.plain_bytes(self.offset() - begun);
        if plain.len() as u64 > most {
            return Err(Error::TooLarge {
                what: "a part of the bundle",
                limit: most,
            });
        }
        Ok(Some(plain))
    }
}

/// Reads a file from a place of its own.
struct At {
    file: Arc<File>,
    offset: u64,
}

impl Read for At {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = read_at(&self.file, buffer, self.offset)?;
        self.offset += read as u64;
        Ok(read)
    }
}

fn invalid(path: &Path, reason: &str) -> Error {
    Error::Invalid {
        what: "bundle",
        value: path.display().to_string(),
        reason: reason.into(),
    }
}
