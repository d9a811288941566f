//! Two runs side by side, through the real store.

use super::*;

/// A run of `tasks` tasks of `each` seconds by `threads` threads, after two seconds of start-up and before three idle ones.
fn run(from: i64, tasks: u64, each: f64, threads: u64, code: &str) -> Vec<Value> {
    let compute = tasks as f64 * each;
    let end = from + 2 + (compute / threads as f64) as i64;
    let work = json!({
        "states": {"memory": tasks}, "seconds": {"compute": compute}, "start_micros": at(from + 2),
        "stop_micros": at(end), "result_bytes": tasks * 1_000_000,
    });
    let call =
        json!({"start_micros": at(from + 2), "stop_micros": at(end), "states": {"memory": tasks}});
    vec![
        with(facts(from), json!({"started_micros": at(from)})),
        with(worker(from, "w", "joined"), json!({"threads": threads})),
        with(
            sample(end, compute),
            json!({"workers": 1, "threads": threads}),
        ),
        with(group(end, "g1", compute), work),
        with(computation(end, "c", Some(code)), call),
        stop(end + 3),
    ]
}

fn send(bench: &Bench, name: &str, records: &[Value]) {
    bench.send(batch_of(&format!("Scheduler-{name}"), "i", 1, records));
}

fn told(bench: &Bench, a: Option<i64>, b: Option<i64>, per_task: bool) -> Comparison {
    compare(&bench.app, CompareRequest { a, b, per_task }).unwrap()
}

fn parts(told: &Comparison) -> Vec<(PartKind, i64)> {
    let parts = told.waterfall.parts.iter().filter(|part| part.micros != 0);
    parts
        .map(|part| (part.kind, part.micros / SECOND))
        .collect()
}

#[test]
fn each_reason_is_a_part_of_the_wall_clock() {
    let bench = Bench::new();
    send(&bench, "1", &run(10, 40, 1.0, 4, "x.compute()"));
    send(&bench, "2", &run(1_000, 40, 2.0, 4, "x.compute()"));
    send(&bench, "3", &run(2_000, 40, 1.0, 2, "x.compute()"));
    let slower = told(&bench, Some(1), Some(2), false);
    assert_eq!(
        (
            slower.a.wall_micros,
            slower.a.startup_micros,
            slower.a.working_micros,
            slower.a.idle_micros
        ),
        (15 * SECOND, 2 * SECOND, 10 * SECOND, 3 * SECOND)
    );
    assert_eq!(parts(&slower), [(PartKind::Speed, 10)]);
    assert_eq!(slower.unlike, Vec::<String>::new());
    assert_eq!(slower.code, CodeComparison::Same { snippets: 1 });
    assert!(slower.groups[0].differs && slower.groups[0].more_seconds == 40.0);
    let fewer = told(&bench, Some(1), Some(3), false);
    assert_eq!(parts(&fewer), [(PartKind::Threads, 10)]);
    assert!(!fewer.groups[0].differs);
    let threads = fewer
        .environment
        .iter()
        .find(|row| row.name == "threads per worker")
        .unwrap();
    assert_eq!(
        (threads.a.as_deref(), threads.b.as_deref(), threads.differs),
        (Some("4"), Some("2"), true)
    );
    // All that differs comes before all that is the same.
    assert!(fewer.environment.is_sorted_by_key(|row| !row.differs));
}

#[test]
fn what_stalled_is_a_part_of_its_own() {
    let bench = Bench::new();
    send(&bench, "1", &run(10, 40, 1.0, 4, "x.compute()"));
    // Ten seconds more at work, in which its four threads did nothing.
    let mut stuck = run(1_000, 40, 1.0, 4, "x.compute()");
    let end = json!({"at_micros": at(1_022), "stop_micros": at(1_022)});
    stuck[4] = with(stuck[4].clone(), end);
    stuck[5] = stop(1_025);
    send(&bench, "2", &stuck);
    let waited = told(&bench, Some(1), Some(2), false);
    assert_eq!(parts(&waited), [(PartKind::Waiting, 10)]);
    let counted = "delete from stalled_due; insert into stalled_hour values (2, 0, 40000000);
        update cluster_total set stalled_micros = 40000000 where cluster_id = 2";
    bench
        .app
        .write(move |db| Ok(db.execute_batch(counted)?))
        .unwrap();
    let stalled = told(&bench, Some(1), Some(2), false);
    assert_eq!(parts(&stalled), [(PartKind::Stalled, 10)]);
}

#[test]
fn runs_of_another_size_say_so_and_compare_by_the_task() {
    let bench = Bench::new();
    send(&bench, "1", &run(10, 40, 1.0, 4, "x.compute()"));
    send(&bench, "2", &run(1_000, 120, 1.0, 4, "y.compute()"));
    let whole = told(&bench, Some(1), Some(2), false);
    assert_eq!(
        whole.unlike,
        [
            "they ran different computations, in code or graph",
            "B has 3 times the tasks",
            "B has 3 times the bytes of results"
        ]
    );
    assert!(whole.better_per_task);
    assert_eq!(parts(&whole), [(PartKind::Tasks, 20)]);
    let each = told(&bench, Some(1), Some(2), true);
    assert_eq!(each.waterfall.per_tasks, Some(1_000));
    // Start-up and idleness do not come with tasks, and each task took as long.
    assert_eq!(parts(&each), []);
    let CodeComparison::Different { snippets } = &whole.code else {
        panic!("{:?}", whole.code)
    };
    assert_eq!(snippets[0].lines.len(), 2);
    // Its lines are a table, as the page saves it.
    let lines = TableRequest {
        command: "compare".into(),
        request: json!({"a": 1, "b": 2}),
        list: "code.snippets.0.lines".into(),
        name: String::new(),
    };
    assert_eq!(table_of(&bench.app, &lines).unwrap().table.rows(), 2);
}

#[test]
fn code_that_only_one_run_told_does_not_make_it_another_computation() {
    let bench = Bench::new();
    send(&bench, "1", &run(10, 40, 1.0, 4, "x.compute()"));
    let mut silent = run(1_000, 40, 1.0, 4, "x.compute()");
    silent[4].as_object_mut().unwrap().remove("code");
    send(&bench, "2", &silent);
    let told_here = told(&bench, Some(1), Some(2), false);
    assert_eq!(told_here.unlike, Vec::<String>::new());
    assert_eq!(
        told_here.code,
        CodeComparison::Missing {
            both: false,
            b: true
        }
    );
}

#[test]
fn what_failed_in_one_run_only_comes_first() {
    let bench = Bench::new();
    let mut records = run(10, 40, 1.0, 4, "x.compute()");
    records.push(exception(20, "both", 1));
    send(&bench, "1", &records);
    let mut records = run(1_000, 40, 1.0, 4, "x.compute()");
    records.push(exception(1_010, "both", 9));
    records.push(with(
        exception(1_010, "new", 2),
        json!({"exception_type": "KeyError"}),
    ));
    send(&bench, "2", &records);
    let rows = told(&bench, Some(1), Some(2), false).exceptions;
    assert_eq!(
        rows.iter()
            .map(|row| (row.exception_type.as_str(), row.a, row.b))
            .collect::<Vec<_>>(),
        [("KeyError", 0, 2), ("ValueError", 1, 9)]
    );
    assert_eq!(rows[0].prefix.as_deref(), Some("inc"));
}

#[test]
fn a_run_stands_beside_the_median_of_its_own_history() {
    let bench = Bench::new();
    for (night, each) in [1.0, 1.2, 1.1, 5.0, 0.9].into_iter().enumerate() {
        send(
            &bench,
            &night.to_string(),
            &run(10 + night as i64 * 1_000, 40, each, 4, "x.compute()"),
        );
    }
    send(&bench, "now", &run(50_000, 40, 2.0, 4, "x.compute()"));
    let told_here = told(&bench, None, Some(6), false);
    assert_eq!((told_here.a.id, told_here.a.typical_of), (3, Some(5)));
    assert_eq!((told_here.b.id, told_here.b.typical_of), (6, None));
    let back = told(&bench, Some(6), None, false);
    let wall = |told: &Comparison| told.waterfall.b_micros - told.waterfall.a_micros;
    assert_eq!(wall(&back), -wall(&told_here));
    let none = compare(
        &bench.app,
        CompareRequest {
            a: None,
            b: Some(1),
            per_task: false,
        },
    )
    .unwrap_err();
    assert_eq!(none.code(), Code::NotFound);
    let neither = compare(&bench.app, CompareRequest::default()).unwrap_err();
    assert_eq!(neither.code(), Code::Invalid);
}

#[test]
fn without_the_key_only_whether_code_is_the_same_is_known() {
    let bench = Bench::new();
    send(&bench, "1", &run(10, 40, 1.0, 4, "x.compute()"));
    send(&bench, "2", &run(1_000, 40, 1.0, 4, "x.compute()  # again"));
    send(&bench, "3", &run(2_000, 40, 1.0, 4, "y.compute()"));
    fs::remove_file(bench.path().join("key")).unwrap();
    assert_eq!(
        told(&bench, Some(1), Some(2), false).code,
        CodeComparison::Locked { same: true }
    );
    assert_eq!(
        told(&bench, Some(1), Some(3), false).code,
        CodeComparison::Locked { same: false }
    );
}

#[test]
fn a_worker_that_is_killed_and_then_gone_is_lost_once() {
    let bench = Bench::new();
    send(&bench, "1", &run(10, 40, 1.0, 4, "x.compute()"));
    let mut records = run(1_000, 40, 1.0, 4, "x.compute()");
    let unasked = json!({"expected": false, "threads": null});
    for (second, event) in [(1_004, "killed"), (1_005, "left"), (1_006, "restarted")] {
        records.push(with(worker(second, "w", event), unasked.clone()));
    }
    records.push(with(worker(1_011, "w", "left"), unasked));
    send(&bench, "2", &records);
    let told = told(&bench, Some(1), Some(2), false);
    assert_eq!((told.a.workers_lost, told.b.workers_lost), (0, 2));
    // Three of the ten seconds without a worker; it came back with as many threads as before.
    assert_eq!((told.a.threads, told.b.threads), (Some(4.0), Some(2.8)));
}

#[test]
fn how_many_computations_were_compared_is_said() {
    let bench = Bench::new();
    send(&bench, "1", &run(10, 40, 1.0, 4, "x.compute()"));
    let mut records = run(1_000, 40, 1.0, 4, "x.compute()");
    for n in 0..205 {
        records.push(with(
            records[4].clone(),
            json!({"computation_id": format!("c-{n}")}),
        ));
    }
    send(&bench, "2", &records);
    assert_eq!(
        told(&bench, Some(1), Some(2), false).left_out,
        ["For B, Bobbin compares the code and graph of only the newest 200 of 206 computations."]
    );
}
