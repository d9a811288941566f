//! Months of recording: the store stays below its cap, what is young stays, and the sums of every day are right.

use super::*;

const DAYS: i64 = 90;
/// Days between two looks at ages and size: not more than is believed of a clock at once.
const LOOKS: i64 = 5;
/// About a month of events.
const CAP: u64 = 4 << 20;
/// Of each day's cluster.
const EVENTS: i64 = 5;

fn told(seconds: i64, started: i64) -> Value {
    with(
        facts(seconds),
        json!({
            "started_micros": at(started),
            "switches": {"code": true, "profile": true, "remote_close": true, "events_allow": ["*"]},
        }),
    )
}

/// A day's cluster, with large events, and a report of one that runs all the time.
fn record(bench: &Bench, day: i64) {
    let begin = day * DAY;
    let end = begin + 7_200;
    let mut short = vec![
        told(begin, begin),
        sample(begin + 3_600, 0.5),
        sample(end, day as f64 + 1.0),
    ];
    short.extend((0..EVENTS).map(|part| {
        let text = "x".repeat(20_000);
        with(event(begin + part), json!({"payload": {"text": text}}))
    }));
    short.push(stop(end));
    let long = [
        told(begin, 0),
        sample(end, day as f64 + 1.0),
        sampled(end, Some("inc")),
        event(end),
    ];
    bench
        .at(end)
        .send(batch_of(&format!("Scheduler-{day}"), "i", 1, &short))
        .send(batch_of("service", "i", 1 + 4 * day as u64, &long));
}

#[test]
fn after_months_the_store_is_below_its_cap_and_nothing_young_or_summed_is_gone() {
    let mut bench = Bench::new();
    let events = "select count(*) from event as e join cluster as c on c.id = e.cluster_id
        where c.scheduler_id";
    for day in 0..DAYS {
        record(&bench, day);
        let days = day + 1;
        if days % LOOKS != 0 {
            continue;
        }
        let opened = stopped(&bench);
        let db = &opened.db;
        if days == LOOKS {
            set_rules(db, &RetentionRules::default(), Micros(at(0))).unwrap();
            db.execute("update retention set cap_bytes = ?", [CAP])
                .unwrap();
        }
        settle(db, &mut Retention::default(), bench.app.now().0);
        let bytes = count(db, "pragma page_count") * count(db, "pragma page_size");
        assert!(bytes as u64 <= CAP, "{bytes} after {days} days");
        assert_eq!(count(db, "select count(*) from cluster"), days + 1);
        let week = at((day - 7) * DAY);
        let young = format!("{events} <> 'service' and c.started_micros > {week}");
        assert_eq!(count(db, &young), days.min(7) * EVENTS, "after {days} days");
        assert_eq!(count(db, &format!("{events} = 'service'")), days);
        // They stay for 30 days.
        let profiles = count(db, "select count(*) from profile");
        assert!(
            (days.min(30)..=days.min(31)).contains(&profiles),
            "{profiles} after {days} days"
        );
        drop(opened);
        bench.app = App::open(bench.path(), api::Role::Owner, bench.clock.clone()).unwrap();
    }
    let all = format!("{events} <> 'service'");
    let left = bench.app.read(|db| Ok(count(db, &all))).unwrap();
    assert!(left < DAYS / 2 * EVENTS, "{left} events are left");
    let edges: Vec<i64> = (0..=DAYS).map(|day| at(day * DAY)).collect();
    let asked: OverviewRequest = serde_json::from_value(
        json!({"from_micros": edges[0], "to_micros": at(DAYS * DAY), "edges": edges}),
    )
    .unwrap();
    let shown = api::overview(&bench.app, asked).unwrap();
    let computed: Vec<f64> = (0..DAYS).map(|day| day as f64 + 2.0).collect();
    assert_eq!(shown.series.compute_seconds, computed);
    let seconds: f64 = computed.iter().sum();
    for totals in [shown.period, shown.ever] {
        assert_eq!(
            (totals.clusters, totals.compute_seconds),
            (DAYS as u64 + 1, seconds)
        );
        assert_eq!(totals.tasks_completed, 10 * seconds as u64);
    }
}
