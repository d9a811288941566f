//! What is asked of the same days takes the same work, however many days came before them.

use rusqlite::fallible_iterator::FallibleIterator;
use rusqlite::{Batch as Statements, StatementStatus};
use serde_json::Value;

use super::stalls::{stalled_seconds, stuck};
use super::*;
use crate::api::{self, CopySqlRequest};

/// A cluster a day that stalls, fails and stops, on so many days up to now; all that can wait is done.
fn lived(days: i64) -> Bench {
    let bench = Bench::new();
    for day in (1..=days).rev() {
        let began = 3_600 - 86_400 * day;
        let failed = json!({"first_seen_micros": at(began + 90)});
        let records = [
            with(facts(began), json!({"started_micros": at(began)})),
            stuck(began, 10, true),
            stuck(began, 60, true),
            stuck(began, 100, true),
            stuck(began, 150, true),
            with(exception(began + 150, "e1", 1), failed),
            stop(began + 160),
        ];
        bench.send(batch_of(&format!("day-{day}"), "i", 1, &records));
    }
    assert_eq!(stalled_seconds(&bench).len(), days as usize);
    finish(&bench, 1);
    bench
}

/// The steps of SQLite's machine for all that a command asks.
fn steps(bench: &Bench, command: &str, request: &Value) -> i64 {
    let asked = CopySqlRequest {
        command: command.into(),
        request: request.to_string(),
    };
    let copied = api::copy_sql(&bench.app, asked).unwrap();
    assert!(copied.statements > 0 && !copied.truncated, "{command}");
    let count = |db: &Connection| {
        let (mut statements, mut steps) = (Statements::new(db, &copied.sql), 0);
        while let Some(mut statement) = statements.next()? {
            let mut rows = statement.raw_query();
            while rows.next()?.is_some() {}
            drop(rows);
            steps += i64::from(statement.get_status(StatementStatus::VmStep));
        }
        Ok(steps)
    };
    bench.app.read(count).unwrap()
}

#[test]
fn the_same_days_take_the_same_steps_whatever_came_before_them() {
    let edges: Vec<i64> = (0..=28).map(|day| at(86_400 * (day - 28))).collect();
    let asked = [
        ("overview", json!({"edges": edges})),
        ("heat_map", json!({"edges": edges})),
        ("cluster_uses", json!({})),
        ("cost_table", json!({})),
    ];
    let [few, many] = [60, 600].map(|days| {
        let bench = lived(days);
        let told = api::call(&bench.app, "overview", "{}").unwrap();
        let told: Value = serde_json::from_str(&told).unwrap();
        assert_eq!(told["ever"]["clusters"], days);
        assert_eq!(told["period"]["clusters"], 28);
        // Four threads, twice for longer than the limit: 160 s and 200 s of each cluster.
        let stalled = |of: &str| told[of]["parts"]["stalled_micros"].as_i64().unwrap();
        assert_eq!(stalled("ever"), 360 * SECOND * days);
        assert_eq!(stalled("period"), 360 * SECOND * 28);
        asked
            .each_ref()
            .map(|(command, request)| steps(&bench, command, request))
    });
    for (nth, (command, _)) in asked.iter().enumerate() {
        let (few, many) = (few[nth], many[nth]);
        assert!(many <= few + few / 20, "{command}: {few} became {many}");
    }
}
