//! What goes is gone from every table, from the file and from the log; what stays is as it was.

mod ages;
mod arriving;
mod deletion;
mod months;
mod preview;
mod reports;
mod room;
mod totals;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use proptest::prelude::*;
use rusqlite::Connection;
use serde_json::{Value, json};

use super::*;
use crate::api::{self, App, ClustersRequest, Empty, OverviewRequest};
use crate::model::{RetentionCategory, RetentionRules};
use crate::store::{FILE, Opened, open_owner, open_reader};
use crate::testing::*;

const DAY: i64 = 86_400;

/// Something of every kind that a cluster can send, with words of its own.
fn everything(word: &str) -> Vec<Value> {
    vec![
        with(
            facts(0),
            json!({
                "name": format!("{word}-name"), "user": format!("{word}-user"), "tags": {format!("{word}-tag"): "x"},
                "switches": {"code": true, "profile": true, "remote_close": true, "events_allow": ["*"]},
            }),
        ),
        with(
            sample(10, 1.0),
            json!({"workers_each": [["w1", 1.5, 100, 50, 0, 1, 2]]}),
        ),
        sample(20, 2.0),
        worker(11, &format!("{word}-worker"), "joined"),
        with(
            group(12, "g1", 1.0),
            json!({"prefix": format!("{word}-prefix"), "name": format!("{word}-group")}),
        ),
        computation(13, "c1", Some(&format!("{word}_code()"))),
        with(
            exception(14, "e1", 2),
            json!({
                "message": format!("{word}-message"), "traceback": format!("{word}-traceback"),
                "exception_type": format!("{word}Error"),
            }),
        ),
        with(
            metric(15, Some("s1"), "deserialize", 0.5),
            json!({"context": format!("{word}-context"), "prefix": format!("{word}-prefix")}),
        ),
        span(16, "s1", &["g1"]),
        with(
            sampled(17, Some(&format!("{word}-prefix"))),
            json!({
                "strings": ["inc", "load", format!("/home/{word}/work.py"), format!("{word}-line"), format!("{word}-text")],
                "lines": {"frame": [1], "line": [11], "text": [4], "ended": [2], "samples": [2]},
            }),
        ),
        with(
            event(18),
            json!({"topic": format!("{word}-topic"), "payload": {"text": format!("{word}-payload")}}),
        ),
        unsent(19, &format!("{word}-unsent"), 3),
        json!({"kind": "dropped", "at_micros": at(20), "what": "sample", "count": 1, "reason": "queue_full"}),
        json!({"kind": "unheard_of", "at_micros": at(20), "text": format!("{word}-kept")}),
        stop(21),
    ]
}

/// Runs what is due until nothing is.
fn settle(db: &Connection, retention: &mut Retention, now: i64) -> Vec<i64> {
    let mut changed = Vec::new();
    for _ in 0..100_000 {
        let step = retention.step(db, Micros(now)).unwrap();
        changed.extend(step.changed);
        if !step.more {
            return changed;
        }
    }
    panic!("it does not come to an end");
}

/// Waits until the writer has seen the clock as it is: it then believes no jump of many days, and removes nothing itself.
fn clock_seen(bench: &Bench) {
    let seen = |db: &Connection| Ok(count(db, "select count(*) from retention_clock"));
    while bench.app.read(seen).unwrap() == 0 {
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// The store of a Bobbin that was stopped, opened as its writer does.
fn stopped(bench: &Bench) -> Opened {
    bench.app.drain().unwrap();
    // The lock is free once the writer is gone.
    open_owner(bench.path(), bench.app.now()).unwrap()
}

fn rules_of(categories: &[(RetentionCategory, u32)]) -> RetentionRules {
    let days = |wanted| {
        categories
            .iter()
            .find(|(category, _)| *category == wanted)
            .map(|(_, days)| *days)
    };
    RetentionRules {
        cap_bytes: None,
        profiles_days: days(RetentionCategory::Profiles),
        code_days: days(RetentionCategory::Code),
        exceptions_days: days(RetentionCategory::Exceptions),
        events_days: days(RetentionCategory::Events),
        samples_days: days(RetentionCategory::Samples),
    }
}

/// How often a text, or other bytes, stand in the file and its log.
fn found(dir: &Path, text: impl AsRef<[u8]>) -> usize {
    let text = text.as_ref();
    [FILE.to_owned(), format!("{FILE}-wal")]
        .iter()
        .filter_map(|name| fs::read(dir.join(name)).ok())
        .map(|bytes| {
            bytes
                .windows(text.len())
                .filter(|window| *window == text)
                .count()
        })
        .sum()
}

fn count(db: &Connection, sql: &str) -> i64 {
    db.query_one(sql, [], |row| row.get(0)).unwrap()
}

fn numbers(db: &Connection, sql: &str) -> Vec<i64> {
    let mut find = db.prepare(sql).unwrap();
    let rows = find.query_map([], |row| row.get(0)).unwrap();
    rows.map(|row| row.unwrap()).collect()
}

/// What is said beforehand is about what goes.
#[track_caller]
fn near(said: u64, went: u64) {
    let ratio = said as f64 / went as f64;
    assert!((0.8..1.25).contains(&ratio), "{said} said, {went} went");
}

fn cluster_id(app: &App, scheduler_id: &str) -> i64 {
    api::find_cluster(app, scheduler_id).unwrap().id
}

/// What is there of each category: records, and what belongs to them.
fn detail(db: &Connection) -> [i64; 9] {
    [
        "profile",
        "profile_stack",
        "profile_line",
        "computation_code",
        "kept",
        "exception where message_sealed is not null",
        "event",
        "sample",
        "sample_worker",
    ]
    .map(|rows| count(db, &format!("select count(*) from {rows}")))
}
