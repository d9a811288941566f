//! What can wait is done by a Bobbin that runs, without anybody asking.

use std::thread::sleep;
use std::time::Duration;

use super::stalls::stuck;
use super::*;
use crate::api::{App, Role};

/// It begins two seconds after a start.
const LONGEST: Duration = Duration::from_secs(60);

#[test]
fn a_bobbin_that_runs_sums_days_counts_what_stalled_and_puts_profiles_together() {
    let Bench { app, clock, dir } = Bench::new();
    for batch in profiled() {
        app.ingest(batch).unwrap();
    }
    let told = [stuck(0, 10, true), stuck(0, 60, true), stuck(0, 100, true)];
    let used = [sample(10, 1.0), sample(86_400, 2.0)];
    app.ingest(batch_of("stuck", "i", 1, &told)).unwrap();
    app.ingest(batch_of("used", "i", 1, &used)).unwrap();
    app.drain().unwrap();
    drop(app);

    // Two months later all of it is due: an hour of profiles first, then its day.
    clock.set(Micros(at(0) + 60 * DAY));
    let app = App::open(dir.path(), Role::Owner, clock).unwrap();
    let told = |sql: &'static str| app.read(|db| Ok(rows(db, sql))).unwrap();
    let due = "select (select count(*) from usage_day_stale), (select count(*) from profile_due),
        (select count(*) from stalled_due)";
    let none = [[0, 0, 0].map(Cell::Integer)];
    assert_ne!(told(due), none);
    let begun = Instant::now();
    while told(due) != none {
        assert!(begun.elapsed() < LONGEST, "{:?} wait", told(due));
        sleep(Duration::from_millis(50));
    }
    let number = |value| [[Cell::Integer(value)]];
    assert_eq!(told("select count(*) from usage_day"), number(2));
    // One of each of two days for two prefixes and for none.
    assert_eq!(told("select count(*) from profile"), number(6));
    assert_eq!(told("select count(*) from profile_stack"), number(6));
    let stalled = "select stalled_micros / 1000000 from usage_ever";
    assert_eq!(told(stalled), number(160));
}
