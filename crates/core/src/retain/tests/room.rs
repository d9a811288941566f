//! Room under the cap, and what is said of it before.

use super::*;

/// Many clusters, the first ones longest silent. Each has two samples, and `more` from its beginning on.
pub(super) fn one_by_one(bench: &Bench, clusters: i64, more: impl Fn(i64) -> Vec<Value>) {
    for cluster in 0..clusters {
        let seconds = 1_000 * cluster;
        let mut records = vec![
            facts(seconds),
            sample(seconds + 1, 1.0),
            sample(seconds + 2, 2.0),
        ];
        records.extend(more(seconds));
        bench
            .at(seconds + 60)
            .send(batch_of(&format!("Scheduler-{cluster}"), "i", 1, &records));
    }
}

/// Many clusters with large events, the first ones longest silent.
pub(super) fn heavy(bench: &Bench, clusters: i64) {
    // Not to be packed: it is sealed.
    let large = json!({"payload": {"text": "x".repeat(20_000)}});
    one_by_one(bench, clusters, |seconds| {
        let events = (0..20).map(|part| with(event(seconds + part), large.clone()));
        events.chain([stop(seconds + 60)]).collect()
    });
}

/// Smaller than anybody may set it.
pub(super) fn set_cap(db: &Connection, bytes: u64) {
    db.execute(
        "insert or replace into retention (id, changed_micros, cap_bytes) values (1, 0, ?)",
        [bytes],
    )
    .unwrap();
}

#[test]
fn the_cap_takes_detail_of_the_oldest_first_then_whole_clusters_and_never_pinned_ones() {
    let bench = Bench::new();
    heavy(&bench, 20);
    let pinned = cluster_id(&bench.app, "Scheduler-0");
    api::mark_clusters(
        &bench.app,
        serde_json::from_value(json!({"ids": [pinned], "pinned": true})).unwrap(),
    )
    .unwrap();
    let opened = stopped(&bench);
    let db = &opened.db;
    let all = cap::used(db).unwrap();
    let now = at(100_000);
    let capped = |cap: u64| {
        set_cap(db, cap);
        settle(db, &mut Retention::default(), now);
    };
    let within = |cap: u64| {
        let pages = count(db, "pragma page_count") as u64 * count(db, "pragma page_size") as u64;
        assert!(pages <= cap, "{pages} of {cap}");
    };
    capped(all / 2);
    within(all / 2);
    let with_events = numbers(db, "select distinct cluster_id from event order by 1");
    assert_eq!(with_events[0], pinned);
    let kept = &with_events[1..];
    assert!((6..14).contains(&kept.len()), "{kept:?}");
    assert!(kept.windows(2).all(|two| two[1] == two[0] + 1) && kept.last() == Some(&20));
    assert_eq!(count(db, "select count(*) from cluster"), 20);
    assert!(count(db, "select count(*) from pruned where rule_days is null") >= 6);
    // Until there is no detail left to go.
    while count(db, "select count(*) from cluster") == 20 {
        capped(cap::used(db).unwrap() / 10 * 9);
    }
    assert_eq!(
        count(db, "select count(*) from event where cluster_id <> 1"),
        0
    );
    assert_eq!(count(db, "select count(*) from cluster where id = 2"), 0);
    assert_eq!(
        count(db, "select count(*) from event where cluster_id = 1"),
        20
    );
}

#[test]
fn where_pinned_clusters_alone_take_the_room_nothing_goes_in_vain() {
    let bench = Bench::new();
    heavy(&bench, 20);
    let opened = stopped(&bench);
    let db = &opened.db;
    db.execute(
        "update cluster set pinned_micros = id where id <= 18 or id = 20",
        [],
    )
    .unwrap();
    let cap = cap::used(db).unwrap() / 10 * 8;
    set_cap(db, cap);
    let mut retention = Retention::default();
    settle(db, &mut retention, at(100_000));
    assert_eq!(count(db, "select count(*) from event"), 20 * 20);
    assert_eq!(count(db, "select count(*) from cluster"), 20);
    // As soon as some of them are not pinned any more there is room.
    db.execute("update cluster set pinned_micros = null where id > 10", [])
        .unwrap();
    retention.size = Walk::new(SIZE_EVERY);
    settle(db, &mut retention, at(100_000));
    assert!(cap::used(db).unwrap() <= cap);
    assert_eq!(
        count(db, "select count(*) from event where cluster_id <= 10"),
        10 * 20
    );
    assert_eq!(count(db, "select count(*) from cluster"), 20);
}

#[test]
fn what_is_deleted_for_room_is_forgotten_by_the_writer() {
    let bench = Bench::new();
    bench.send(batch(1, &everything("canary")));
    let id = cluster_id(&bench.app, "Scheduler-1");
    let opened = stopped(&bench);
    let db = &opened.db;
    db.execute(
        "insert into retention (id, changed_micros, cap_bytes) values (1, 0, 1000)",
        [],
    )
    .unwrap();
    let mut retention = Retention::default();
    let begun = (0..1_000)
        .map(|_| retention.step(db, Micros(at(100_000))).unwrap())
        .find(|step| step.changed.contains(&id) && count(db, "select count(*) from deletion") > 0)
        .unwrap();
    assert_eq!((begun.forget, begun.deleted), (true, Some(id)));
    settle(db, &mut retention, at(100_000));
    assert_eq!(count(db, "select count(*) from cluster"), 0);
    // Nobody asked: the snapshots go in their turn.
    assert_eq!(count(db, "select clusters from deletions_done"), 0);
}

#[test]
fn a_cluster_that_did_not_stop_is_deleted_for_room_once_it_was_silent_for_a_day() {
    let bench = Bench::new();
    let mut records = everything("canary");
    assert_eq!(records.pop().unwrap()["kind"], "stop");
    bench.send(batch(1, &records));
    let opened = stopped(&bench);
    let db = &opened.db;
    set_cap(db, 1_000);
    let left = [DAY - 100, DAY + 1_000].map(|seconds| {
        settle(db, &mut Retention::default(), at(seconds));
        count(db, "select count(*) from cluster")
    });
    assert_eq!(left, [1, 0]);
}

#[test]
fn room_is_made_when_not_one_more_page_can_be_had() {
    let bench = Bench::new();
    heavy(&bench, 10);
    let opened = stopped(&bench);
    let db = &opened.db;
    let pages = count(db, "pragma page_count");
    db.query_one(&format!("pragma max_page_count = {pages}"), [], |_| Ok(()))
        .unwrap();
    assert!(
        db.execute_batch("create table more (x); insert into more values (zeroblob(1000000))")
            .is_err(),
        "the fault is real"
    );
    let half = cap::used(db).unwrap() / 2;
    set_cap(db, half);
    let mut retention = Retention::default();
    let mut log = 0;
    for _ in 0..100_000 {
        let more = retention.step(db, Micros(at(100_000))).unwrap().more;
        log = log.max(
            fs::metadata(bench.path().join(format!("{FILE}-wal")))
                .unwrap()
                .len(),
        );
        if !more {
            break;
        }
    }
    assert!(count(db, "pragma page_count") * 4_096 <= half as i64);
    assert!(log < 8 << 20, "the log grew to {log}");
}

#[test]
fn on_a_full_disk_each_cluster_is_left_behind_once_nothing_is_left_of_it() {
    let bench = Bench::new();
    heavy(&bench, 10);
    let opened = stopped(&bench);
    let db = &opened.db;
    let half = cap::used(db).unwrap() / 2;
    set_cap(db, half);
    // As after a piece that found no room: a step has no time but for one statement.
    let mut retention = Retention {
        room: Room::PLENTY.missed(),
        ..Retention::default()
    };
    let mut idle = 0;
    while retention.size.behind.is_some() || cap::used(db).unwrap() > half {
        let before = (cap::used(db).unwrap(), count(db, "pragma page_count"));
        assert!(retention.step(db, Micros(at(100_000))).unwrap().more);
        let after = (cap::used(db).unwrap(), count(db, "pragma page_count"));
        idle += u32::from(before == after);
    }
    // Of a cluster the samples go too, which frees no page; one look is at what is left.
    assert!(idle <= 10, "{idle} steps made no room");
}

#[test]
fn what_is_said_to_be_freed_is_near_what_is_freed() {
    let bench = Bench::new();
    heavy(&bench, 20);
    bench.at(100 * DAY);
    api::trust_clock(&bench.app, Empty {}).unwrap();
    let preview = |request: Value| {
        api::removal_preview(&bench.app, serde_json::from_value(request).unwrap()).unwrap()
    };
    let deleted = preview(json!({"ids": [1, 2, 3, 4, 5]}));
    let rules = RetentionRules {
        events_days: Some(1),
        ..rules_of(&[])
    };
    let aged = preview(json!({"rules": rules}));
    let all: u64 = bench.app.read(cap::used).unwrap();
    assert_eq!(
        (deleted.clusters, deleted.whole, aged.clusters, aged.whole),
        (5, 5, 20, 0)
    );
    assert!(
        aged.rows
            .iter()
            .all(|row| row.categories == [RetentionCategory::Events])
    );
    let opened = stopped(&bench);
    let db = &opened.db;
    ask(db, &[1, 2, 3, 4, 5], Micros(at(100 * DAY)), true).unwrap();
    set_rules(db, &rules_of(&[]), Micros(at(0))).unwrap();
    settle(db, &mut Retention::default(), at(100 * DAY));
    let left = cap::used(db).unwrap();
    near(deleted.bytes, all - left);
    set_rules(db, &rules, Micros(at(0))).unwrap();
    trust(db, Micros(at(100 * DAY))).unwrap();
    settle(db, &mut Retention::default(), at(100 * DAY));
    near(aged.bytes / 20 * 15, left - cap::used(db).unwrap());
    drop(opened);
    let app = App::open(bench.path(), api::Role::Owner, bench.clock.clone()).unwrap();
    let one_day = RetentionRules {
        samples_days: Some(1),
        ..rules
    };
    let request = serde_json::from_value(json!({"rules": one_day})).unwrap();
    let samples = api::removal_preview(&app, request).unwrap();
    assert!(
        samples
            .rows
            .iter()
            .all(|row| row.categories == [RetentionCategory::Samples])
    );
}

#[test]
fn where_the_disk_has_little_room_all_of_it_goes_a_few_rows_at_a_time() {
    let bench = Bench::new();
    heavy(&bench, 3);
    let opened = stopped(&bench);
    let db = &opened.db;
    let now = at(400 * DAY);
    trust(db, Micros(now)).unwrap();
    let mut retention = Retention {
        room: Room::PLENTY.missed(),
        ..Retention::default()
    };
    settle(db, &mut retention, now);
    assert_eq!(count(db, "select count(*) from event"), 0);
    assert_eq!(count(db, "pragma freelist_count"), 0);
}

#[test]
fn steps_are_as_large_as_there_is_room_for() {
    let plenty = Room::PLENTY;
    let little = plenty.missed();
    assert!(!little.is_plenty());
    assert_eq!(little.missed(), little);
    assert_eq!(little.found().found().missed(), little);
    let grown = (0..100).fold(little, |room, _| room.found());
    assert_eq!(grown, plenty);
}
