//! What stalled, apart from what was idle.

use super::*;

#[test]
fn what_stalled_is_told_apart_from_what_was_idle_in_every_sum() {
    let bench = three();
    let told = || overview(&bench.app, asked(vec![])).unwrap();
    let before = told().period;
    let count = |db: &rusqlite::Connection| {
        // Half an hour of a thread in each of the two hours of the first cluster.
        let hours = "insert into stalled_hour select cluster_id, hour, 1800000000 from cluster_hour where cluster_id = 1;
            update cluster_total set stalled_micros = 3600000000 where cluster_id = 1";
        Ok(db.execute_batch(hours)?)
    };
    bench.app.write(count).unwrap();
    let told = told();
    let parts = told.period.parts;
    assert_eq!(parts.stalled_micros, 3_600 * SECOND);
    assert_eq!(
        parts.idle_micros + parts.stalled_micros,
        before.parts.idle_micros
    );
    assert_eq!(told.ever.parts, parts);
    let (was, is) = (before.cost.unwrap(), told.period.cost.unwrap());
    assert_eq!((was.stalled.high_nanos, was.total), (0, is.total));
    assert!(is.stalled.high_nanos > 0);
    let idleness = is.idle.high_nanos + is.stalled.high_nanos;
    assert!((was.idle.high_nanos - idleness).abs() <= 1, "{is:?}");
}

#[test]
fn what_stalled_is_an_operation_of_its_own_and_the_rest_of_what_was_idle_another() {
    let operations = |same_stacks: bool| {
        let bench = Bench::new();
        let assigned =
            json!({"limit_micros": 60 * SECOND, "same_stacks": same_stacks, "group_id": "g1"});
        let told = |seconds: i64, ended: i64, stall: &serde_json::Value| {
            with(
                sample(seconds, 10.0),
                json!({"last_completed_micros": at(ended), "stall": stall, "totals": {
                    "compute": 10.0, "thread_seconds": seconds * 4, "tasks_completed": 5, "tasks_erred": 0, "result_bytes": 7,
                }}),
            )
        };
        let nothing = json!(null);
        bench.send(batch(
            1,
            &[
                facts(0),
                with(group(9, "g1", 10.0), json!({"seconds": {"compute": 10.0}})),
                told(10, 9, &assigned),
                // Not yet longer than the limit, then for 90 s, then nothing is assigned.
                told(60, 9, &assigned),
                told(100, 9, &assigned),
                told(150, 9, &assigned),
                told(200, 9, &nothing),
                // It had nothing to do until then.
                told(210, 9, &assigned),
                told(220, 215, &assigned),
            ],
        ));
        let cost = cluster_cost(&bench.app, ClusterRequest { id: 1 }).unwrap();
        let sum: i64 = cost.operations.iter().map(|row| row.thread_micros).sum();
        assert_eq!(sum, cost.thread_micros);
        let money = |of: Operation| {
            let row = cost.operations.iter().find(|row| row.operation == of);
            row.map_or(0, |row| row.money.unwrap().high_nanos)
        };
        let sums = cost.cost.unwrap();
        assert_eq!(
            [money(Operation::Idle), money(Operation::Stalled)],
            [sums.idle.high_nanos, sums.stalled.high_nanos]
        );
        let told = cost.operations.into_iter();
        told.map(|row| (row.operation, row.thread_micros / SECOND))
            .collect::<Vec<_>>()
    };
    let inc = Operation::Prefix {
        prefix: "inc".into(),
    };
    assert_eq!(
        operations(true),
        [
            (Operation::Idle, 510),
            (Operation::Stalled, 360),
            (inc.clone(), 10)
        ]
    );
    // Stacks that change are work that takes long.
    assert_eq!(operations(false), [(Operation::Idle, 870), (inc, 10)]);
}
