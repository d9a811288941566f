//! A bundle around lines of strangers, with a manifest that says what they are: behind hashes that fit, its readers meet the lines
//! themselves, and what they let pass goes into a store.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::Path;

use bobbin_core::api::{self, App};
use bobbin_core::wire::{self, Batch, Line};
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use crate::targets::{Run, store, way_of, way_of_batch};

/// A bundle is refused if a line of it cannot be read whole, and else it is taken, once, and what it holds can be said.
pub(crate) fn import() -> Run {
    let (dir, app) = store();
    let path = dir.path().join("input.bobbin");
    let mut number = 0;
    Box::new(move |bytes| {
        // The folder goes with the function.
        let _ = &dir;
        // A cluster that is here already is not taken.
        number += 1;
        let id = format!("Scheduler-{number}");
        let text = of_cluster(bytes, &id);
        let read = wire::decode(&text);
        let records = read.as_ref().map(records).unwrap_or_default();
        std::fs::write(&path, bundle(&id, &text, &records))
            .unwrap_or_else(|error| panic!("room for a file: {error}"));
        let opened = api::bundle_held(&path);
        let batch = match read {
            Ok(batch) => batch,
            Err(error) => {
                assert!(opened.is_err(), "what cannot be read is taken");
                return way_of(&error);
            }
        };
        let counted: u64 = records.values().sum();
        if counted == batch.lines.len() as u64 {
            let (manifest, _) =
                opened.unwrap_or_else(|error| panic!("what can be read is refused: {error}"));
            assert_eq!(manifest.clusters[0].records, records);
            taken(&app, &path, &id, batch.lines.is_empty());
        } else {
            assert!(opened.is_err(), "what this build does not know is taken");
        }
        way_of_batch(&batch)
    })
}

/// Takes a bundle that can be read.
fn taken(app: &App, path: &Path, id: &str, is_empty: bool) {
    let ids = [id.to_owned()];
    api::contained(path, path, &ids)
        .unwrap_or_else(|error| panic!("what can be read cannot be compared: {error}"));
    if is_empty {
        return;
    }
    for is_here in [false, true] {
        let imported = api::import(app, path)
            .unwrap_or_else(|error| panic!("what can be read is not stored: {error}"));
        let skipped: Vec<bool> = imported
            .clusters
            .iter()
            .map(|cluster| cluster.skipped.is_some())
            .collect();
        assert_eq!(skipped, [is_here], "it is taken once");
    }
}

/// The same batch of another cluster, where it has a header at all.
fn of_cluster(text: &[u8], id: &str) -> Vec<u8> {
    let end = text.iter().position(|byte| *byte == b'\n');
    let (first, rest) = text.split_at(end.unwrap_or(text.len()));
    match serde_json::from_slice::<Map<String, Value>>(first) {
        Ok(mut header) => {
            header.insert("cluster_id".into(), id.into());
            [Value::from(header).to_string().as_bytes(), rest].concat()
        }
        Err(_) => text.to_vec(),
    }
}

/// Records that this build knows whole, by kind.
fn records(batch: &Batch) -> BTreeMap<String, u64> {
    let mut counts = BTreeMap::new();
    for line in &batch.lines {
        if let Line::Known(record, None) = line {
            *counts.entry(record.kind().into()).or_default() += 1;
        }
    }
    counts
}

fn bundle(id: &str, text: &[u8], records: &BTreeMap<String, u64>) -> Vec<u8> {
    let hash = Sha256::digest(text);
    let sha256: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
    let manifest = json!({
        "kind": "manifest", "format": 1, "bobbin": "0.1.0", "choice": {"level": "everything", "identities": "real"},
        "clusters": [{
            "cluster_id": id, "name": null, "as_of_micros": 1_800_000_000_000_000_i64, "records": records, "fields": {},
            "missing_records": 0, "pruned": {}, "unknown_records": 0,
        }],
        "batches": [{"sha256": sha256, "bytes": text.len()}],
    });
    let mut bundle = packed(format!("{manifest}\n").as_bytes());
    bundle.extend(packed(text));
    bundle
}

fn packed(plain: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    // Writing into memory does not fail.
    let _ = encoder.write_all(plain);
    encoder.finish().unwrap_or_default()
}
