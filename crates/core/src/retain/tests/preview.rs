//! What is said beforehand of the limit is what goes for it, cluster by cluster, and about as many bytes.

use super::room::{heavy, one_by_one, set_cap};
use super::*;
use crate::api::{RemovalPreview, beyond_bytes};

/// Clusters of which little is detail: groups with many dependencies.
fn wide(bench: &Bench, clusters: i64, stopped: bool) {
    let dependencies: Vec<String> = (0..200).map(|number| format!("{number:040}")).collect();
    one_by_one(bench, clusters, |seconds| {
        let groups = (0..30).map(|number| {
            let group = group(seconds + 3, &format!("g{number}"), 1.0);
            with(group, json!({"dependencies": dependencies}))
        });
        groups.chain(stopped.then(|| stop(seconds + 60))).collect()
    });
}

/// What each of so many clusters takes of the file, and how much is in use in all.
fn sizes(db: &Connection, clusters: u64) -> (u64, u64) {
    let dir = tempfile::tempdir().unwrap();
    let empty = open_owner(dir.path(), Micros(at(0))).unwrap();
    let used = cap::used(db).unwrap();
    ((used - cap::used(&empty.db).unwrap()) / clusters, used)
}

/// What would go by the rules of the store, as whoever only reads is told.
fn said(bench: &Bench) -> RemovalPreview {
    let reader = App::open(bench.path(), api::Role::Reader, bench.clock.clone()).unwrap();
    let said = api::removal_preview(&reader, Default::default()).unwrap();
    assert_eq!(beyond_bytes(&reader).unwrap(), said.beyond_bytes);
    said
}

/// The clusters that are told of.
fn told(said: &RemovalPreview, whole: bool) -> Vec<i64> {
    let rows = said.rows.iter().filter(|row| row.whole == whole);
    let mut ids: Vec<i64> = rows.map(|row| row.id).collect();
    ids.sort_unstable();
    ids
}

/// Pins the clusters up to this one, and no others.
fn pin(db: &Connection, up_to: i64) {
    let sql = "update cluster set pinned_micros = iif(id <= ?, 1, null)";
    db.execute(sql, [up_to]).unwrap();
}

/// The clusters whose detail was removed for room.
const PRUNED: &str =
    "select distinct cluster_id from pruned where rule_days is null order by cluster_id";

#[test]
fn the_limit_takes_the_detail_that_was_said_past_pinned_clusters() {
    let bench = Bench::new();
    heavy(&bench, 20);
    let opened = stopped(&bench);
    let db = &opened.db;
    let now = bench.app.now().0;
    // Two and a half clusters go, which is three. Then others: those are pinned.
    for (pinned, gone) in [(0, 1..=3), (6, 7..=9)] {
        pin(db, pinned);
        db.execute("delete from pruned", []).unwrap();
        let clusters = count(db, "select count(distinct cluster_id) from event");
        let (each, used) = sizes(db, clusters as u64);
        set_cap(db, (used - each * 5 / 2) / 95 * 100);
        let said = said(&bench);
        assert_eq!((said.whole, said.beyond_bytes), (0, 0));
        assert_eq!(told(&said, false), gone.clone().collect::<Vec<i64>>());
        settle(db, &mut Retention::default(), now);
        assert_eq!(numbers(db, PRUNED), gone.collect::<Vec<i64>>());
        near(said.bytes, used - cap::used(db).unwrap());
    }
}

#[test]
fn the_limit_takes_the_whole_clusters_that_were_said() {
    let bench = Bench::new();
    wide(&bench, 8, true);
    let opened = stopped(&bench);
    let db = &opened.db;
    let (each, used) = sizes(db, 8);
    set_cap(db, used - each * 5 / 2);
    let said = said(&bench);
    assert_eq!((said.whole, said.beyond_bytes), (3, 0));
    assert_eq!(told(&said, true), [1, 2, 3]);
    settle(db, &mut Retention::default(), bench.app.now().0);
    let left = numbers(db, "select id from cluster order by id");
    assert_eq!(left, [4, 5, 6, 7, 8]);
    assert_eq!(told(&said, false), left);
    assert_eq!(numbers(db, PRUNED), left);
    near(said.bytes, used - cap::used(db).unwrap());
}

#[test]
fn what_stays_beyond_the_limit_is_said_where_pinned_clusters_take_it() {
    let bench = Bench::new();
    heavy(&bench, 20);
    let opened = stopped(&bench);
    let db = &opened.db;
    let used = cap::used(db).unwrap();
    let cap = used / 10 * 8;
    set_cap(db, cap);
    pin(db, 19);
    let stays = said(&bench);
    assert_eq!((stays.clusters, stays.bytes), (0, 0));
    near(stays.beyond_bytes, used - cap);
    settle(db, &mut Retention::default(), bench.app.now().0);
    assert_eq!(count(db, "select count(*) from event"), 20 * 20);
    pin(db, 10);
    let goes = said(&bench);
    assert_eq!((goes.whole, goes.beyond_bytes), (0, 0));
    settle(db, &mut Retention::default(), bench.app.now().0);
    assert_eq!(told(&goes, false), numbers(db, PRUNED));
    assert!(cap::used(db).unwrap() <= cap);
}

#[test]
fn what_stays_beyond_the_limit_is_said_where_clusters_report_that_take_it() {
    let bench = Bench::new();
    wide(&bench, 8, false);
    let opened = stopped(&bench);
    let db = &opened.db;
    let (each, used) = sizes(db, 8);
    let cap = used - each * 5 / 2;
    set_cap(db, cap);
    let said = said(&bench);
    assert_eq!((said.whole, said.clusters), (0, 8));
    settle(db, &mut Retention::default(), bench.app.now().0);
    assert_eq!(count(db, "select count(*) from cluster"), 8);
    near(said.beyond_bytes, cap::used(db).unwrap() - cap);
}

/// A profile with a line of its own, a computation with its code, and a record for later.
fn told_at(seconds: i64, word: &str) -> Vec<Value> {
    let line = format!("{word} = a_line_of({word})");
    let strings = json!({"strings": ["inc", "load", "/home/ada/work.py", line]});
    vec![
        with(
            facts(seconds),
            json!({"switches": {"code": true, "profile": true, "events_allow": ["*"]}}),
        ),
        with(sampled(seconds, Some("inc")), strings),
        computation(seconds, word, Some(&format!("{word}_code()"))),
        json!({"kind": "unheard_of", "at_micros": at(seconds), "text": format!("{word} is kept")}),
    ]
}

#[test]
fn what_is_said_of_profiles_and_code_counts_lines_of_source_and_what_is_kept() {
    use RetentionCategory::{Code, Profiles};

    // Both profiles are older than thirty days, one is older than sixty.
    for days in [
        &[(Profiles, 30)][..],
        &[(Profiles, 60)],
        &[(Code, 60)],
        &[(Profiles, 30), (Code, 60)],
        &[(Profiles, 60), (Code, 30)],
    ] {
        let bench = Bench::new();
        bench.send(batch(1, &told_at(0, "early")));
        clock_seen(&bench);
        bench
            .at(60 * DAY)
            .send(batch(5, &told_at(60 * DAY, "late")));
        let opened = stopped(&bench);
        let db = &opened.db;
        let now = Micros(at(100 * DAY));
        let stored = || {
            count(
                db,
                "select cast(
                     (select total(length(packed) + 130) from profile_stack)
                     + (select total(length(lines_sealed) + 20) from profile_line)
                     + (select total(length(frames_sealed) + 100) from computation_code)
                     + (select total(length(text_sealed) + 30) from kept)
                 as integer)",
            )
        };
        let cutoffs: Cutoffs = days
            .iter()
            .map(|(category, days)| (*category, before(*days, now)))
            .collect();
        let id = count(db, "select id from cluster");
        let said = stored_bytes(db, &[id], &cutoffs, false).unwrap()[&id].clone();
        assert!(said.keys().copied().eq(cutoffs.keys().copied().map(Some)));
        let before = stored();
        set_rules(db, &rules_of(days), Micros(at(0))).unwrap();
        trust(db, now).unwrap();
        settle(db, &mut Retention::default(), now.0);
        let said: u64 = said.values().sum();
        assert_eq!(said as i64, before - stored(), "{days:?}");
    }
}
