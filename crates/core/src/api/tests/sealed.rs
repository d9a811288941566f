//! Code and text never lie open, and open only where they belong.

use std::collections::BTreeSet;
use std::fs;
use std::io::Read;
use std::path::Path;

use rusqlite::Connection;
use serde_json::{Value, json};

use super::open;
use crate::api::*;
use crate::query::Unsealer;
use crate::seal::Place;
use crate::store;
use crate::testing::canaries::told;
use crate::testing::*;

/// Texts that must never lie open in the data folder.
const CANARIES: &[&str] = &[
    "canary-code",
    "canary-file",
    "canary-message",
    "canary-traceback",
    "canary-event",
    "canary-kept",
];

pub(super) fn secrets() -> crate::wire::Batch {
    secrets_of(facts(0))
}

/// Those of a cluster that says this of itself.
fn secrets_of(facts: Value) -> crate::wire::Batch {
    let kept = json!({"kind": "later", "text": "canary-kept"});
    let field = with(sample(9, 1.0), json!({"new": "canary-kept"}));
    batch(
        1,
        &[
            facts,
            computation(5, "c1", Some("canary-code")),
            exception(6, "e1", 1),
            event(7),
            kept,
            field,
        ],
    )
}

fn search(dir: &Path) {
    let mut files = 0;
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        let bytes = fs::read(&path).unwrap();
        files += 1;
        for canary in CANARIES {
            let found = bytes
                .windows(canary.len())
                .any(|window| window == canary.as_bytes());
            assert!(!found, "{canary} lies open in {}", path.display());
        }
    }
    assert!(files >= 3);
}

#[test]
fn no_code_and_no_text_lies_open_in_the_folder() {
    let bench = Bench::new();
    bench.send(secrets());
    search(bench.path());
    for seconds in 10..40 {
        bench.send(batch(seconds, &[exception(seconds as i64, "e1", seconds)]));
    }
    search(bench.path());
    bench.app.drain().unwrap();
    search(bench.path());
    let plain = fs::read(bench.path().join(store::FILE)).unwrap();
    assert!(
        plain.windows(10).any(|window| window == b"ValueError"),
        "types are plain, so the search does search"
    );
}

/// What lies plain of a cluster that says everything: names. Whoever adds one has decided that it may.
const PLAIN: [&str; 16] = [
    "canary-address",
    "canary-board",
    "canary-cluster",
    "canary-home",
    "canary-host",
    "canary-key",
    "canary-key-17",
    "canary-locale",
    "canary-project",
    "canary-resource",
    "canary-span",
    "canary-tag",
    "canary-topic",
    "canary-unit",
    "canary-user",
    "canary-worker",
];

/// What does not: code and its files, lines, messages, tracebacks and events.
const HIDDEN: [&str; 7] = [
    "canary-event",
    "canary-file",
    "canary-line",
    "canary-message",
    "canary-payload",
    "canary-traceback",
    "canary_code",
];

/// The canaries that can be read in a file, whatever stands behind them.
fn readable(bytes: &[u8]) -> BTreeSet<String> {
    let starts = bytes
        .windows(7)
        .enumerate()
        .filter(|(_, window)| window.starts_with(b"canary") && b"-_".contains(&window[6]));
    let words = starts.map(|(at, _)| {
        let rest = &bytes[at..];
        let known = PLAIN.iter().chain(&HIDDEN);
        let longest = known
            .filter(|word| rest.starts_with(word.as_bytes()))
            .max_by_key(|word| word.len());
        match longest {
            Some(word) => (*word).to_owned(),
            None => String::from_utf8_lossy(&rest[..rest.len().min(40)]).into_owned(),
        }
    });
    words.collect()
}

#[test]
fn only_names_lie_plain_in_the_store_of_a_cluster_that_says_everything() {
    let bench = told();
    // The test knows every text that is told: each of them can be read by who has the key.
    let path = bench.path().join("all.bobbin");
    let everything = serde_json::from_value(json!({"level": "everything", "identities": "real"}));
    export(&bench.app, &path, &[1], everything.unwrap()).unwrap();
    let mut text = Vec::new();
    flate2::read::MultiGzDecoder::new(fs::File::open(&path).unwrap())
        .read_to_end(&mut text)
        .unwrap();
    let names: BTreeSet<String> = PLAIN.map(str::to_owned).into();
    let texts: BTreeSet<String> = HIDDEN.map(str::to_owned).into();
    assert_eq!(readable(&text), &names | &texts);

    // Some of it may have been put into the file.
    let log = fs::read(bench.path().join(format!("{}-wal", store::FILE))).unwrap();
    assert!(readable(&log).is_subset(&names), "{:?}", readable(&log));
    bench.app.drain().unwrap();
    let file = fs::read(bench.path().join(store::FILE)).unwrap();
    assert_eq!(readable(&file), names);
}

fn shown(app: &App) -> (ComputationCode, SealedText, SealedText) {
    let code = computations(
        app,
        ComputationsRequest {
            id: 1,
            from_micros: None,
            to_micros: None,
            limit: 0,
            offset: 0,
        },
    )
    .unwrap()
    .rows
    .remove(0)
    .code;
    let message = exceptions(app, ExceptionsRequest::default())
        .unwrap()
        .rows
        .remove(0)
        .message;
    let payload = events(
        app,
        EventsRequest {
            id: 1,
            from_micros: None,
            to_micros: None,
            limit: 0,
            offset: 0,
        },
    )
    .unwrap()
    .rows
    .remove(0)
    .payload;
    (code, message, payload)
}

/// The sealed columns of the schema, and the natural id of a row.
const SEALED: [(&str, &str, &str); 7] = [
    ("computation_code", "frames_sealed", "computation_id"),
    ("event", "payload_sealed", OF_RECORD),
    ("exception", "details_sealed", "exception_id"),
    ("exception", "message_sealed", "exception_id"),
    ("exception", "traceback_sealed", "exception_id"),
    ("kept", "text_sealed", OF_RECORD),
    ("profile_line", "lines_sealed", OF_RECORD),
];

const OF_RECORD: &str =
    "(select i.instance_id from instance as i where i.id = t.instance_id) || '/' || t.seq";

#[test]
fn every_sealed_column_opens_at_its_place_and_at_no_other() {
    let bench = Bench::new();
    let profiled = json!({"switches": {"code": true, "profile": true, "events_allow": ["*"]}});
    bench.send(secrets_of(with(facts(0), profiled))).send(batch(
        10,
        &[
            with(exception(11, "e2", 1), json!({"details": "canary-details"})),
            sampled(12, Some("inc")),
        ],
    ));
    let opens = |db: &Connection| -> crate::Result<()> {
        let columns: Vec<String> = db
            .prepare(
                "select t.name || '.' || c.name from pragma_table_list as t join pragma_table_info(t.name) as c
                 where t.schema = 'main' and t.type = 'table' and c.name like '%\\_sealed' escape '\\' order by 1",
            )?
            .query_map([], |row| row.get(0))?
            .collect::<rusqlite::Result<_>>()?;
        let known = SEALED.map(|(table, column, _)| format!("{table}.{column}"));
        assert_eq!(columns, known);
        let mut unsealer = Unsealer::new(bench.app.keys());
        for (table, column, row) in SEALED {
            let sql =
                format!("select {row}, {column} from {table} as t where {column} is not null");
            let values: Vec<(String, Vec<u8>)> = db
                .prepare(&sql)?
                .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
                .collect::<rusqlite::Result<_>>()?;
            assert!(!values.is_empty(), "there is no {table}.{column}");
            for (row, sealed) in values {
                for (other, its, _) in SEALED {
                    let place = Place {
                        table: other,
                        column: its,
                        row: &row,
                        cluster: "Scheduler-1",
                    };
                    let opened = unsealer.open(db, place, &sealed)?;
                    let is_its_own = (other, its) == (table, column);
                    assert_eq!(
                        opened.is_some(),
                        is_its_own,
                        "{table}.{column} at {other}.{its}"
                    );
                    if let Some(text) = opened.filter(|_| table == "kept") {
                        assert!(String::from_utf8(text).unwrap().contains("canary-kept"));
                    }
                }
            }
        }
        Ok(())
    };
    bench.app.read(opens).unwrap();
}

#[test]
fn without_its_key_code_is_locked_numbers_are_not_and_no_new_key_is_made() {
    let bench = Bench::new();
    bench.send(secrets());
    let (key, aside) = (bench.path().join("key"), bench.path().join("aside"));
    let open_values = shown(&bench.app);
    assert!(
        matches!(&open_values.0, ComputationCode::Frames { frames } if frames[0].code == "canary-code")
    );
    bench.app.drain().unwrap();
    fs::rename(&key, &aside).unwrap();

    let again = open(bench.path(), Role::Owner).unwrap();
    again
        .ingest(batch(7, &[exception(50, "e2", 1), sample(51, 2.0)]))
        .unwrap();
    assert!(
        !key.exists(),
        "a new key would lock the old values for ever"
    );
    assert_eq!(
        shown(&again),
        (
            ComputationCode::Locked,
            SealedText::Locked,
            SealedText::Locked
        )
    );
    assert_eq!(status(&again, Empty {}).unwrap().key, KeyState::Missing);
    assert_eq!(
        clusters(&again, ClustersRequest::default()).unwrap().rows[0].exceptions,
        2
    );

    fs::write(&key, "not a key").unwrap();
    assert_eq!(shown(&again).1, SealedText::Locked);
    fs::rename(&aside, &key).unwrap();
    assert_eq!(shown(&again).0, open_values.0);
    assert_eq!(
        shown(&again).1,
        SealedText::Text {
            text: "canary-message".into()
        },
        "sealed while the key was away"
    );
    assert_eq!(status(&again, Empty {}).unwrap().key, KeyState::Open);
}

#[test]
fn values_that_were_swapped_or_cut_are_locked_and_never_shown_as_others() {
    let bench = Bench::new();
    bench
        .send(secrets())
        .send(batch(7, &[exception(8, "e2", 1)]));
    for change in [
        "update exception set message_sealed = (select traceback_sealed from exception where exception_id = 'e2')",
        "create temp table before as select * from exception;
         update exception set message_sealed =
            (select message_sealed from before where before.exception_id <> exception.exception_id)",
        "update exception set message_sealed = substr(message_sealed, 1, length(message_sealed) - 1)",
        "update exception set message_sealed = x''",
        "update exception set message_sealed = x'01'",
        "update exception set message_sealed = zeroblob(80)",
        "update data_key set wrapped = zeroblob(80)",
        "delete from data_key",
    ] {
        let copy = tempfile::tempdir().unwrap();
        bench.app.drain().unwrap();
        for name in ["key", store::FILE] {
            fs::copy(bench.path().join(name), copy.path().join(name)).unwrap();
        }
        raw(copy.path()).execute_batch(change).unwrap();
        let reader = open(copy.path(), Role::Reader).unwrap();
        let rows = exceptions(&reader, ExceptionsRequest::default()).unwrap().rows;
        assert!(rows.iter().all(|row| row.message == SealedText::Locked), "{change}: {rows:?}");
    }
}
