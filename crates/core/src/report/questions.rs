//! What the page of a report asks: the same as Bobbin's own page. What it may go without comes last, the most telling first.

use serde_json::{Value, json};

use crate::query::types::{ActivityBy, GraphMeasure, WorkerMeasure};

/// Prefixes with a flame graph of their own.
const PREFIXES: usize = 8;
/// Groups of which all is told.
const GROUPS: usize = 400;

/// One question.
pub(crate) struct Question {
    pub(super) command: &'static str,
    pub(super) request: Value,
    /// A number in the request, by its JSON pointer, that makes the answer smaller.
    pub(super) smaller: Option<&'static str>,
    /// It is left out where the report would get too large.
    pub(super) optional: bool,
}

/// What must be known of a cluster to ask the rest.
#[derive(Default)]
pub(crate) struct Told {
    pub(crate) id: i64,
    /// Groups of tasks, those with the most time first.
    pub(crate) groups: Vec<String>,
    /// Of its profile.
    pub(crate) samples: u64,
    /// Those with the most samples first.
    pub(crate) prefixes: Vec<String>,
}

fn needed(command: &'static str, request: Value, smaller: Option<&'static str>) -> Question {
    Question {
        command,
        request,
        smaller,
        optional: false,
    }
}

fn optional(command: &'static str, request: Value, smaller: Option<&'static str>) -> Question {
    Question {
        optional: true,
        ..needed(command, request, smaller)
    }
}

/// What the page of one cluster asks.
pub(crate) fn of_run(told: &Told) -> Vec<Question> {
    let id = told.id;
    let mut all = Vec::from(head(told));
    all.extend([
        // Not of what it cost: prices are in no bundle.
        needed("cluster_answers", json!({"id": id}), None),
        needed("task_groups", json!({"id": id}), None),
        needed("cluster_pruned", json!({"id": id}), None),
        needed("secrets", json!({"ids": [id]}), None),
        needed(
            "timeline",
            json!({"id": id, "points": 600}),
            Some("/points"),
        ),
        needed("thread_use", json!({"id": id, "bins": 200}), Some("/bins")),
        needed("workers", json!({"id": id, "limit": 1000}), Some("/limit")),
        needed(
            "exception_kinds",
            json!({"id": id, "limit": 100}),
            Some("/limit"),
        ),
        needed(
            "computations",
            json!({"id": id, "limit": 200}),
            Some("/limit"),
        ),
        needed(
            "activity",
            json!({"id": id, "by": ActivityBy::Prefix}),
            None,
        ),
        needed("spans", json!({"id": id, "limit": 500}), Some("/limit")),
        graph(id, GraphMeasure::Compute, false, false, false),
    ]);
    all.extend(profile(told));
    all.push(graph(id, GraphMeasure::Compute, true, false, true));
    for by in [ActivityBy::Span, ActivityBy::Context] {
        all.push(optional("activity", json!({"id": id, "by": by}), None));
    }
    all.push(optional(
        "thread_use",
        json!({"id": id, "bins": 60, "prefixes": 12}),
        Some("/bins"),
    ));
    all.push(optional(
        "worker_heat",
        json!({"id": id, "measure": WorkerMeasure::CpuPercent, "bins": 60}),
        Some("/bins"),
    ));
    for measure in [
        WorkerMeasure::CpuPercent,
        WorkerMeasure::MemoryUsedBytes,
        WorkerMeasure::MemorySpilledBytes,
        WorkerMeasure::Processing,
    ] {
        all.push(optional(
            "worker_series",
            json!({"id": id, "measure": measure, "points": 300}),
            Some("/points"),
        ));
    }
    for prefix in told.prefixes.iter().take(PREFIXES) {
        all.push(Question {
            optional: true,
            ..flame(id, Some(prefix))
        });
    }
    for (measure, whole, down) in [
        (GraphMeasure::Bytes, false, false),
        (GraphMeasure::Transfer, false, false),
        (GraphMeasure::Compute, false, true),
        (GraphMeasure::Bytes, false, true),
        (GraphMeasure::Transfer, false, true),
        (GraphMeasure::Compute, true, true),
    ] {
        all.push(graph(id, measure, whole, down, true));
    }
    for group_id in told.groups.iter().take(GROUPS) {
        all.push(optional(
            "graph_group",
            json!({"id": id, "group_id": group_id}),
            None,
        ));
    }
    all
}

/// What the page of a comparison asks: of both together, and the head and the profile of each.
pub(crate) fn of_comparison(a: &Told, b: &Told) -> Vec<Question> {
    let compare = |a: i64, b: i64, per_task: bool| {
        let request = json!({"a": a, "b": b, "per_task": per_task});
        optional("compare", request, None)
    };
    let mut all = vec![Question {
        optional: false,
        ..compare(a.id, b.id, false)
    }];
    for side in [a, b] {
        all.extend(head(side));
        all.extend(profile(side));
    }
    all.extend([
        compare(a.id, b.id, true),
        compare(b.id, a.id, false),
        compare(b.id, a.id, true),
    ]);
    all
}

fn head(told: &Told) -> [Question; 3] {
    ["cluster", "verdict", "findings"].map(|command| needed(command, json!({"id": told.id}), None))
}

fn profile(told: &Told) -> Vec<Question> {
    let selection = json!({"ids": [told.id]});
    let mut all = vec![needed("flame_about", json!({"selection": selection}), None)];
    if told.samples > 0 {
        all.push(flame(told.id, None));
        all.push(needed(
            "flame_table",
            json!({"selection": selection, "limit": 500}),
            Some("/limit"),
        ));
    }
    all
}

/// As wide as a report may need it: there is nobody to draw it again once it is looked at closely.
fn flame(id: i64, prefix: Option<&String>) -> Question {
    let prefixes: Vec<_> = prefix.into_iter().collect();
    let request = json!({
        "selection": {"ids": [id], "prefixes": prefixes},
        "view": {"width": 8192, "smallest": 0.5},
    });
    needed("flame", request, Some("/view/width"))
}

fn graph(id: i64, measure: GraphMeasure, whole: bool, down: bool, may_lack: bool) -> Question {
    let request = json!({"id": id, "measure": measure, "whole": whole, "top_down": down});
    Question {
        optional: may_lack,
        ..needed("graph", request, None)
    }
}
