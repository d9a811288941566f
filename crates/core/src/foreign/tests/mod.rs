//! Real files of three versions of Dask against what Dask itself says, and files of strangers.

mod hostile;
mod profiles;
mod real;

use std::io::{Read as _, Write};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use serde_json::Value;

use super::*;
use crate::wire::{ProfileRecord, SampleRecord, TaskGroupRecord, WorkerRecord};

const NOW: Micros = Micros(1_800_000_000_000_000);

/// A file that was made by `tests/fixtures/foreign/make.py`.
fn fixture(version: &str, name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests/fixtures/foreign")
        .join(version)
        .join(name)
}

fn unpacked(version: &str, name: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    GzDecoder::new(fs::File::open(fixture(version, name)).unwrap())
        .read_to_end(&mut bytes)
        .unwrap();
    bytes
}

fn gzip(plain: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(plain).unwrap();
    encoder.finish().unwrap()
}

/// What Dask itself said when the files were made.
fn truth(version: &str) -> Value {
    serde_json::from_slice(&fs::read(fixture(version, "truth.json")).unwrap()).unwrap()
}

/// What a reader makes of these bytes.
fn read_bytes(bytes: &[u8]) -> Result<(Made, Vec<Record>)> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("file");
    fs::write(&path, bytes).unwrap();
    let read = read(&path, "some/story.html", NOW)?;
    // Every record of it can be read as a batch.
    look_at_records(&read.0, &read.1)?;
    Ok(read)
}

/// Why these bytes are refused.
fn refused(bytes: &[u8]) -> String {
    match read_bytes(bytes) {
        Err(error @ (Error::Invalid { .. } | Error::TooLarge { .. })) => error.to_string(),
        Err(error) => panic!("another error: {error}"),
        Ok((made, records)) => panic!("taken: {} with {} records", made.cluster_id, records.len()),
    }
}

fn groups(records: &[Record]) -> Vec<&TaskGroupRecord> {
    let groups = records.iter().filter_map(|record| match record {
        Record::TaskGroup(group) => Some(&**group),
        _ => None,
    });
    groups.collect()
}

fn workers(records: &[Record]) -> Vec<&WorkerRecord> {
    let workers = records.iter().filter_map(|record| match record {
        Record::Worker(worker) => Some(&**worker),
        _ => None,
    });
    workers.collect()
}

fn samples(records: &[Record]) -> Vec<&SampleRecord> {
    let samples = records.iter().filter_map(|record| match record {
        Record::Sample(sample) => Some(&**sample),
        _ => None,
    });
    samples.collect()
}

fn profile(records: &[Record]) -> Option<&ProfileRecord> {
    records.iter().find_map(|record| match record {
        Record::Profile(profile) => Some(&**profile),
        _ => None,
    })
}

fn facts(records: &[Record]) -> &crate::wire::ClusterRecord {
    match &records[0] {
        Record::Cluster(facts) => facts,
        other => panic!("{other:?}"),
    }
}
