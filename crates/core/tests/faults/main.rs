//! What a machine does to a store, through the library as the doors use it: each is told in plain words, and what was stored
//! is there afterwards.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod copies;
mod damage;
mod machine;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bobbin_core::api::{App, ClustersRequest, Role, TimelineRequest, clusters, timeline};
use bobbin_core::clock::ManualClock;
use bobbin_core::model::Micros;
use bobbin_core::wire::{Batch, decode};

const FILE: &str = "bobbin.sqlite";
const START: i64 = 1_700_000_000_000_000;
const SECOND: i64 = 1_000_000;
const HOUR: i64 = 3_600 * SECOND;

struct Bench {
    clock: Arc<ManualClock>,
    dir: tempfile::TempDir,
}

impl Bench {
    fn new() -> Self {
        Self {
            clock: Arc::new(ManualClock::at(Micros(START))),
            dir: tempfile::tempdir().unwrap(),
        }
    }

    fn path(&self) -> &Path {
        self.dir.path()
    }

    fn file(&self) -> PathBuf {
        self.path().join(FILE)
    }

    fn open(&self, role: Role) -> bobbin_core::Result<App> {
        App::open(self.path(), role, Arc::clone(&self.clock) as _)
    }

    fn owner(&self) -> App {
        self.open(Role::Owner).unwrap()
    }

    /// A store of so many clusters with so many batches each, closed.
    fn filled(clusters: u64, batches: u64) -> Self {
        let bench = Self::new();
        let app = bench.owner();
        ingest(&app, clusters, batches);
        app.drain().unwrap();
        bench
    }

    /// The same, as somebody leaves it who is killed: its log has what its file has not, and the index of the log is gone.
    fn killed(clusters: u64, batches: u64) -> Self {
        let (bench, left) = (Self::new(), Self::new());
        let app = bench.owner();
        ingest(&app, clusters, batches);
        for entry in fs::read_dir(bench.path()).unwrap() {
            let (from, name) = entry.map(|one| (one.path(), one.file_name())).unwrap();
            if from.is_file() && !name.to_string_lossy().ends_with("-shm") {
                fs::copy(from, left.path().join(name)).unwrap();
            }
        }
        app.drain().unwrap();
        fs::set_permissions(left.path(), fs::Permissions::from_mode(0o700)).unwrap();
        left
    }

    /// Makes of a closed store one of a newer version; gives its bytes.
    fn update(&self) -> Vec<u8> {
        rusqlite::Connection::open_with_flags(self.file(), rusqlite::OpenFlags::default())
            .unwrap()
            .execute_batch(
                "pragma user_version = 9999; drop view schema_version; create view schema_version as select 9999 as number",
            )
            .unwrap();
        fs::read(self.file()).unwrap()
    }
}

fn ingest(app: &App, clusters: u64, batches: u64) {
    for cluster in 1..=clusters {
        for number in 0..batches {
            app.ingest(batch(cluster, number, START + number as i64 * SECOND))
                .unwrap();
        }
    }
}

/// The `number`-th batch of a cluster: who it is, a sample and an event.
fn batch(cluster: u64, number: u64, at: i64) -> Batch {
    let text = format!("canary {} {}", number, "words ".repeat(300));
    let lines = [
        format!(
            r#"{{"kind":"header","protocol":1,"cluster_id":"Scheduler-{cluster}","instance_id":"i{cluster}","first_seq":{},"records":3,"sent_at_micros":{at},"monotonic_micros":{},"plugin_version":"0.1.0"}}"#,
            1 + number * 3,
            1 + number
        ),
        format!(
            r#"{{"kind":"sample","at_micros":{at},"workers":1,"threads":1,"tasks":{{"processing":1}},"totals":{{"compute":{number}}}}}"#
        ),
        format!(
            r#"{{"kind":"event","at_micros":{at},"topic":"all","payload":{{"text":"{text}"}}}}"#
        ),
        format!(
            r#"{{"kind":"task_group","at_micros":{at},"group_id":"g{number}","name":"inc-{number}","prefix":"inc","states":{{"memory":1}},"seconds":{{"compute":1.0}},"result_bytes":1,"types":["int"],"start_micros":{at},"stop_micros":{at},"dependencies":[],"final":false}}"#
        ),
    ];
    decode(lines.join("\n").as_bytes()).unwrap()
}

/// Samples of a cluster, by its number in the store.
fn samples(app: &App, id: i64) -> usize {
    let request = TimelineRequest {
        id,
        from_micros: None,
        to_micros: None,
        points: 4_000,
    };
    timeline(app, request).unwrap().at_micros.len()
}

fn total(app: &App) -> u64 {
    clusters(app, ClustersRequest::default()).unwrap().total
}
