//! What cannot be written: no part of it stays, and what is missing the next try makes.

use super::*;

/// Changes what the desk remembers behind its back.
fn desk(bench: &Bench, sql: &str) {
    let path = bench.path().join("desk.sqlite");
    let flags = rusqlite::OpenFlags::SQLITE_OPEN_READ_WRITE;
    let db = rusqlite::Connection::open_with_flags(path, flags).unwrap();
    db.execute_batch(sql).unwrap();
}

#[test]
fn a_copy_of_a_stage_is_there_with_its_row_of_the_ledger_or_not_at_all() {
    let bench = bench();
    let stage = staged(&bench.app, Level::Names);
    let out = tempfile::tempdir().unwrap();
    let request = SaveStageRequest {
        id: stage.id,
        path: out.path().join("copy.bobbin").display().to_string(),
    };
    fs::write(bench.path().join("ledger.ndjson"), "broken\n").unwrap();
    assert!(save_stage(&bench.app, request.clone()).is_err());
    assert_eq!(fs::read_dir(out.path()).unwrap().count(), 0);
    fs::remove_file(bench.path().join("ledger.ndjson")).unwrap();
    save_stage(&bench.app, request).unwrap();
    assert_eq!(fs::read_dir(out.path()).unwrap().count(), 1);
    let rows = Ledger::of(bench.path()).rows().unwrap();
    assert_eq!(rows.last().unwrap().entry.kind, Kind::Export);
}

#[test]
fn an_approval_is_there_with_its_row_of_the_ledger_or_not_at_all() {
    let bench = bench();
    let stage = staged(&bench.app, Level::Names);
    let ledger = bench.path().join("ledger.ndjson");
    let is_approved = || approved(bench.path(), stage.sha256.as_deref().unwrap()).is_ok();
    fs::write(&ledger, "broken\n").unwrap();
    assert!(approve(&bench.app, &stage).is_err());
    assert!(!is_approved());
    fs::remove_file(&ledger).unwrap();
    // No room for what is kept of the stage.
    let ready = std::path::Path::new(&stage.path).with_file_name("stage.json.approved");
    fs::create_dir(&ready).unwrap();
    assert!(approve(&bench.app, &stage).is_err());
    assert_eq!(Ledger::of(bench.path()).rows().unwrap(), []);
    assert!(!is_approved());
    fs::remove_dir(&ready).unwrap();
    approve(&bench.app, &stage).unwrap();
    assert!(is_approved() && !ready.exists());
}

#[test]
fn an_approval_of_which_the_desk_could_note_nothing_is_noted_when_it_is_given_again() {
    let bench = bench();
    let stage = staged(&bench.app, Level::Names);
    desk(
        &bench,
        "create trigger full before insert on last_share begin select raise(abort, 'no room'); end",
    );
    assert!(approve(&bench.app, &stage).is_err());
    desk(&bench, "drop trigger full");
    let last = || {
        let desk = Desk::open(bench.path()).unwrap();
        desk.last_share("team").unwrap().map(|(sha256, _)| sha256)
    };
    assert_eq!(last(), None);
    approve(&bench.app, &stage).unwrap();
    assert_eq!(last(), stage.sha256);
}

#[test]
fn bytes_that_could_not_be_written_are_written_once_there_is_room() {
    let bench = bench();
    let stage = staged(&bench.app, Level::Names);
    let host = values(&bench.app, stage.id, Category::Hosts)[0]
        .item
        .clone();
    // Where the file is drafted, nothing can be made.
    let draft = format!("bundle.bobbin.{}.partial", std::process::id());
    let draft = std::path::Path::new(&stage.path).with_file_name(draft);
    fs::create_dir(&draft).unwrap();
    let request = DecideRequest {
        id: stage.id,
        categories: Vec::new(),
        items: vec![ItemDecision {
            item: host,
            decision: Some(Decision::Keep),
        }],
        findings: Vec::new(),
    };
    decide_stage(&bench.app, request).unwrap();
    let seen = || crate::api::stage(&bench.app, StageRequest { id: stage.id }).unwrap();
    let until = Instant::now() + Duration::from_secs(120);
    let told = |one: &Blocker| one.kind == BlockerKind::NotWritten;
    while !seen().blockers.iter().any(told) {
        assert!(Instant::now() < until, "it is not told");
        std::thread::yield_now();
    }
    fs::remove_dir(&draft).unwrap();
    let again = seen();
    assert!(again.blockers.is_empty(), "{:?}", again.blockers);
    assert!(plain(&again).contains("mithlond"));
}

#[test]
fn a_stage_that_is_opened_where_its_bytes_find_no_room_says_so_and_is_written_later() {
    let bench = bench();
    let stage = staged(&bench.app, Level::Names);
    let seen = || crate::api::stage(&bench.app, StageRequest { id: stage.id });
    let draft = format!("bundle.bobbin.{}.partial", std::process::id());
    let draft = std::path::Path::new(&stage.path).with_file_name(draft);
    fs::create_dir(&draft).unwrap();
    // It is opened anew.
    policy(&bench, "team = 'data'");
    assert!(seen().is_err());
    let told = |one: &Blocker| one.kind == BlockerKind::NotWritten;
    assert!(seen().unwrap().blockers.iter().any(told));
    fs::remove_dir(&draft).unwrap();
    assert!(seen().unwrap().blockers.is_empty());
}

#[test]
fn aliases_that_the_desk_has_no_room_for_are_kept_with_the_next_try() {
    let bench = bench();
    let stage = staged(&bench.app, Level::Everything);
    let message = values(&bench.app, stage.id, Category::Messages)[0]
        .item
        .clone();
    desk(
        &bench,
        "create trigger full before insert on alias begin select raise(abort, 'no room'); end",
    );
    let request = DecideRequest {
        id: stage.id,
        categories: Vec::new(),
        items: vec![ItemDecision {
            item: message,
            decision: Some(Decision::Mask),
        }],
        findings: Vec::new(),
    };
    decide_stage(&bench.app, request).unwrap();
    let seen = || crate::api::stage(&bench.app, StageRequest { id: stage.id }).unwrap();
    let count = || {
        let desk = Desk::open(bench.path()).unwrap();
        desk.count_aliases("team").unwrap()
    };
    let before = count();
    let until = Instant::now() + Duration::from_secs(120);
    let told = |one: &Blocker| one.kind == BlockerKind::NotWritten;
    while !seen().blockers.iter().any(told) {
        assert!(Instant::now() < until, "it is not told");
        std::thread::yield_now();
    }
    assert!(seen().sha256.is_none());
    desk(&bench, "drop trigger full");
    assert!(seen().sha256.is_some());
    assert!(count() > before);
}
