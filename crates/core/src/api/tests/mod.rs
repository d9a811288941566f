//! One open Bobbin: who may open it, what it tells, what it seals, and what it refuses.

mod baseline;
mod close;
mod compare;
mod demo;
mod flame;
mod keys;
mod renewed;
mod report;
mod save;
mod sealed;
mod secrets;
mod sql;

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use super::*;
use crate::clock::ManualClock;
use crate::model::Micros;
use crate::testing::*;
use crate::{Code, Error, store};

fn open(dir: &Path, role: Role) -> crate::Result<App> {
    App::open(dir, role, Arc::new(ManualClock::at(Micros(at(0)))))
}

#[test]
fn one_owner_and_any_number_of_readers() {
    let bench = Bench::new();
    bench.send(batch(1, &[facts(0), sample(1, 1.0)]));
    assert!(matches!(
        open(bench.path(), Role::Owner),
        Err(Error::StoreInUse { .. })
    ));
    let reader = open(bench.path(), Role::Reader).unwrap();
    assert_eq!(
        clusters(&reader, ClustersRequest::default()).unwrap().total,
        1
    );
    bench.send(batch_of("Scheduler-2", "i", 1, &[sample(2, 1.0)]));
    assert_eq!(
        clusters(&reader, ClustersRequest::default()).unwrap().total,
        2
    );
    assert!(matches!(
        reader.ingest(batch(9, &[])),
        Err(Error::Refused(_))
    ));
    assert!(matches!(reader.new_ingest_key(), Err(Error::Refused(_))));
}

#[test]
fn a_reader_alone_reads_what_a_drained_owner_left_and_creates_no_store() {
    let bench = Bench::new();
    bench.send(batch(1, &[facts(0)]));
    bench.app.drain().unwrap();
    assert!(
        !bench.path().join("bobbin.sqlite-wal").exists(),
        "the log is in the file"
    );
    let reader = open(bench.path(), Role::Reader).unwrap();
    assert_eq!(
        clusters(&reader, ClustersRequest::default()).unwrap().total,
        1
    );
    let owner = open(bench.path(), Role::Owner).unwrap();
    owner
        .ingest(batch_of("Scheduler-2", "i", 1, &[sample(2, 1.0)]))
        .unwrap();
    assert_eq!(
        clusters(&reader, ClustersRequest::default()).unwrap().total,
        2
    );
    let empty = tempfile::tempdir().unwrap();
    assert!(matches!(
        open(empty.path(), Role::Reader),
        Err(Error::StoreMissing { .. })
    ));
    assert_eq!(fs::read_dir(empty.path()).unwrap().count(), 0);
}

#[test]
fn a_drained_bobbin_refuses_batches_and_still_answers() {
    let bench = Bench::new();
    bench.send(batch(1, &[facts(0)]));
    bench.app.drain().unwrap();
    bench.app.drain().unwrap();
    assert!(matches!(
        bench.app.ingest(batch(2, &[sample(1, 1.0)])),
        Err(Error::Stopping)
    ));
    assert!(matches!(
        bench.app.submit(batch(2, &[]), Box::new(|_| ())),
        Err(Error::Stopping)
    ));
    assert_eq!(
        clusters(&bench.app, ClustersRequest::default())
            .unwrap()
            .total,
        1
    );
}

#[test]
fn what_is_dropped_without_a_drain_is_stored_and_the_lock_is_free() {
    let bench = Bench::new();
    for seq in 1..50 {
        bench
            .app
            .submit(batch(seq, &[sample(seq as i64, 1.0)]), Box::new(|_| ()))
            .unwrap();
    }
    let dir = bench.dir;
    drop(bench.app);
    let again = open(dir.path(), Role::Owner).unwrap();
    let line = timeline(
        &again,
        TimelineRequest {
            id: 1,
            from_micros: None,
            to_micros: None,
            points: 0,
        },
    )
    .unwrap();
    assert_eq!(line.at_micros.len(), 49);
}

#[test]
fn a_newer_a_foreign_and_for_readers_a_damaged_store_are_refused_and_left_as_they_are() {
    let bench = Bench::new();
    bench.send(batch(1, &[facts(0)]));
    bench.app.drain().unwrap();
    let (dir, file) = (bench.path(), bench.path().join(store::FILE));
    let good = fs::read(&file).unwrap();

    raw(dir)
        .execute_batch(
            "pragma user_version = 99; drop view schema_version; create view schema_version as select 99 as number",
        )
        .unwrap();
    for role in [Role::Owner, Role::Reader] {
        let error = open(dir, role).err().unwrap();
        assert!(
            matches!(error, Error::StoreTooNew { found: 99, known } if known < 99),
            "{error}"
        );
        assert_eq!((error.code(), error.hint().is_some()), (Code::Store, true));
    }

    fs::write(&file, []).unwrap();
    raw(dir)
        .execute_batch("pragma application_id = 7; create table other (id)")
        .unwrap();
    assert!(matches!(open(dir, Role::Owner), Err(Error::Invalid { .. })));

    for damage in [0..100usize, 4_096 * 5..4_096 * 5 + 600] {
        let mut bad = good.clone();
        bad[damage].fill(0xa5);
        fs::write(&file, &bad).unwrap();
        // Most questions do not meet it: a reader looks through all when it is asked to.
        let error = open(dir, Role::Reader)
            .and_then(|app| app.inspect())
            .unwrap_err();
        assert!(matches!(error, Error::StoreDamaged { .. }), "{error}");
        assert!(error.hint().unwrap().contains("never overwritten"));
        assert_eq!(fs::read(&file).unwrap(), bad);
    }
    fs::write(&file, &good).unwrap();
    assert_eq!(
        clusters(&open(dir, Role::Owner).unwrap(), ClustersRequest::default())
            .unwrap()
            .total,
        1
    );
}

#[test]
fn everything_in_the_folder_is_for_its_owner_alone() {
    let bench = Bench::new();
    bench.send(sealed::secrets());
    crate::install::token(bench.path()).unwrap();
    assert_eq!(fs::metadata(bench.path()).unwrap().mode() & 0o777, 0o700);
    let mut names = Vec::new();
    for entry in fs::read_dir(bench.path()).unwrap() {
        let entry = entry.unwrap();
        let mode = if entry.file_name() == "public_key" {
            0o644
        } else {
            0o600
        };
        assert_eq!(
            entry.metadata().unwrap().mode() & 0o777,
            mode,
            "{:?}",
            entry.path()
        );
        names.push(entry.file_name().into_string().unwrap());
    }
    names.sort();
    assert_eq!(
        names,
        [
            "bobbin.sqlite",
            "bobbin.sqlite-shm",
            "bobbin.sqlite-wal",
            "fingerprint_key",
            "key",
            "lock",
            "public_key",
            "token"
        ]
    );
}

#[test]
fn a_commit_is_told_after_it_is_durable() {
    let bench = Bench::new();
    let heard = Arc::new(Mutex::new(Vec::new()));
    let (ear, reader) = (
        Arc::clone(&heard),
        open(bench.path(), Role::Reader).unwrap(),
    );
    let subscription = bench.app.subscribe(Box::new(move |change| {
        let total = clusters(&reader, ClustersRequest::default()).unwrap().total;
        ear.lock()
            .unwrap()
            .push((change.revision, change.cluster_ids.clone(), total));
    }));
    bench
        .send(batch(1, &[facts(0)]))
        .send(batch_of("Scheduler-2", "i", 1, &[sample(1, 1.0)]));
    bench.app.drain().unwrap();
    assert_eq!(*heard.lock().unwrap(), [(1, vec![1], 1), (2, vec![2], 2)]);
    drop(subscription);
}

#[test]
fn a_key_that_was_handed_out_is_known_after_a_restart_and_stored_only_as_a_digest() {
    let bench = Bench::new();
    let key = bench.app.new_ingest_key().unwrap();
    assert!(bench.app.ingest_key_known(key.expose()));
    assert!(!bench.app.ingest_key_known("") && !bench.app.ingest_key_known(&key.expose()[1..]));
    bench.app.drain().unwrap();
    let bytes = fs::read(bench.path().join(store::FILE)).unwrap();
    assert!(
        !bytes
            .windows(20)
            .any(|window| window == &key.expose().as_bytes()[..20])
    );
    assert!(
        open(bench.path(), Role::Owner)
            .unwrap()
            .ingest_key_known(key.expose())
    );
}

#[test]
fn every_command_answers_by_name_and_wrong_requests_are_refused() {
    let bench = Bench::new();
    bench.send(sealed::secrets());
    bench.app.count_refusal("wrong_token");
    bench.app.count_refusal("wrong_token");
    let mut answered = 0;
    // That one stores clusters of its own.
    for name in COMMANDS.iter().filter(|name| **name != "load_demo") {
        let request = match *name {
            "compare" => r#"{"a": 1, "b": 1}"#,
            "heat_map" => r#"{"edges": [0, 1]}"#,
            _ => r#"{"id": 1}"#,
        };
        let answer = match call(&bench.app, name, request).or_else(|_| call(&bench.app, name, "")) {
            Ok(answer) => answer,
            // Those that write, or ask for one thing by its name, need more than a cluster, or a key that is lost.
            Err(error)
                if matches!(error.code(), Code::Invalid | Code::NotFound | Code::Refused) =>
            {
                continue;
            }
            Err(error) => panic!("{name}: {error}"),
        };
        answered += 1;
        assert!(
            serde_json::from_str::<Value>(&answer).unwrap().is_object(),
            "{name}"
        );
    }
    assert!(answered > COMMANDS.len() / 2, "{answered}");
    let status: Value = serde_json::from_str(&call(&bench.app, "status", "{}").unwrap()).unwrap();
    assert_eq!(
        (&status["refused"]["wrong_token"], &status["clusters"]),
        (&json!(2), &json!(1))
    );
    assert_eq!(
        (&status["receiver"], &status["last_batch_micros"]),
        (&Value::Null, &json!(at(0)))
    );
    assert!(matches!(
        call(&bench.app, "drop_table", "{}"),
        Err(Error::UnknownCommand(_))
    ));
    for request in [
        "[",
        "7",
        r#"{"limit": -1}"#,
        r#"{"order": "; drop table cluster"}"#,
        r#"{"unknown": 1}"#,
    ] {
        assert!(
            matches!(
                call(&bench.app, "clusters", request),
                Err(Error::Invalid { .. })
            ),
            "{request}"
        );
    }
}
