//! What each tool asks, and what of the answer is told.

use bobbin_core::Result;
use bobbin_core::api::{
    self, App, Cluster, ClusterRequest, ClustersRequest, CompareRequest, ExceptionsRequest,
    FlameColumn, FlameTableRequest, Operation, ProfileSelection, SealedText, TaskGroupsRequest,
    VerdictsRequest,
};
use serde::Serialize;
use serde_json::{Value, json};

use super::answers::{Answer, moment, moment_or_null, rows_sql, seconds, sql};
use super::asked::Asked;

/// Parts of a comparison.
const PARTS: usize = 30;

pub fn list_clusters(asked: &mut Asked<'_>) -> Result<Answer> {
    let (filter, limit) = (asked.text("filter")?, asked.limit()?);
    let request = ClustersRequest {
        text: filter.clone(),
        time_zone: crate::print::time_zone(),
        limit: limit as u32,
        ..ClustersRequest::default()
    };
    let told = api::told_clusters(asked.app, request, asked.choice)?;
    let list = told.list;
    let ids: Vec<i64> = list.rows.iter().map(|row| row.id).collect();
    let sql = rows_sql(asked.app, &ids)?;
    let verdicts = api::verdicts(asked.app, VerdictsRequest { ids })?.rows;
    let rows: Vec<Value> = list
        .rows
        .iter()
        .map(|row| {
            // Its words may name what is not told.
            let verdict = verdicts
                .iter()
                .find(|one| one.id == row.id)
                .map(|one| one.kind);
            json!({
                "id": row.id,
                "name": row.name,
                "state": row.state,
                "verdict": verdict,
                "sample": row.sample,
                "user": row.user,
                "host": row.host,
                "project": row.project,
                "tags": row.tags,
                "started": moment(row.started_micros),
                "stopped": moment_or_null(row.stopped_micros),
                "workers_peak": row.workers_peak,
                "threads_peak": row.threads_peak,
                "memory_peak_bytes": row.memory_peak_bytes,
                "tasks_completed": row.tasks_completed,
                "tasks_erred": row.tasks_erred,
                "compute_seconds": row.compute_seconds,
                "efficiency": row.efficiency,
                "exceptions": row.exceptions,
                "cost": money(row.cost),
            })
        })
        .collect();
    let view = match &*told.on_page {
        "" => "clusters".to_owned(),
        text => format!("clusters?text={}", encoded(text)),
    };
    Ok(Answer {
        command: "clusters",
        request: json!({ "text": filter, "limit": limit }),
        sql,
        sample: list.rows.iter().any(|row| row.sample),
        data: json!({ "rows": rows, "currency": list.currency, "more_not_looked_at": told.not_looked_at }),
        total: Some(list.total),
        view,
    })
}

pub fn cluster(asked: &mut Asked<'_>) -> Result<Answer> {
    let id = asked.id("cluster")?;
    let (lens, here) = asked.lenses.of(asked.app, &[id], asked.choice)?;
    let told = api::cluster(lens, ClusterRequest { id })?;
    let verdict = api::verdict(lens, ClusterRequest { id })?;
    let (row, facts) = (&told.row, &told.facts);
    let evidence: Vec<Value> = verdict
        .evidence
        .iter()
        .map(|one| json!({ "words": one.words, "value": one.value, "unit": one.unit, "rule": one.rule }))
        .collect();
    let request = json!({ "id": id });
    Ok(Answer {
        data: json!({
            "id": id,
            "name": row.name,
            "user": row.user,
            "host": row.host,
            "project": row.project,
            "tags": row.tags,
            "state": here.first().map(|one| one.row.state),
            "verdict": verdict.kind,
            "evidence": evidence,
            "started": moment(row.started_micros),
            "stopped": moment_or_null(row.stopped_micros),
            "last_heard": moment_or_null(here.first().map(|one| one.row.last_heard_micros)),
            "workers": row.workers,
            "workers_peak": row.workers_peak,
            "threads_peak": row.threads_peak,
            "memory_peak_bytes": row.memory_peak_bytes,
            "memory_limit_bytes": row.memory_limit_bytes,
            "tasks": row.tasks,
            "tasks_completed": row.tasks_completed,
            "tasks_erred": row.tasks_erred,
            "seconds": told.seconds,
            "thread_seconds": row.thread_seconds,
            "efficiency": row.efficiency,
            "result_bytes": row.result_bytes,
            "computations": row.computations,
            "exceptions": row.exceptions,
            "cost": money(here.first().and_then(|one| one.row.cost)),
            "cluster_class": facts.cluster_class,
            "python_version": facts.python_version,
            "os": facts.os,
            "versions": facts.versions,
            "mismatches": facts.mismatches,
            "not_available": facts.unavailable,
            "off_at_source": facts.off_since.keys().collect::<Vec<_>>(),
            "left_out": facts.from_bundle.as_ref().map(|from| &from.left_out),
            "masked": facts.from_bundle.as_ref().map(|from| &from.masked),
        }),
        total: None,
        view: format!("cluster/{id}"),
        ..about(lens, &here, "cluster", request)?
    })
}

pub fn groups(asked: &mut Asked<'_>) -> Result<Answer> {
    let (id, limit) = (asked.id("cluster")?, asked.limit()?);
    let (lens, here) = asked.lenses.of(asked.app, &[id], asked.choice)?;
    let list = api::task_groups(lens, TaskGroupsRequest { id })?;
    let rows: Vec<Value> = list
        .rows
        .iter()
        .take(limit as usize)
        .map(|row| {
            json!({
                "name": row.name,
                "prefix": row.prefix,
                "tasks": row.states,
                "seconds": row.seconds,
                "task_seconds": row.durations,
                "skew": row.skew,
                "result_bytes": row.result_bytes,
                "retried": row.retried,
                "started": moment_or_null(row.start_micros),
                "stopped": moment_or_null(row.stop_micros),
            })
        })
        .collect();
    let request = json!({ "id": id });
    Ok(Answer {
        data: json!({ "rows": rows }),
        total: Some(list.total),
        view: format!("cluster/{id}?tab=groups"),
        ..about(lens, &here, "task_groups", request)?
    })
}

pub fn exceptions(asked: &mut Asked<'_>) -> Result<Answer> {
    let (id, limit) = (asked.id("cluster")?, asked.limit()?);
    let (lens, here) = asked.lenses.of(asked.app, &[id], asked.choice)?;
    let request = ExceptionsRequest {
        id: Some(id),
        limit: limit as u32,
        ..ExceptionsRequest::default()
    };
    let list = api::exceptions(lens, request)?;
    let rows: Vec<Value> = list
        .rows
        .iter()
        .map(|row| {
            json!({
                "type": row.exception_type,
                "origin": row.origin,
                "group": row.group,
                "worker": row.worker,
                "count": row.count,
                "dependents": row.dependents,
                "first_seen": moment(row.first_seen_micros),
                "last_seen": moment(row.last_seen_micros),
                "message": text(&row.message),
                "traceback": text(&row.traceback),
            })
        })
        .collect();
    let request = json!({ "id": id, "limit": limit });
    Ok(Answer {
        data: json!({ "rows": rows }),
        total: Some(list.total),
        view: format!("cluster/{id}?tab=exceptions"),
        ..about(lens, &here, "exceptions", request)?
    })
}

pub fn profile_hot(asked: &mut Asked<'_>) -> Result<Answer> {
    let (id, limit) = (asked.id("cluster")?, asked.limit()?);
    let prefix = asked.text("prefix")?;
    let request = FlameTableRequest {
        selection: ProfileSelection {
            ids: vec![id],
            prefixes: prefix.into_iter().collect(),
            ..ProfileSelection::default()
        },
        order: FlameColumn::Own,
        limit: limit as u32,
        ..FlameTableRequest::default()
    };
    let (lens, here) = asked.lenses.of(asked.app, &[id], asked.choice)?;
    let table = api::flame_table(lens, request.clone())?;
    let time = |samples: u64| samples as f64 * table.seconds_per_sample;
    let rows: Vec<Value> = table
        .rows
        .iter()
        .map(|row| {
            json!({
                "function": row.name,
                "file": row.file,
                "line": row.line,
                "library": row.library,
                "own_seconds": time(row.own),
                "total_seconds": time(row.total),
                "total_error_seconds": row.error * table.seconds_per_sample,
                "source": row.text,
            })
        })
        .collect();
    let request = json!({ "selection": { "ids": [id], "prefixes": request.selection.prefixes }, "limit": limit });
    Ok(Answer {
        data: json!({ "rows": rows, "samples": table.samples, "seconds": time(table.samples) }),
        total: Some(table.total),
        view: format!("cluster/{id}?tab=profile"),
        // The records of the profile; its tree is merged of them, and no table of the store.
        ..about(lens, &here, "flame_table", request)?
    })
}

pub fn compare(asked: &mut Asked<'_>) -> Result<Answer> {
    let b = asked.id("b")?;
    let per_task = asked.flag("per_task")?;
    let (a, typical_of) = match asked.number("a", i64::MAX as u64)? {
        Some(a) => (a as i64, None),
        None => {
            let request = CompareRequest {
                a: None,
                b: Some(b),
                per_task,
            };
            let typical = api::compare(asked.app, request)?.a;
            (typical.id, typical.typical_of)
        }
    };
    let (lens, here) = asked.lenses.of(asked.app, &[a, b], asked.choice)?;
    let request = CompareRequest {
        a: Some(a),
        b: Some(b),
        per_task,
    };
    let told = api::compare(lens, request.clone())?;
    let mut parts: Vec<_> = told
        .waterfall
        .parts
        .iter()
        .filter(|part| part.micros != 0)
        .collect();
    parts.sort_by_key(|part| std::cmp::Reverse(part.micros.unsigned_abs()));
    let (parts, more_parts) = first(parts);
    let parts: Vec<Value> = parts
        .into_iter()
        .map(|part| {
            json!({ "is": part.kind, "prefix": part.prefix, "seconds": seconds(part.micros), "words": part.words })
        })
        .collect();
    let (environment, more_environment) = first(told.environment.iter().filter(|row| row.differs));
    let (groups, more_groups) = first(told.groups.iter().filter(|row| row.differs));
    let (exceptions, more_exceptions) = first(&told.exceptions);
    let code = serde_json::to_value(&told.code)?["is"].clone();
    let request = json!(request);
    Ok(Answer {
        data: json!({
            "a": told.a,
            "b": told.b,
            "a_is_median_of": typical_of,
            "unlike": told.unlike,
            "left_out": told.left_out,
            "code": code,
            "wall_seconds": { "a": seconds(told.waterfall.a_micros), "b": seconds(told.waterfall.b_micros) },
            "per_tasks": told.waterfall.per_tasks,
            "parts": parts,
            "more_parts": more_parts,
            "groups": groups,
            "more_groups": more_groups,
            "exceptions": exceptions,
            "more_exceptions": more_exceptions,
            "environment": environment,
            "more_environment": more_environment,
        }),
        total: None,
        view: format!("compare?a={a}&b={b}"),
        ..about(lens, &here, "compare", request)?
    })
}

/// An answer about clusters through a lens, still without its data: the command that was asked there, and what it is as SQL.
fn about(lens: &App, here: &[Cluster], command: &'static str, request: Value) -> Result<Answer> {
    Ok(Answer {
        sql: sql(lens, command, &request)?,
        sample: here.iter().any(|one| one.row.sample),
        command,
        request,
        data: Value::Null,
        total: None,
        view: String::new(),
    })
}

/// The first of a list, and how many more there are: beside the list, as `more_` and its name.
fn first<T>(rows: impl IntoIterator<Item = T>) -> (Vec<T>, usize) {
    let mut rows: Vec<T> = rows.into_iter().collect();
    let more = rows.len().saturating_sub(PARTS);
    rows.truncate(PARTS);
    (rows, more)
}

pub fn findings(asked: &mut Asked<'_>) -> Result<Answer> {
    let id = asked.id("cluster")?;
    let (lens, here) = asked.lenses.of(asked.app, &[id], asked.choice)?;
    let list = api::findings(lens, ClusterRequest { id })?;
    let rows: Vec<Value> = list
        .rows
        .iter()
        .map(|row| {
            let evidence = &row.evidence;
            json!({
                "about": evidence.about,
                "words": evidence.words,
                "value": evidence.value,
                "unit": evidence.unit,
                "rule": evidence.rule,
                "advice": row.advice,
                "page": row.page,
            })
        })
        .collect();
    let request = json!({ "id": id });
    Ok(Answer {
        total: Some(rows.len() as u64),
        data: json!({ "rows": rows, "rules": list.rules }),
        view: format!("cluster/{id}"),
        ..about(lens, &here, "findings", request)?
    })
}

pub fn cost(asked: &mut Asked<'_>) -> Result<Answer> {
    let (id, limit) = (asked.id("cluster")?, asked.limit()?);
    // Prices are here, names of groups are told there; what is in words of the price book stays here.
    let priced = api::cluster_cost(asked.app, ClusterRequest { id })?;
    let (lens, here) = asked.lenses.of(asked.app, &[id], asked.choice)?;
    let told = api::cluster_cost(lens, ClusterRequest { id })?;
    let of_all = told.thread_micros.max(1) as f64;
    let rows: Vec<Value> = told
        .operations
        .iter()
        .take(limit as usize)
        .map(|row| {
            json!({
                "is": is(&row.operation),
                "prefix": match &row.operation {
                    Operation::Prefix { prefix } => Some(prefix),
                    _ => None,
                },
                "tasks": row.tasks,
                "thread_seconds": seconds(row.thread_micros),
                "share": row.thread_micros as f64 / of_all,
            })
        })
        .collect();
    let total = told.operations.len() as u64;
    let request = json!({ "id": id });
    Ok(Answer {
        data: json!({
            "currency": priced.cost.as_ref().map(|cost| &cost.currency),
            "cost": money(priced.cost.as_ref().map(|cost| cost.total)),
            "idle": money(priced.cost.as_ref().map(|cost| cost.idle)),
            "stalled": money(priced.cost.as_ref().map(|cost| cost.stalled)),
            "thread_seconds": seconds(priced.thread_micros),
            "rows": rows,
        }),
        total: Some(total),
        view: format!("cluster/{id}?tab=cost"),
        ..about(lens, &here, "cluster_cost", request)?
    })
}

fn is(operation: &Operation) -> &'static str {
    match operation {
        Operation::Prefix { .. } => "prefix",
        Operation::Unrecorded => "unrecorded",
        Operation::Others { .. } => "others",
        Operation::Idle => "idle",
        Operation::Stalled => "stalled",
    }
}

#[derive(Serialize)]
struct Amount {
    at_least: f64,
    at_most: f64,
}

/// In units of the currency; null is: no price was in force.
fn money(money: Option<api::Money>) -> Option<Amount> {
    money.map(|money| Amount {
        at_least: money.low_nanos as f64 / 1e9,
        at_most: money.high_nanos as f64 / 1e9,
    })
}

/// Null where it is not told.
fn text(text: &SealedText) -> Option<&str> {
    match text {
        SealedText::Text { text } => Some(text),
        SealedText::None | SealedText::Locked => None,
    }
}

/// As part of a link.
fn encoded(text: &str) -> String {
    text.bytes().fold(String::new(), |mut link, byte| {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => {
                link.push(char::from(byte));
            }
            other => link.push_str(&format!("%{other:02X}")),
        }
        link
    })
}
