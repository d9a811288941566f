//! Batches that arrive as files, whole, torn and hostile.

mod bundles;
mod files;
mod spool;
mod taken;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::Value;

use super::*;
use crate::api::{ClusterRow, ClustersRequest, clusters};
use crate::testing::*;

/// An open Bobbin whose inbox is looked at by hand.
struct Arriving {
    bench: Bench,
    inbox: Inbox,
}

impl Arriving {
    fn new() -> Self {
        Self::with(&[])
    }

    fn with(others: &[PathBuf]) -> Self {
        let bench = Bench::new();
        let inbox = Inbox::open(bench.app.clone(), others).unwrap();
        Self { bench, inbox }
    }

    fn look(&self) -> Next {
        self.inbox.look(&|| true)
    }

    /// As the next start would find it.
    fn again(&self) -> Inbox {
        Inbox::open(self.bench.app.clone(), &self.inbox.others).unwrap()
    }

    fn own(&self) -> PathBuf {
        inbox_dir(self.bench.path())
    }

    fn rows(&self) -> Vec<ClusterRow> {
        clusters(&self.bench.app, ClustersRequest::default())
            .unwrap()
            .rows
    }

    /// How many samples are stored.
    fn samples(&self) -> i64 {
        self.bench
            .app
            .read(|db| Ok(db.query_one("select count(*) from sample", [], |row| row.get(0))?))
            .unwrap()
    }
}

/// A batch as it is posted: packed.
fn packed(first_seq: u64, records: &[Value]) -> Vec<u8> {
    gzip(&batch_text("Scheduler-1", "i", first_seq, records))
}

fn gzip(plain: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(plain).unwrap();
    encoder.finish().unwrap()
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}
