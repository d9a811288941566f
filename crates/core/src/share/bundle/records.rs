//! A bundle out of records that were read from a file of another program: one cluster, and one instance of it.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use flate2::Compression;

use super::FORMAT;
use super::manifest::{BundleCluster, Manifest};
use super::write::{BATCH_BYTES, Draft, draft, header, said};
use crate::model::{Micros, SourceFormat};
use crate::share::{Choice, FieldCounts, Identities, Level};
use crate::wire::{Header, Line, Record, look_at_batch};
use crate::{Error, Result};

/// A cluster that was read from such a file.
pub(crate) struct Made {
    pub(crate) cluster_id: String,
    pub(crate) instance_id: String,
    pub(crate) name: String,
    pub(crate) as_of: Micros,
    pub(crate) source: SourceFormat,
}

/// Such a bundle is soon taken and gone: to pack it well would take longer than to read it.
const LEVEL: Compression = Compression::fast();

/// What holds the batches of a bundle until its first line is known, and what becomes the bundle.
const DRAFTS: [&str; 2] = [".body", ".partial"];

/// Writes a new bundle; there is a whole one or none. Gives what it says of itself.
///
/// # Errors
/// [`Error::Invalid`] if a record is not one that may be sent; [`Error::Refused`] where the file exists; [`Error::Io`],
/// [`Error::DiskFull`].
pub(crate) fn write_records(path: &Path, made: &Made, records: &[Record]) -> Result<Manifest> {
    let [body, whole] = DRAFTS;
    let mut body = Draft::new(path, body)?;
    let manifest = batches(made, records, &mut |text| body.member(text, LEVEL))?;
    let mut whole = Draft::new(path, whole)?;
    whole.member(&(serde_json::to_string(&manifest)? + "\n"), LEVEL)?;
    whole.take(&mut body)?;
    whole.finish(path)?;
    Ok(manifest)
}

/// Removes what a process that was killed left of the bundle that it wrote to `path`.
pub(crate) fn remove_drafts(path: &Path, process: u32) {
    for end in DRAFTS {
        // It may not have begun with it.
        let _ = fs::remove_file(draft(path, process, end));
    }
}

/// What such a bundle would say of itself.
///
/// # Errors
/// [`Error::Invalid`] if a record is not one that may be sent.
pub(crate) fn look_at_records(made: &Made, records: &[Record]) -> Result<Manifest> {
    batches(made, records, &mut |_| Ok(()))
}

/// Hands on the text of each batch, every line of which can be read.
fn batches(
    made: &Made,
    records: &[Record],
    each: &mut dyn FnMut(&str) -> Result<()>,
) -> Result<Manifest> {
    let mut batches = Vec::new();
    let mut counted: BTreeMap<String, u64> = BTreeMap::new();
    let mut lines = String::new();
    let (mut first, mut count) = (1, 0);
    for (index, record) in records.iter().enumerate() {
        lines += &serde_json::to_string(record)?;
        lines.push('\n');
        count += 1;
        *counted.entry(record.kind().into()).or_default() += 1;
        if lines.len() >= BATCH_BYTES || index + 1 == records.len() {
            let text = header(&head(made, first, count))? + &lines;
            readable(made, &text)?;
            batches.push(said(&text));
            each(&text)?;
            lines.clear();
            first += count;
            count = 0;
        }
    }
    Ok(Manifest {
        kind: "manifest".into(),
        format: FORMAT,
        bobbin: env!("CARGO_PKG_VERSION").into(),
        choice: Choice {
            level: Level::Everything,
            identities: Identities::Real,
        },
        clusters: vec![BundleCluster {
            cluster_id: made.cluster_id.clone(),
            name: Some(made.name.clone()),
            as_of_micros: made.as_of,
            level: None,
            records: counted,
            fields: FieldCounts::new(),
            missing_records: 0,
            pruned: BTreeMap::new(),
            unknown_records: 0,
            source: Some(made.source),
        }],
        batches,
    })
}

fn head(made: &Made, first_seq: u64, records: u64) -> Header {
    Header {
        protocol: 1,
        cluster_id: made.cluster_id.clone(),
        instance_id: made.instance_id.clone(),
        first_seq,
        records,
        sent_at_micros: made.as_of,
        monotonic_micros: 0,
        plugin_version: env!("CARGO_PKG_VERSION").into(),
    }
}

/// A file may hold numbers and texts that no record may.
fn readable(made: &Made, text: &str) -> Result<()> {
    let (_, lines) = look_at_batch(text.as_bytes())?;
    for line in &lines {
        if let Line::Refused(refusal) = line {
            return Err(Error::Invalid {
                what: "file",
                value: made.name.clone(),
                reason: format!(
                    "it contains data that no cluster reports: {}",
                    refusal.detail
                ),
            });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::StopRecord;

    #[test]
    fn what_is_soon_gone_is_packed_the_quick_way() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("one.bobbin");
        let at = Micros(1_800_000_000_000_000);
        let made = Made {
            cluster_id: "one".into(),
            instance_id: "i".into(),
            name: "one".into(),
            as_of: at,
            source: SourceFormat::PerformanceReport,
        };
        let stop = Record::Stop(StopRecord {
            at_micros: at,
            reason: "end_of_file".into(),
        });
        write_records(&path, &made, &[stop]).unwrap();
        // How a member was packed, by its head: 4 is the quickest way.
        assert_eq!(fs::read(&path).unwrap()[8], 4);
        assert!(crate::share::open(&path).is_ok());
    }
}
