//! The cap while batches arrive: the file stays near it, however fast they come, and nobody waits in vain.

use std::sync::atomic::{AtomicU64, Ordering};

use super::room::{heavy, set_cap};
use super::*;

const CAP: u64 = 6 << 20;
/// Caps that arrive in all.
const TIMES: u64 = 4;
const SENDERS: u64 = 2;
/// Of one batch.
const EVENTS: u64 = 3;
const TEXT_BYTES: u64 = 20_000;
/// What an event takes of the file at most: its text is sealed, and fills five pages of its own.
const EVENT_BYTES: u64 = 22_000;
/// Batches of one cluster.
const BATCHES: u64 = 8;

/// The file as it is committed.
fn file_bytes(db: &Connection) -> u64 {
    count(db, "pragma page_count") as u64 * count(db, "pragma page_size") as u64
}

/// The next batch of a sender, whose clusters follow each other.
fn events(sender: u64, number: u64) -> crate::wire::Batch {
    let text = "x".repeat(TEXT_BYTES as usize);
    let one = with(event(1), json!({"payload": {"text": text}}));
    let mut records = vec![facts(0)];
    records.extend((0..EVENTS).map(|_| one.clone()));
    let cluster = format!("Scheduler-{sender}-{}", number / BATCHES);
    let first_seq = 1 + number % BATCHES * records.len() as u64;
    batch_of(&cluster, "i", first_seq, &records)
}

#[test]
fn while_several_times_the_cap_arrives_the_file_stays_near_it() {
    let bench = Bench::new();
    bench
        .app
        .write(|db| {
            set_cap(db, CAP);
            Ok(())
        })
        .unwrap();
    let batches = CAP * TIMES / (SENDERS * EVENTS * TEXT_BYTES);
    let largest = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for sender in 0..SENDERS {
            let (app, largest) = (&bench.app, &largest);
            scope.spawn(move || {
                for number in 0..batches {
                    app.ingest(events(sender, number)).unwrap();
                    let file = app.read(|db| Ok(file_bytes(db))).unwrap();
                    largest.fetch_max(file, Ordering::Relaxed);
                }
            });
        }
    });
    // Each commit is of one batch of each sender at most.
    let commit = SENDERS * EVENTS * EVENT_BYTES;
    let most = cap::most(CAP) + cap::look_after(CAP) + commit;
    let largest = largest.into_inner();
    assert!(largest > CAP, "{largest}: the cap was never reached");
    assert!(largest <= most, "{largest} of {most}");
    // Not more went than had to.
    let left = bench.app.read(cap::used).unwrap();
    assert!(left > CAP / 2, "{left}");
    bench.app.drain().unwrap();
    let file = fs::metadata(bench.path().join(FILE)).unwrap().len();
    assert!(file <= most, "{file} of {most}");
}

#[test]
fn for_a_cap_that_was_lowered_nobody_waits() {
    let bench = Bench::new();
    heavy(&bench, 10);
    let opened = stopped(&bench);
    let db = &opened.db;
    let cap = cap::used(db).unwrap() / 2;
    set_cap(db, cap);
    let mut retention = Retention::default();
    while step(db, &mut retention, at(100_000)).more {
        assert!(!retention.presses(), "{} in use", cap::used(db).unwrap());
    }
    assert!(cap::used(db).unwrap() <= cap);
}

#[test]
fn what_came_has_the_size_looked_at_unless_there_is_nothing_to_remove() {
    let bench = Bench::new();
    heavy(&bench, 5);
    let opened = stopped(&bench);
    let db = &opened.db;
    let now = at(100_000);
    let due = |retention: &Retention| retention.at() <= Instant::now();
    let mut retention = Retention::default();
    let used = cap::used(db).unwrap();
    let events = || count(db, "select count(*) from event");
    let before = events();
    for (cap, pinned, looks) in [(2 * used, false, true), (used / 2, true, false)] {
        set_cap(db, cap);
        let sql = "update cluster set pinned_micros = iif(?, id, null)";
        db.execute(sql, [pinned]).unwrap();
        retention.size = Walk::new(SIZE_EVERY);
        settle(db, &mut retention, now);
        assert!(!due(&retention) && !retention.presses());
        retention.came(1, 1, cap::look_after(cap) - 1);
        assert!(!due(&retention), "so little");
        retention.came(1, 1, 1);
        assert_eq!(due(&retention), looks, "{cap}");
    }
    assert_eq!(events(), before);
}
