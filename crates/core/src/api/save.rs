//! What is saved as a file: tables of any answer, profiles, and the ledger.

use serde::Serialize;
use serde_json::{Value, json};

use super::answers::find_cluster;
use super::beside::refuse_own;
use super::flame::{flame_about, with_tree};
use super::ledger::ledger_rows;
use super::made::Made;
use super::records::{self, Node};
use super::tables::tables;
use super::{
    App, FlameAboutRequest, FlameRequest, ProfileFormat, ProfileOutRequest, SaveRequest,
    TableRequest, TimelineRequest, call, cells,
};
use crate::insight::flame::{Told, encoded};
use crate::insight::table_text::document;
use crate::ledger::Ledger;
use crate::model::visible::plain;
use crate::{Error, Result, query};

pub use crate::insight::table_text::{Part, csv, csv_cell, line as csv_line};

/// Commands whose answers hold tables, and whether they give them in pages. Nothing else is run for a table.
const ASKED: &[(&str, bool)] = &[
    ("baseline", false),
    ("budgets", false),
    ("cluster", false),
    ("cluster_cost", false),
    ("cluster_pruned", false),
    ("cluster_uses", false),
    ("clusters", true),
    ("compare", false),
    ("computations", true),
    ("cost_table", false),
    ("event_fields", false),
    ("events", true),
    ("exception_kinds", true),
    ("exceptions", true),
    ("findings", false),
    ("flame_difference", false),
    ("flame_table", true),
    ("graph", false),
    ("heat_map", false),
    ("inbox_files", false),
    ("ledger", false),
    ("line_costs", false),
    ("metrics", false),
    ("prices", false),
    ("spans", true),
    ("sql", false),
    ("task_groups", false),
    ("thread_use", false),
    ("timeline", false),
    ("topics", false),
    ("users", false),
    ("verdicts", false),
    ("worker_heat", false),
    ("worker_series", false),
    ("workers", true),
];
/// Rows of a page, and the most that are put together of pages.
const PAGE: u64 = 1_000;
const MOST: u64 = 1_000_000;
/// How often a list that changes while it is read is begun anew.
const TRIES: usize = 4;

/// The store that a file is made of: the reader's own, or that of a bundle which is open beside it.
///
/// # Errors
/// [`Error::Refused`] for what belongs to the reader's own store; as [`App::beside`].
pub fn store_of_file(app: &App, beside: Option<&str>, asked: &SaveRequest) -> Result<App> {
    let Some(id) = beside else {
        return Ok(app.clone());
    };
    match asked {
        SaveRequest::Table { table, .. } => refuse_own(&table.command)?,
        SaveRequest::Chain => refuse_own("ledger")?,
        SaveRequest::Picture { .. }
        | SaveRequest::Profile { .. }
        | SaveRequest::Recording { .. } => {}
    }
    app.beside(id)
}

/// The JSON document of a table.
///
/// # Errors
/// [`Error::Json`].
pub fn table_document(app: &App, part: &Part) -> Result<Vec<u8>> {
    let mut text = serde_json::to_vec_pretty(&document(part, app.now()))?;
    text.push(b'\n');
    Ok(text)
}

/// All rows of an answer: those that a page shows, and those that lie beyond, as the same reader may see them.
///
/// # Errors
/// [`Error::Invalid`] for a command that has no tables, or a place in its answer where none is; those of the command.
pub fn table_of(app: &App, asked: &TableRequest) -> Result<Part> {
    let command = &*asked.command;
    let Some(&(_, paged)) = ASKED.iter().find(|(name, _)| *name == command) else {
        return Err(no_table(command, "it has no table"));
    };
    let name = match &*asked.name {
        "" => command,
        name => name,
    };
    match (command, &*asked.list) {
        ("event_fields", "numbers") => return cells::of_numbers(app, &asked.request, name),
        ("heat_map", _) => return cells::of_heat_map(app, &asked.request, name),
        ("ledger", _) => return whole(name, &ledger_rows(app)?, command),
        ("thread_use", _) => return cells::of_threads(app, &asked.request, name),
        ("timeline", _) => return sample_rows(app, &asked.request, name, MOST),
        ("worker_heat", _) => return cells::of_workers(app, &asked.request, name),
        ("worker_series", _) => return cells::of_worker_samples(app, &asked.request, name),
        _ => {}
    }
    let way = match &*asked.list {
        "" => "rows",
        "." => "",
        way => way,
    };
    if !paged {
        let answer = ask(app, command, &asked.request)?;
        let (found, holds) = answer
            .at(way)
            .ok_or_else(|| no_table(command, "there is no table at this place in its answer"))?;
        return part(name, way, found, holds, command);
    }
    for _ in 1..TRIES {
        if let Some(whole) = pages(app, asked, way, name)? {
            return Ok(whole);
        }
    }
    // Of a list that changes all the time, the last reading is as good as any.
    pages(app, asked, way, name)?
        .ok_or_else(|| Error::Refused(format!("{command} changes faster than Bobbin can read it")))
}

/// All pages one after the other; none where the list changed in between.
fn pages(app: &App, asked: &TableRequest, way: &str, name: &str) -> Result<Option<Part>> {
    let mut request = asked.request.clone();
    let mut rows: Vec<Node> = Vec::new();
    let mut first = None;
    loop {
        request["limit"] = json!(PAGE);
        request["offset"] = json!(rows.len());
        let mut answer = ask(app, &asked.command, &request)?;
        let (found, holds) = answer.at(way).ok_or_else(|| {
            no_table(
                &asked.command,
                "there is no table at this place in its answer",
            )
        })?;
        let Node::List(page) = found else {
            return Err(no_table(
                &asked.command,
                "there is no list at this place in its answer",
            ));
        };
        let total = holds.get("total").and_then(Node::count);
        let more = holds.get("truncated") == Some(&Node::Truth(true)) && !page.is_empty();
        if *first.get_or_insert(total) != total {
            return Ok(None);
        }
        rows.extend(page.iter().cloned());
        if !more || rows.len() as u64 >= MOST {
            answer = Node::List(rows);
            let table = records::table(name, &answer).ok_or_else(|| {
                no_table(
                    &asked.command,
                    "there is no table at this place in its answer",
                )
            })?;
            return Ok(Some(Part {
                table,
                total,
                truncated: more,
            }));
        }
    }
}

fn part(name: &str, way: &str, found: &Node, holds: &Node, command: &str) -> Result<Part> {
    let table = records::table(name, found)
        .ok_or_else(|| no_table(command, "there is no table at this place in its answer"))?;
    let last = way.rsplit('.').next().unwrap_or_default();
    let rows = table.rows() as u64;
    // Its own number first: beside it may stand that of something else.
    let told = [format!("{last}_total"), "total".to_owned()]
        .iter()
        .find_map(|name| holds.get(name).and_then(Node::count));
    // `truncated` is said of a list, or of the columns themselves.
    let cut = [found, holds]
        .iter()
        .any(|node| node.get("truncated") == Some(&Node::Truth(true)));
    let truncated = cut || told.is_some_and(|total| total > rows);
    Ok(Part {
        table,
        total: told.or((!truncated).then_some(rows)),
        truncated,
    })
}

fn ask(app: &App, command: &str, request: &Value) -> Result<Node> {
    let request = match request {
        Value::Null => String::new(),
        request => request.to_string(),
    };
    Ok(serde_json::from_str(&call(app, command, &request)?)?)
}

fn no_table(command: &str, reason: &str) -> Error {
    Error::Invalid {
        what: "table",
        value: command.into(),
        reason: reason.into(),
    }
}

/// The samples of a cluster, a row each, where charts have points that stand for several.
pub(super) fn sample_rows(app: &App, request: &Value, name: &str, most: u64) -> Result<Part> {
    let asked: TimelineRequest = serde_json::from_value(request.clone())?;
    let (told, total) = app.read(|db| query::every_sample(db, &asked, most))?;
    let part = whole(name, &told, "timeline")?;
    Ok(Part {
        total: Some(total),
        truncated: total > part.table.rows() as u64,
        ..part
    })
}

/// The table of records that are all that there are.
fn whole(name: &str, told: &impl Serialize, command: &str) -> Result<Part> {
    let found: Node = serde_json::from_slice(&serde_json::to_vec(told)?)?;
    let table = records::table(name, &found)
        .ok_or_else(|| no_table(command, "there is no table at this place in its answer"))?;
    Ok(Part {
        total: Some(table.rows() as u64),
        truncated: false,
        table,
    })
}

/// Tables by name that a shell can ask for: those that others get, and lists of one cluster.
pub const TABLES: &[&str] = &[
    "clusters",
    "hours",
    "task_groups",
    "computations",
    "exceptions",
    "workers",
    "spans",
    "metrics",
    "events",
    "topics",
    "timeline",
];

/// One of [`TABLES`], of one cluster or of all.
///
/// # Errors
/// [`Error::NotFound`]; [`Error::Invalid`] for an unknown name, or where a cluster must be named.
pub fn named_table(app: &App, name: &str, cluster: Option<&str>) -> Result<Part> {
    let cluster = cluster.map(|text| find_cluster(app, text)).transpose()?;
    if let Some(table) = tables(app)?.into_iter().find(|table| table.name == name) {
        let table = match &cluster {
            Some(row) => table.only("cluster", &row.scheduler_id),
            None => table,
        };
        return Ok(Part {
            total: Some(table.rows() as u64),
            truncated: false,
            table,
        });
    }
    if !TABLES.contains(&name) {
        return Err(Error::Invalid {
            what: "table",
            value: plain(name),
            reason: format!("choose from {}", TABLES.join(", ")),
        });
    }
    let Some(row) = cluster else {
        return Err(Error::Invalid {
            what: "table",
            value: name.into(),
            reason: "it covers one cluster: name it with --cluster".into(),
        });
    };
    table_of(
        app,
        &TableRequest {
            command: name.into(),
            request: json!({ "id": row.id }),
            list: String::new(),
            name: String::new(),
        },
    )
}

/// A merged profile as a file of another viewer.
///
/// # Errors
/// [`Error::NotFound`], [`Error::TooLarge`].
pub fn profile_out(app: &App, asked: &ProfileOutRequest) -> Result<Made> {
    let title = flame_title(app, &asked.flame)?;
    let bytes = with_tree(app, &asked.flame, |tree, scale, about| {
        let told = Told {
            title: title.clone(),
            from_micros: about.from_micros,
            to_micros: about.to_micros,
        };
        encoded(tree, scale, &told, asked.format)
    })?;
    let (ending, media_type) = match asked.format {
        ProfileFormat::Speedscope => ("speedscope.json", "application/json"),
        ProfileFormat::Folded => ("folded.txt", "text/plain; charset=utf-8"),
        ProfileFormat::Pprof => ("pb.gz", "application/gzip"),
    };
    Ok(Made::whole(&title, ending, media_type, bytes))
}

/// The ledger as it stands in its file: with all hashes, by which others can check it.
///
/// # Errors
/// As [`Ledger::bytes`].
pub fn chain_out(app: &App) -> Result<Made> {
    let bytes = Ledger::of(app.dir()).bytes()?;
    Ok(Made::whole(
        "bobbin-ledger",
        "ndjson",
        "application/x-ndjson",
        bytes,
    ))
}

/// What a profile is of, in words.
///
/// # Errors
/// [`Error::NotFound`].
pub fn flame_title(app: &App, asked: &FlameRequest) -> Result<String> {
    let about = flame_about(
        app,
        FlameAboutRequest {
            selection: asked.selection.clone(),
        },
    )?;
    Ok(match &*about.clusters {
        [] => "profile".to_owned(),
        [one] => format!("profile of {}", plain(&one.name)),
        some => format!("profile of {} clusters", some.len()),
    })
}
