//! Clusters of every kind, which filters are asked of.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use rusqlite::named_params;

use crate::Result;
use crate::api::{ClusterRow, ClustersRequest, clusters};
use crate::testing::{Bench, at as at_second};

/// What is known of a cluster besides its row.
pub(super) struct Known {
    pub(super) row: ClusterRow,
    pub(super) said_name: Option<String>,
    pub(super) function: &'static str,
    pub(super) exception: Option<&'static str>,
    pub(super) code: bool,
}

pub(super) const USERS: &[&str] = &["ana", "Ana B", "mariana", "ben", ""];
const NAMES: &[&str] = &[
    "etl nightly",
    "ETL",
    "100%",
    "un_der",
    "quo\"te",
    "back\\slash",
    "or",
    "-",
    "(x)",
    "name:it",
];
pub(super) const TAGS: &[&str] = &["ci", "env", "a=b", "deep tag"];
const FUNCTIONS: &[&str] = &["read_csv", "inc", "sum-tree"];
const EXCEPTIONS: &[&str] = &["ValueError", "KeyError"];

/// Some clusters of every kind, made once: rows as the store would have them after their batches.
pub(super) fn known() -> &'static (Bench, Vec<Known>) {
    static BENCH: OnceLock<(Bench, Vec<Known>)> = OnceLock::new();
    BENCH.get_or_init(|| {
        let bench = Bench::new();
        bench.at(1_000_000);
        let told: Vec<_> = (0..40_usize).map(story).collect();
        bench
            .app
            .write(|db| {
                for name in FUNCTIONS.iter().chain(EXCEPTIONS) {
                    db.execute("insert into name (text) values (?)", [name])?;
                }
                for at in 0..40 {
                    put(db, at)?;
                }
                Ok(())
            })
            .unwrap();
        let request = ClustersRequest {
            limit: 1000,
            ..Default::default()
        };
        let rows = clusters(&bench.app, request).unwrap().rows;
        assert_eq!(rows.len(), 40);
        let known = rows.into_iter().map(|row| {
            let at = row.id as usize - 1;
            let (name, exception, code) = told[at];
            Known {
                row,
                said_name: name.map(Into::into),
                function: FUNCTIONS[at % FUNCTIONS.len()],
                exception,
                code,
            }
        });
        let known = known.collect();
        (bench, known)
    })
}

type Story = (Option<&'static str>, Option<&'static str>, bool);

fn story(at: usize) -> Story {
    (
        (at % 7 != 6).then(|| NAMES[at % NAMES.len()]),
        (at.is_multiple_of(4)).then(|| EXCEPTIONS[at / 4 % 2]),
        at.is_multiple_of(5),
    )
}

fn put(db: &rusqlite::Connection, at: usize) -> Result<()> {
    let (name, exception, code) = story(at);
    let mut tags = BTreeMap::new();
    if at.is_multiple_of(2) {
        tags.insert(TAGS[at / 2 % TAGS.len()], ["", "prod", "x=y"][at / 2 % 3]);
    }
    let own = if at.is_multiple_of(3) {
        r#"{"ci":""}"#
    } else {
        "{}"
    };
    let started = start(at);
    db.execute(
        "insert into cluster (scheduler_id, first_at_micros, said_started_micros, name, user, host, project, tags, own_tags, \
         given_name, note, pinned_micros) values (:id, :started, :started, :name, :user, :host, :project, :tags, :own, \
         :given, :note, :pinned)",
        named_params! {
            ":id": format!("{}-{at}", if at % 7 == 6 { "Sample" } else { "Scheduler" }),
            ":started": started,
            ":name": name,
            ":user": USERS.get(at % 6).filter(|_| at % 6 < 5),
            ":host": ["laptop", "node-1"][at % 2],
            ":project": (at % 4 == 1).then_some("etl"),
            ":tags": serde_json::to_string(&tags)?,
            ":own": own,
            ":given": (at % 9 == 4).then_some("Called by hand"),
            ":note": (at % 8 == 3).then_some("a note\nof two lines"),
            ":pinned": (at % 10 == 5).then_some(1),
        },
    )?;
    let id = at as i64 + 1;
    let now = at_second(1_000_000);
    // Finished, lost, idle, running, stalled.
    let kind = at % 5;
    let sample = started + 100_000_000;
    db.execute(
        "insert into cluster_total (cluster_id, last_heard_micros, silent_after_micros, interval_micros, stop_at_micros, \
         sample_at_micros, idle_since_micros, stall_limit_micros, workers_peak, threads_peak, memory_peak_bytes, \
         compute_micros, thread_micros, tasks_completed, tasks_erred, computations, exceptions) values (:id, :heard, :silent, \
         10000000, :stop, :sample, :idle, :stall, :n, :n * 4, :memory, :n * 1000000, :time, :n * 100, :n % 3, 1, :exceptions)",
        named_params! {
            ":id": id,
            ":heard": if kind == 1 { sample } else { now },
            ":silent": if kind == 1 { sample + 30_000_000 } else { now + 30_000_000 },
            ":stop": (kind == 0).then_some(sample + 1_000_000),
            ":sample": (!at.is_multiple_of(11)).then_some(sample),
            ":idle": (kind == 2).then_some(sample),
            ":stall": (kind == 4).then_some(1_000_000),
            ":n": at as i64,
            ":memory": (!at.is_multiple_of(3)).then_some((at as i64) << 28),
            ":time": if at.is_multiple_of(6) { 0 } else { at as i64 * 3_000_000 },
            ":exceptions": i64::from(exception.is_some()),
        },
    )?;
    db.execute(
        "insert into cluster_prefix select id, ? from name where text = ?",
        rusqlite::params![id, FUNCTIONS[at % FUNCTIONS.len()]],
    )?;
    if let Some(exception) = exception {
        db.execute(
            "insert into exception (cluster_id, exception_id, at_micros, seq, rank, origin, type_id, first_seen_micros, \
             last_seen_micros, count, dependents) select ?, 'e', 1, 1, 1, 'user', id, 1, 1, 1, 0 from name where text = ?",
            rusqlite::params![id, exception],
        )?;
    }
    if code {
        db.execute(
            "insert into computation_code (cluster_id, computation_id, at_micros, seq, rank, frames_sealed) \
             values (?, 'c', 1, 1, 1, x'00')",
            [id],
        )?;
    }
    Ok(())
}

fn start(number: usize) -> i64 {
    at_second(number as i64 * 20_000)
}

/// The clusters that the list has for a filter.
pub(super) fn listed(text: &str) -> Result<Vec<i64>> {
    let request = ClustersRequest {
        text: Some(text.into()),
        time_zone: "Etc/GMT-1".into(),
        limit: 1000,
        ..Default::default()
    };
    let list = clusters(&known().0.app, request)?;
    assert_eq!(list.total as usize, list.rows.len());
    let mut ids: Vec<i64> = list.rows.iter().map(|row| row.id).collect();
    ids.sort_unstable();
    Ok(ids)
}
