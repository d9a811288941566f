//! Reports. What leaves is what a bundle of the same choice would tell: the clusters go over the review desk, the staged bundle
//! is opened in a store of its own, and the report's page has the answers of that store.

use std::fs;
use std::io::Write as _;
use std::path::Path;

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::answers::{cluster, clusters, task_groups};
use super::app::Call;
use super::beside::{ClassCount, classes, store_of};
use super::compare::compare;
use super::cost::cluster_cost;
use super::flame::flame_about;
use super::review::{discard_stage, stage_clusters, stages, telling};
use super::verdict::{exception_kinds, findings, verdict};
use super::{
    App, ClusterRequest, ClustersRequest, CompareRequest, Empty, ExceptionKindsRequest,
    FlameAboutRequest, ProfileSelection, TaskGroupsRequest,
};
use crate::insight::cost::money_words;
use crate::insight::words::count;
use crate::install::{at, exists, put_new, unwritten};
use crate::ledger::{Entry, Kind, Ledger, digest};
use crate::report::{
    Head, Page, Run, Told, answers, comparison_questions, html, of_cluster, of_comparison,
    run_questions,
};
use crate::share::stage::{self, BlockerKind, Stage, StageClustersRequest, StageRequest};
use crate::share::{Choice, Offered};
use crate::{Error, Result};

/// Whom reports are for at the review desk: what is decided once holds in later reports, too.
pub const REPORTS: &str = "report";

/// What a report is written as.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ReportForm {
    /// One file that opens in any browser, with nothing else.
    #[default]
    Html,
    /// Ten to thirty lines, to be pasted.
    Markdown,
}

/// Asks for a report.
#[derive(Clone, Debug, Default, Deserialize, TS)]
#[serde(default, deny_unknown_fields)]
pub struct ReportRequest {
    /// One cluster, or A and B of a comparison.
    #[ts(type = "number[]")]
    pub ids: Vec<i64>,
    pub choice: Choice,
    pub form: ReportForm,
    /// Whether what it cost is told: prices are in no bundle.
    pub cost: bool,
    /// Only says how large it would be and what it would tell: it is written nowhere, and the ledger has no row of it.
    pub check: bool,
    /// A new file, from `/`; null: the text is in the answer.
    pub path: Option<String>,
}

/// A report that was written, or would be.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
pub struct Report {
    /// What the file may be called; no word of a cluster is in it.
    pub name: String,
    pub bytes: u64,
    /// In hexadecimal.
    pub sha256: String,
    /// What it was narrowed to: a policy may allow less than was asked for.
    pub choice: Choice,
    /// What became of the values of each class, in all of its clusters.
    pub classes: Vec<ClassCount>,
    /// Null where it is in a file, or was only checked.
    pub text: Option<String>,
}

/// Writes a report, and a row of the ledger that says so. Its page asks by the names of commands.
pub(super) fn report(app: &App, request: ReportRequest, call: Call) -> Result<Report> {
    let (ids, path) = checked(&request)?;
    let page = match (request.form, app.report_page()) {
        (ReportForm::Html, None) => {
            return Err(Error::Refused(
                "this build cannot write HTML reports: it was built without Bobbin's page".into(),
            ));
        }
        (_, page) => page.copied(),
    };
    let stage = staged(app, ids, &request)?;
    let written = written(app, &request, &stage, page, call);
    stage::discard(app.dir(), app.desks(), stage.id)?;
    let (text, classes) = written.map_err(unwritten(app.dir()))?;
    let (what, end) = match request.form {
        ReportForm::Html => ("a report", "html"),
        ReportForm::Markdown => ("a summary", "md"),
    };
    let report = Report {
        name: match ids {
            [a, b] => format!("compare-{a}-{b}.{end}"),
            _ => format!("cluster-{}.{end}", ids.first().copied().unwrap_or_default()),
        },
        bytes: text.len() as u64,
        sha256: digest(text.as_bytes()),
        choice: stage.choice,
        classes,
        text: None,
    };
    if request.check {
        return Ok(report);
    }
    let entry = Entry::new(
        Kind::Export,
        match ids.len() {
            1 => format!("1 cluster, as {what}"),
            some => format!("{some} clusters, as {what}"),
        },
    )
    .to(request.path.as_deref().unwrap_or("whoever asked"))
    .about(report.sha256.clone(), report.bytes);
    let entry = telling(app, entry, &stage)?;
    let note = || Ledger::of(app.dir()).append(app.now(), &entry);
    match path {
        Some(path) => put_new(path, |file| file.write_all(text.as_bytes()), note)?,
        None => note()?,
    };
    Ok(Report {
        text: path.is_none().then_some(text),
        ..report
    })
}

fn checked(request: &ReportRequest) -> Result<(&[i64], Option<&Path>)> {
    let ids = request.ids.as_slice();
    let alike = matches!(ids, [a, b] if a == b);
    if alike || !matches!(ids.len(), 1 | 2) {
        let listed: Vec<_> = ids.iter().take(5).map(i64::to_string).collect();
        return Err(Error::Invalid {
            what: "clusters of the report",
            value: listed.join(", "),
            reason: "a report covers one cluster, or two to compare".into(),
        });
    }
    let path = request.path.as_deref().map(Path::new);
    match path {
        Some(path) if !path.is_absolute() => Err(Error::Invalid {
            what: "path",
            value: path.display().to_string(),
            reason: "use the full path, from / on".into(),
        }),
        Some(path) if path.exists() => Err(exists(path)),
        _ => Ok((ids, path)),
    }
}

/// On the desk; refused while it holds something that may be a secret. A check leaves the desk as it was.
fn staged(app: &App, ids: &[i64], request: &ReportRequest) -> Result<Stage> {
    // What an earlier report was refused for was decided upon by now, or never will be.
    for row in stages(app, Empty {})?.stages {
        if !request.check && row.destination == REPORTS && row.approved_micros.is_none() {
            discard_stage(app, StageRequest { id: row.id })?;
        }
    }
    let stage = stage_clusters(
        app,
        StageClustersRequest {
            ids: ids.to_vec(),
            destination: REPORTS.into(),
            choice: request.choice,
            ..StageClustersRequest::default()
        },
    )?;
    let open = stage
        .blockers
        .iter()
        .find(|blocker| blocker.kind == BlockerKind::OpenFindings);
    let Some(open) = open else {
        return Ok(stage);
    };
    let what = format!(
        "the report would include {} without a decision",
        count(open.count, "possible secret", "possible secrets")
    );
    let hint = if request.check {
        stage::discard(app.dir(), app.desks(), stage.id)?;
        "write the report and decide in Review desk, or choose a lower level".into()
    } else {
        format!(
            "decide in Review desk, stage {id} (`bobbin review {id}`), then write the report again; or choose a lower level",
            id = stage.id
        )
    };
    Err(Error::Declined { what, hint })
}

fn written(
    app: &App,
    request: &ReportRequest,
    stage: &Stage,
    page: Option<Page>,
    call: Call,
) -> Result<(String, Vec<ClassCount>)> {
    let bundle = Path::new(&stage.path);
    let mut file = fs::File::open(bundle).map_err(at(bundle))?;
    let offered = Offered::take(app.dir(), "the bundle of the report", &mut file)?;
    let classes = classes(&offered.bundle.manifest.clusters);
    let store = store_of(app, &offered)?;
    let ids = there(&store, &offered)?;
    let costs: Vec<Option<String>> = request
        .ids
        .iter()
        .map(|&id| match request.cost {
            true => cost(app, id),
            false => Ok(None),
        })
        .collect::<Result<_>>()?;
    let runs: Vec<Run> = ids
        .iter()
        .zip(&costs)
        .map(|(&id, cost)| run(&store, id, cost.clone()))
        .collect::<Result<_>>()?;
    let bobbin = env!("CARGO_PKG_VERSION");
    let summary = match (ids.as_slice(), runs.as_slice()) {
        (&[a, b], runs) => {
            let request = CompareRequest {
                a: Some(a),
                b: Some(b),
                per_task: false,
            };
            let told = compare(&store, request)?;
            of_comparison(&told, runs, stage.choice, bobbin)
        }
        (_, [one, ..]) => of_cluster(one, stage.choice, bobbin),
        (_, []) => String::new(),
    };
    let page = match (request.form, page) {
        (ReportForm::Html, Some(page)) => page,
        _ => return Ok((summary, classes)),
    };
    let told: Vec<Told> = ids
        .iter()
        .zip(&runs)
        .map(|(&id, run)| told(&store, id, run))
        .collect::<Result<_>>()?;
    let questions = match told.as_slice() {
        [a, b] => comparison_questions(a, b),
        [one] => run_questions(one),
        _ => Vec::new(),
    };
    let ask =
        |command: &str, request: &serde_json::Value| call(&store, command, &request.to_string());
    let answers = answers(&ask, &questions)?;
    let head = Head {
        bobbin,
        written_micros: app.now(),
        choice: stage.choice,
        ids,
        costs,
        summary,
    };
    Ok((html(&page, &head, &answers)?, classes))
}

/// The numbers of the bundle's clusters in its store, in the order of the bundle.
fn there(store: &App, offered: &Offered) -> Result<Vec<i64>> {
    let rows = clusters(store, ClustersRequest::default())?.rows;
    let clusters = &offered.bundle.manifest.clusters;
    clusters
        .iter()
        .map(|said| {
            let row = rows.iter().find(|row| row.scheduler_id == said.cluster_id);
            row.map(|row| row.id).ok_or_else(|| Error::NotFound {
                kind: "cluster in the bundle of the report",
                id: said.cluster_id.clone(),
            })
        })
        .collect()
}

/// What it cost by the prices of this install, without what the price is called or whom it is for.
fn cost(app: &App, id: i64) -> Result<Option<String>> {
    let told = cluster_cost(app, ClusterRequest { id })?;
    Ok(told
        .cost
        .map(|cost| money_words(cost.total, &cost.currency)))
}

fn run(store: &App, id: i64, cost: Option<String>) -> Result<Run> {
    let one = || ClusterRequest { id };
    Ok(Run {
        cluster: cluster(store, one())?,
        verdict: verdict(store, one())?,
        findings: findings(store, one())?,
        groups: task_groups(store, TaskGroupsRequest { id })?,
        exceptions: exception_kinds(
            store,
            ExceptionKindsRequest {
                id: Some(id),
                limit: 100,
                ..ExceptionKindsRequest::default()
            },
        )?,
        cost,
    })
}

fn told(store: &App, id: i64, run: &Run) -> Result<Told> {
    let selection = ProfileSelection {
        ids: vec![id],
        ..ProfileSelection::default()
    };
    let about = flame_about(store, FlameAboutRequest { selection })?;
    Ok(Told {
        id,
        groups: run
            .groups
            .rows
            .iter()
            .map(|row| row.group_id.clone())
            .collect(),
        samples: about.samples,
        prefixes: about
            .prefixes
            .into_iter()
            .filter_map(|row| row.prefix)
            .collect(),
    })
}
