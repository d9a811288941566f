//! A rotation that is killed.

use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::Instant;

use bobbin_core::api::{self, App, ExceptionsRequest, Role, SealedText};
use bobbin_core::clock::SystemClock;
use bobbin_core::wire;
use serde_json::json;

use super::{MESSAGE, batch, key};
use crate::support::{PATIENCE, Process, Sandbox};

/// Clusters with a sealed message each, and how many of those open.
fn messages(dir: &Path, role: Role) -> usize {
    let app = App::open(dir, role, Arc::new(SystemClock)).unwrap();
    let request = ExceptionsRequest {
        limit: 1_000,
        ..ExceptionsRequest::default()
    };
    let rows = api::exceptions(&app, request).unwrap().rows;
    let opened = rows
        .iter()
        .filter(|row| matches!(&row.message, SealedText::Text { text } if text == MESSAGE));
    let opened = opened.count();
    assert_eq!(opened, rows.len());
    opened
}

#[test]
fn a_rotation_that_is_killed_at_any_moment_loses_nothing() {
    const CLUSTERS: usize = 40;
    let sandbox = Sandbox::new();
    let dir = sandbox.data_dir();
    let app = App::open(&dir, Role::Owner, Arc::new(SystemClock)).unwrap();
    for cluster in 0..CLUSTERS {
        app.ingest(wire::decode(&batch(&format!("Scheduler-{cluster}"), 1)).unwrap())
            .unwrap();
    }
    app.drain().unwrap();
    drop(app);
    let begun = Instant::now();
    let first = key(&sandbox, &["rotate"])["name"].clone();
    let whole = begun.elapsed();
    // A small generator with a fixed seed: the moments differ, and are the same in each run of the test.
    let mut random = 0x2545_f491_4f6c_dd1d_u64;
    let (mut cut, mut names) = (0, vec![first]);
    // At least so often, and on until one of them was cut short.
    let until = Instant::now() + PATIENCE;
    for round in 0.. {
        if round >= 8 && (cut > 0 || Instant::now() > until) {
            break;
        }
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let mut rotating = Process::start(
            "bobbin key rotate",
            sandbox
                .command(Path::new(env!("CARGO_BIN_EXE_bobbin")))
                .arg("--data-dir")
                .arg(&dir)
                .args(["key", "rotate"]),
        );
        thread::sleep(whole.mul_f64((random % 1_000) as f64 / 1_000.0));
        rotating.kill();
        assert_eq!(messages(&dir, Role::Reader), CLUSTERS);
        let found = key(&sandbox, &[]);
        assert_eq!(
            (&found["state"], &found["lost_clusters"]),
            (&json!("open"), &json!(0))
        );
        cut += usize::from(found["rotation_left"].as_u64().unwrap() > 0);
        names.push(found["name"].clone());
    }
    let ended = key(&sandbox, &["rotate"]);
    assert_eq!(ended["rotation_left"], 0);
    assert_eq!(messages(&dir, Role::Owner), CLUSTERS);
    names.dedup();
    assert!(
        cut > 0 && names.len() > 1,
        "cut short {cut} times, {} keys",
        names.len()
    );
}
