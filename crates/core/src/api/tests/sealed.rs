//! Code and text never lie open, and open only where they belong.

use std::fs;
use std::path::Path;

use serde_json::json;

use super::open;
use crate::api::*;
use crate::store;
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
    let kept = json!({"kind": "later", "text": "canary-kept"});
    let field = with(sample(9, 1.0), json!({"new": "canary-kept"}));
    batch(
        1,
        &[
            facts(0),
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
