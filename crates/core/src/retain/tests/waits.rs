//! The ten seconds to take something back pass however the clock is set.

use super::*;

const HOUR: i64 = 3_600 * SECOND;

/// How far the clock is from where it was, and how many seconds passed, each time it is looked at.
const JUMPS: [[(i64, u64); 4]; 3] = [
    // Ahead at once, and back for a while.
    [(HOUR, 0), (HOUR, 9), (-HOUR, 9), (HOUR, 9)],
    // Back, to before it was asked for.
    [(-HOUR, 0), (-HOUR, 9), (-HOUR, 9), (-HOUR, 9)],
    [(SECOND, 1), (-HOUR, 5), (400 * 24 * HOUR, 8), (0, 9)],
];

/// A store with two clusters, stopped; nothing is old by the clock of its stories.
fn two() -> (Bench, Opened) {
    let bench = Bench::new();
    for cluster in ["Scheduler-1", "Scheduler-2"] {
        bench.send(batch_of(cluster, "i", 1, &everything(cluster)));
    }
    let opened = stopped(&bench);
    (bench, opened)
}

/// Looks `from` away from a time, when so many seconds of this run passed, until nothing is due.
fn look(db: &Connection, retention: &mut Retention, from: i64, seconds: u64) {
    let (now, passed) = (Micros(at(100) + from), Duration::from_secs(seconds));
    while retention.step(db, now, passed).unwrap().more {}
}

#[test]
fn a_deletion_is_undone_for_ten_seconds_whatever_the_clock_says() {
    for jumps in JUMPS {
        let (_bench, opened) = two();
        let (db, mut retention) = (&opened.db, Retention::default());
        ask(db, &[1, 2], Micros(at(100)), false).unwrap();
        look(db, &mut retention, 0, 0);
        for (from, seconds) in jumps {
            look(db, &mut retention, from, seconds);
            assert_eq!(count(db, "select count(*) from cluster"), 2, "{jumps:?}");
        }
        assert_eq!(undo(db, &[2]).unwrap(), 1);
        look(db, &mut retention, jumps[3].0, 10);
        assert_eq!(count(db, "select min(id) from cluster"), 2, "{jumps:?}");
        assert_eq!(undo(db, &[1]).unwrap(), 0);
    }
}

#[test]
fn a_deletion_that_is_asked_for_again_to_be_done_at_once_does_not_wait() {
    for jump in [0, HOUR, -HOUR] {
        let (_bench, opened) = two();
        let (db, mut retention) = (&opened.db, Retention::default());
        ask(db, &[1], Micros(at(100)), false).unwrap();
        look(db, &mut retention, 0, 0);
        look(db, &mut retention, 4 * SECOND, 4);
        // Asked for like that, it changes nothing.
        ask(db, &[1], Micros(at(104) + jump), false).unwrap();
        look(db, &mut retention, 4 * SECOND + jump, 4);
        assert_eq!(count(db, "select count(*) from cluster"), 2, "{jump}");
        ask(db, &[1], Micros(at(104) + jump), true).unwrap();
        look(db, &mut retention, 4 * SECOND + jump, 4);
        assert_eq!(count(db, "select count(*) from cluster"), 1, "{jump}");
    }
}

/// A limit under which all clusters go, set at the time of [`look`].
fn strict(db: &Connection) {
    let set = "insert into retention (id, changed_micros, cap_bytes) values (1, ?1, 1000)";
    db.execute(set, [at(100)]).unwrap();
}

#[test]
fn a_changed_rule_is_taken_back_for_ten_seconds_whatever_the_clock_says() {
    for jumps in JUMPS {
        let (_bench, opened) = two();
        let (db, mut retention) = (&opened.db, Retention::default());
        strict(db);
        look(db, &mut retention, 0, 0);
        for (from, seconds) in jumps {
            look(db, &mut retention, from, seconds);
            assert!(retention.rules_wait.is_some(), "{jumps:?}");
            assert_eq!(count(db, "select count(*) from cluster"), 2, "{jumps:?}");
        }
        look(db, &mut retention, 0, 10);
        assert_eq!(count(db, "select count(*) from cluster"), 0, "{jumps:?}");
    }
}

#[test]
fn after_a_start_a_changed_rule_waits_for_what_is_left_by_the_clock() {
    for (from, left) in [
        (4 * SECOND, Some(6)),
        (10 * SECOND, None),
        (400 * 24 * HOUR, None),
        // The clock was set back meanwhile.
        (-HOUR, Some(10)),
    ] {
        let (_bench, opened) = two();
        let (db, mut retention) = (&opened.db, Retention::default());
        strict(db);
        look(db, &mut retention, from, 50);
        let left = left.map(Duration::from_secs);
        assert_eq!(retention.rules_wait, left, "{from}");
        look(db, &mut retention, from, 60);
        assert_eq!(retention.rules_wait, None, "{from}");
    }
}

#[test]
fn a_running_bobbin_counts_the_time_that_passes_while_its_clock_jumps() {
    let bench = Bench::new();
    bench.send(batch(1, &everything("canary")));
    let id = cluster_id(&bench.app, "Scheduler-1");
    let ask = move |db: &Connection| ask(db, &[id], Micros(at(0)), false).map(drop);
    bench.app.write(ask).unwrap();
    // What is written has it look, once it is committed.
    let looks = || {
        for _ in 0..10 {
            bench.app.write(|_| Ok(())).unwrap();
            std::thread::sleep(Duration::from_millis(5));
        }
    };
    looks();
    for hours in [1, -1, 500] {
        bench.clock.jump(Micros(at(hours * 3_600)));
        looks();
        let begun = |db: &Connection| Ok(count(db, "select begun from deletion"));
        assert_eq!(bench.app.read(begun).unwrap(), 0, "{hours}");
    }
    bench.clock.set(Micros(bench.app.now().0 + 10 * SECOND));
    looks();
    deletion::gone(&bench, id);
}
