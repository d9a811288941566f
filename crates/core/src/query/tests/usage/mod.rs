//! What was used in a period and what it cost, from batches to answers.

use serde_json::json;

use crate::api::*;
use crate::model::Micros;
use crate::testing::*;

mod clocks;
mod costs;
mod lines;
mod overview;
mod prices;
mod spans;
mod stalled;

const HOUR: i64 = 3_600;

/// Three clusters: `etl` of ada over two hours, `ml` of ada in the first, `ml` of bob in the second, which then is silent.
fn three() -> Bench {
    let bench = Bench::new();
    let who = |user: &str, project: &str| {
        with(
            facts(0),
            json!({
                "user": user, "project": project,
                "switches": {"code": true, "profile": true, "remote_close": true, "events_allow": ["*"]},
            }),
        )
    };
    let used = |seconds, compute: f64, thread: f64| {
        with(
            sample(seconds, compute),
            json!({"totals": {
                "compute": compute, "transfer": 10.0, "thread_seconds": thread, "tasks_completed": 5, "tasks_erred": 1,
                "result_bytes": 7,
            }}),
        )
    };
    bench.at(2 * HOUR - 5);
    let send = |cluster: &str, records: &[serde_json::Value]| {
        bench.send(batch_of(cluster, "i", 1, records));
    };
    send(
        "etl",
        &[
            who("ada", "etl"),
            used(1_800, 1_000.0, 7_200.0),
            used(HOUR + 1_800, 3_000.0, 21_600.0),
            group(HOUR + 1_800, "g1", 2_000.0),
            with(group(HOUR + 1_800, "g2", 990.0), json!({"prefix": "sum"})),
            stop(HOUR + 1_801),
        ],
    );
    send(
        "ml-1",
        &[who("ada", "ml"), used(1_800, 600.0, 3_600.0), stop(1_801)],
    );
    send(
        "ml-2",
        &[
            who("bob", "ml"),
            used(HOUR + 1_800, 60.0, 3_600.0),
            exception(HOUR + 1_800, "e1", 3),
        ],
    );
    bench
}

fn hours(from: i64, to: i64) -> Vec<Micros> {
    (from..=to).map(|hour| Micros(at(hour * HOUR))).collect()
}

fn asked(cells: Vec<SelectedCells>) -> OverviewRequest {
    OverviewRequest {
        from_micros: Some(Micros(at(0))),
        to_micros: Some(Micros(at(2 * HOUR))),
        edges: hours(0, 2),
        by: Some(HeatRows::Project),
        cells,
    }
}
