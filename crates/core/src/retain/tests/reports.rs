//! Rows of reports: folded when they are old, and looked at in short steps.

use super::looked::Stays;
use super::remove::Pace;
use super::*;

/// A run of reports, one each ten seconds, a record each.
fn run_of(db: &Connection, reports: i64) {
    db.execute_batch(&format!(
        "insert into cluster (id, scheduler_id, first_at_micros) values (1, 'one', {at});
         insert into instance (id, cluster_id, instance_id, rank, plugin_version, first_at_micros)
         values (1, 1, 'i', 1, '', {at});
         with recursive n (n) as (select 1 union all select n + 1 from n where n < {reports})
         insert into batch (
             instance_id, first_seq, records, digest, received_micros, first_at_micros, last_at_micros, refused, kept
         )
         select 1, n, 1, randomblob(32), {at} + n * 10000000, {at} + n * 10000000, {at} + n * 10000000, 0, 0 from n",
        at = at(0)
    ))
    .unwrap();
}

fn opened() -> (tempfile::TempDir, Opened) {
    let dir = tempfile::tempdir().unwrap();
    let opened = open_owner(dir.path(), Micros(at(0))).unwrap();
    (dir, opened)
}

#[test]
fn a_cluster_that_reports_for_weeks_has_few_rows_of_reports_a_day() {
    let (_dir, opened) = opened();
    let db = &opened.db;
    run_of(db, 20 * 8_640);
    let last = 20 * DAY;
    settle(db, &mut Retention::default(), at(last));
    let old = format!(
        "select count(*) from batch where received_micros < {}",
        at(last - 7 * DAY)
    );
    assert_eq!(count(db, &old), 14);
    let young = format!(
        "select count(*) from batch where received_micros >= {}",
        at(last - 7 * DAY)
    );
    assert!(count(db, &young) > 6 * 8_640);
    assert_eq!(count(db, "select sum(records) from batch"), 20 * 8_640);
    assert_eq!(count(db, "select sum(batches) from batch"), 20 * 8_640);
    assert_eq!(count(db, "select count(*) from gap"), 0);
    // A day later the next ones join what is there.
    settle(db, &mut Retention::default(), at(last + DAY));
    assert_eq!(
        count(db, "select count(*) from batch where batches > 1"),
        15
    );
}

#[test]
fn a_long_run_is_looked_at_in_short_steps_and_again_where_something_came() {
    let (_dir, opened) = opened();
    let db = &opened.db;
    run_of(db, 5_500);
    let at_once = || Pace {
        until: Instant::now(),
        rows: 64,
    };
    let mut looked = Looked::default();
    let steps = |looked: &mut Looked, before: i64| {
        let category = RetentionCategory::Events;
        for step in 0..100 {
            let found = looked.stays(db, 1, category, Micros(before), at_once());
            if let Stays::From(seq) = found.unwrap() {
                return (step, seq);
            }
        }
        panic!("it does not come to an end");
    };
    let before = at(5_200 * 10);
    assert_eq!(steps(&mut looked, before), (5, 5_200));
    // It is not begun anew.
    assert_eq!(steps(&mut looked, before), (0, 5_200));
    // An earlier one comes late.
    db.execute(
        "update batch set received_micros = ?1 where first_seq = 70",
        [before],
    )
    .unwrap();
    looked.came(1, 70);
    assert_eq!(steps(&mut looked, before), (0, 70));
    // A longer rule.
    assert_eq!(steps(&mut looked, at(30 * 10)), (0, 30));
}

/// A cluster of very many runs of the plugin, with an event each.
fn runs_of(db: &Connection, runs: i64) {
    db.execute_batch(&format!(
        "insert into cluster (id, scheduler_id, first_at_micros) values (1, 'one', {at});
         insert into name (id, text) values (1, 'topic');
         with recursive n (n) as (select 1 union all select n + 1 from n where n < {runs})
         insert into instance (id, cluster_id, instance_id, rank, plugin_version, first_at_micros)
         select n, 1, hex(randomblob(8)), n, '', {at} from n;
         insert into event (instance_id, seq, cluster_id, at_micros, topic_id, payload_sealed)
         select id, 1, 1, {at}, 1, x'00' from instance",
        at = at(0)
    ))
    .unwrap();
}

#[test]
fn very_many_runs_of_a_cluster_are_gone_through_in_short_steps() {
    let (_dir, opened) = opened();
    let db = &opened.db;
    runs_of(db, 250);
    let at_once = || Pace {
        until: Instant::now(),
        rows: 64,
    };
    let mut looked = Looked::default();
    let events = || count(db, "select count(*) from event");
    // Each category of each run is a step at most, and none is done twice.
    let mut steps = 0;
    for category in RetentionCategory::ALL {
        loop {
            let before = events();
            let removed = remove::category(db, 1, category, None, &mut looked, at_once()).unwrap();
            assert!(before - events() <= 1, "more than one run in a step");
            steps += 1;
            if !removed.more {
                break;
            }
            // What was done before is not done again.
            for done in RetentionCategory::ALL
                .into_iter()
                .take_while(|one| *one != category)
            {
                let again = remove::category(db, 1, done, None, &mut looked, at_once()).unwrap();
                assert!(!again.more && !again.any, "{done:?}");
            }
        }
    }
    assert_eq!(events(), 0);
    assert!((1_000..=6 * 250 + 5).contains(&steps), "{steps} steps");
    let mut steps = 0;
    while remove::parts(db, 1, at_once()).unwrap().more {
        steps += 1;
        assert_eq!(count(db, "select count(*) from instance"), 250 - steps);
    }
    assert_eq!(steps, 250);
}

#[test]
fn a_late_report_in_a_long_run_keeps_its_detail() {
    let bench = Bench::new();
    for seq in 1..40 {
        bench
            .at(seq * 10)
            .send(batch(seq as u64 * 2, &[event(seq * 10)]));
    }
    // It waited in a spool for a month.
    bench.at(40 * DAY).send(batch(3, &[event(15)]));
    let opened = stopped(&bench);
    let db = &opened.db;
    set_rules(
        db,
        &rules_of(&[(RetentionCategory::Events, 10)]),
        Micros(at(0)),
    )
    .unwrap();
    for (days, events) in [(41, 39), (51, 0)] {
        trust(db, Micros(at(days * DAY))).unwrap();
        settle(db, &mut Retention::default(), at(days * DAY));
        assert_eq!(
            count(db, "select count(*) from event"),
            events,
            "after {days} days"
        );
    }
}
