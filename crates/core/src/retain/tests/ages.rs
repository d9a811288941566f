//! Detail that goes by its age, and the clock that says how old it is.

use super::*;

#[test]
fn each_category_goes_by_its_own_rule_and_pinned_clusters_keep_all() {
    let bench = Bench::new();
    bench
        .send(batch_of("Scheduler-1", "i", 1, &everything("one")))
        .send(batch_of("Scheduler-2", "i", 1, &everything("two")));
    let pinned = cluster_id(&bench.app, "Scheduler-2");
    api::mark_clusters(
        &bench.app,
        serde_json::from_value(json!({"ids": [pinned], "pinned": true})).unwrap(),
    )
    .unwrap();
    let opened = stopped(&bench);
    let db = &opened.db;
    assert_eq!(detail(db), [2, 2, 2, 2, 2, 2, 2, 4, 2]);
    for (until, expected) in [
        (29, [2, 2, 2, 2, 2, 2, 2, 4, 2]),
        (31, [1, 1, 1, 2, 2, 2, 2, 4, 2]),
        (91, [1, 1, 1, 1, 1, 1, 1, 4, 2]),
        (400, [1, 1, 1, 1, 1, 1, 1, 3, 1]),
    ] {
        trust(db, Micros(at(until * DAY))).unwrap();
        settle(db, &mut Retention::default(), at(until * DAY));
        assert_eq!(detail(db), expected, "after {until} days");
    }
    let noted: Vec<(String, Option<i64>, i64)> = db
        .prepare("select category, rule_days, records from pruned where cluster_id <> ? order by category")
        .unwrap()
        .query_map([pinned], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
        .unwrap()
        .map(|row| row.unwrap())
        .collect();
    let expected = [
        ("code", 90, 1),
        ("events", 90, 1),
        ("exceptions", 90, 1),
        ("profiles", 30, 1),
        ("samples", 365, 1),
    ];
    assert_eq!(
        noted,
        expected.map(|(category, days, records)| (category.into(), Some(days), records))
    );
}

#[test]
fn a_clock_years_ahead_removes_nothing_at_once_and_all_if_somebody_says_that_it_is_right() {
    let bench = Bench::new();
    bench.send(batch(1, &everything("one")));
    let opened = stopped(&bench);
    let db = &opened.db;
    settle(db, &mut Retention::default(), at(DAY));
    let before = detail(db);
    settle(db, &mut Retention::default(), at(4_000 * DAY));
    assert_eq!(detail(db), before);
    assert!(
        belief(db, Micros(at(4_000 * DAY)))
            .unwrap()
            .waits(Micros(at(4_000 * DAY)))
            .is_some()
    );
    trust(db, Micros(at(4_000 * DAY))).unwrap();
    settle(db, &mut Retention::default(), at(4_000 * DAY));
    assert_eq!(detail(db), [0, 0, 0, 0, 0, 0, 0, 1, 0]);
}

#[test]
fn what_came_late_stays_as_long_after_it_came() {
    let bench = Bench::new();
    let came = 100 * DAY;
    bench.at(came).send(batch(1, &everything("late")));
    api::trust_clock(&bench.app, Empty {}).unwrap();
    let due = api::removal_preview(&bench.app, Default::default()).unwrap();
    assert_eq!(due.clusters, 0);
    let opened = stopped(&bench);
    let db = &opened.db;
    for (days, expected) in [
        (29, [1, 1, 1, 1, 1, 1, 1, 2, 1]),
        (31, [0, 0, 0, 1, 1, 1, 1, 2, 1]),
        (91, [0, 0, 0, 0, 0, 0, 0, 2, 1]),
        (366, [0, 0, 0, 0, 0, 0, 0, 1, 0]),
    ] {
        let now = at(came + days * DAY);
        trust(db, Micros(now)).unwrap();
        settle(db, &mut Retention::default(), now);
        assert_eq!(detail(db), expected, "{days} days after it came");
    }
}

#[test]
fn what_is_said_beforehand_of_code_and_texts_is_what_goes() {
    let bench = Bench::new();
    bench.send(batch(
        1,
        &[
            facts(0),
            computation(13, "in-time", Some("in_time()")),
            exception(14, "in-time", 1),
        ],
    ));
    clock_seen(&bench);
    // Of moments before and after those, and received long after.
    bench.at(100 * DAY).send(batch(
        4,
        &[
            computation(12, "late", Some("a_late_one_with_a_longer_name()")),
            exception(13, "late", 1),
            sample(30, 1.0),
        ],
    ));
    let opened = stopped(&bench);
    let db = &opened.db;
    let now = Micros(at(100 * DAY));
    let stored = || {
        [
            "select total(length(frames_sealed) + 100) from computation_code",
            "select total(coalesce(length(message_sealed), 0) + coalesce(length(traceback_sealed), 0) \
             + coalesce(length(details_sealed), 0)) from exception",
        ]
        .map(|sql| db.query_one(sql, [], |row| row.get::<_, f64>(0)).unwrap() as u64)
    };
    let categories = [RetentionCategory::Code, RetentionCategory::Exceptions];
    let cutoffs: Cutoffs = categories
        .into_iter()
        .map(|category| (category, before(90, now)))
        .collect();
    let id = count(db, "select id from cluster");
    let said = stored_bytes(db, &[id], &cutoffs, false).unwrap()[&id].clone();
    let before = stored();
    trust(db, now).unwrap();
    settle(db, &mut Retention::default(), now.0);
    let after = stored();
    for (at, category) in categories.into_iter().enumerate() {
        assert!(after[at] > 0 && after[at] < before[at], "{category:?}");
        assert_eq!(
            said[&Some(category)],
            before[at] - after[at],
            "{category:?}"
        );
    }
}

#[test]
fn many_short_runs_are_a_long_one_for_the_clock() {
    let bench = Bench::new();
    let opened = stopped(&bench);
    let db = &opened.db;
    settle(db, &mut Retention::default(), at(DAY));
    let now = at(4_000 * DAY);
    let mut ahead = 0;
    for _ in 0..2 {
        let mut retention = Retention::default();
        settle(db, &mut retention, now);
        retention.last(db, Micros(now)).unwrap();
        let longer = count(db, "select ahead_micros from retention_clock");
        assert!(longer > ahead, "{longer} after {ahead}");
        ahead = longer;
    }
}

#[test]
fn it_is_said_at_once_that_nothing_is_left_to_remove_whoever_reads() {
    let bench = Bench::new();
    bench.send(batch(1, &everything("one")));
    let opened = stopped(&bench);
    let db = &opened.db;
    let worked = |now| {
        settle(db, &mut Retention::default(), now);
        assert_eq!(count(db, "select worked_micros from retention_clock"), now);
    };
    worked(at(DAY));
    let reader = open_reader(bench.path()).unwrap();
    reader
        .execute_batch("begin; select count(*) from batch")
        .unwrap();
    trust(db, Micros(at(100 * DAY))).unwrap();
    worked(at(100 * DAY));
    assert_eq!(detail(db), [0, 0, 0, 0, 0, 0, 0, 2, 1]);
}

#[test]
fn a_key_seals_on_when_something_went() {
    let bench = Bench::new();
    bench.send(batch(1, &everything("one")));
    let told = |sql: &'static str| bench.app.read(|db| Ok(count(db, sql))).unwrap();
    let keys = "select count(*) from data_key";
    let events = "select count(*) from event";
    assert_eq!((told(keys), told(events)), (1, 1));
    let days = rules_of(&[(RetentionCategory::Events, 1)]);
    let write = |now: i64| {
        bench
            .app
            .write(move |db| {
                set_rules(db, &days, Micros(at(0)))?;
                trust(db, Micros(now))
            })
            .unwrap();
    };
    bench.at(3 * DAY);
    write(at(3 * DAY));
    for _ in 0..2_000 {
        if told(events) == 0 {
            break;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(told(events), 0);
    bench.send(batch(90, &[event(3 * DAY)]));
    assert_eq!((told(keys), told(events)), (1, 1));
}

#[test]
fn a_changed_rule_waits_ten_seconds() {
    let bench = Bench::new();
    bench.send(batch(1, &everything("one")));
    let opened = stopped(&bench);
    let db = &opened.db;
    let now = at(3 * DAY);
    clock::look(db, Micros(now), Duration::ZERO).unwrap();
    set_rules(
        db,
        &rules_of(&[(RetentionCategory::Events, 1)]),
        Micros(now),
    )
    .unwrap();
    let mut retention = Retention::default();
    settle(db, &mut retention, now + 9 * SECOND);
    assert_eq!(count(db, "select count(*) from event"), 1);
    settle(db, &mut retention, now + 10 * SECOND);
    assert_eq!(count(db, "select count(*) from event"), 0);
}
