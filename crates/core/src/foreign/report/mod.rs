//! The HTML of `distributed.performance_report`: the document of Bokeh in it is read, and no script of it run.

mod bokeh;
mod column;
mod escape;
mod page;
mod quads;
mod stream;
mod summary;

use std::collections::BTreeMap;

use super::input::Input;
use super::records::{cluster, sample, stop};
use super::{Outcome, Read, is};
use crate::model::{Micros, SourceFormat, WorkerChange};
use crate::wire::{CodeFrame, ComputationRecord, Record, Totals, WorkerRecord};
use bokeh::{Document, Table};
use stream::Stream;
use summary::Summary;

/// Reports of large runs have 20 to 35 MB.
const BYTES: u64 = 256 << 20;
/// What a report does not hold.
const UNAVAILABLE: [&str; 11] = [
    "spans",
    "metrics",
    "exceptions",
    "events",
    "dependencies",
    "memory",
    "waiting",
    "result_bytes",
    "retries",
    "worker_times",
    "profile_leaves",
];
/// Dask keeps no more rectangles than this: older ones are silently missing.
const DASK_KEEPS: u64 = 100_000;
/// Moments of the course that is drawn from the rectangles.
const MOMENTS: i64 = 240;

pub(super) fn read(input: &mut Input, name: &str) -> Outcome<Read> {
    let html = input.text(BYTES)?;
    let documents = page::documents(&html)?;
    drop(html);
    let mut found = Found::default();
    for document in &documents {
        found.look(&Document::of(document)?)?;
    }
    let Some(summary) = found.summary else {
        return is("it is HTML, but not a Dask performance report");
    };
    let stream = found.stream.unwrap_or_default();
    records(name, &summary, stream, found.system, found.profile)
}

/// What was found in all documents of a page.
#[derive(Default)]
struct Found {
    summary: Option<Summary>,
    stream: Option<Stream>,
    profile: Option<quads::Quads>,
    /// Seconds since 1970, the first and the last that the scheduler measured itself.
    system: Option<(f64, f64)>,
}

impl Found {
    fn look(&mut self, document: &Document<'_>) -> Outcome<()> {
        for panel in &document.panels {
            if self.summary.is_none() {
                self.summary = panel.texts.iter().find_map(|text| Summary::read(text));
            }
            for table in &panel.tables {
                self.table(&panel.title, table)?;
            }
        }
        Ok(())
    }

    /// Tables are known by their columns, and the profile of the workers' threads by its title too.
    fn table(&mut self, title: &str, table: &Table<'_>) -> Outcome<()> {
        if table.has(&["start", "duration", "name", "worker", "worker_thread"])
            && self.stream.is_none()
        {
            self.stream = Some(Stream::read(table)?);
        } else if table.has(&["left", "right", "bottom", "name", "filename"])
            && title.contains("compute")
            && self.profile.is_none()
        {
            self.profile = Some(quads::Quads::read(table)?);
        } else if table.has(&["time", "cpu", "memory"]) && self.system.is_none() {
            let times = table.column("time")?.numbers()?;
            let (first, last) = (times.first().copied(), times.last().copied());
            self.system = Option::zip(first, last).map(|(first, last)| (first / 1e3, last / 1e3));
        }
        Ok(())
    }
}

fn records(
    name: &str,
    summary: &Summary,
    stream: Stream,
    system: Option<(f64, f64)>,
    profile: Option<quads::Quads>,
) -> Outcome<Read> {
    let spans = [stream.span(), system];
    let spans = spans.into_iter().flatten();
    let Some((begun, ended)) = spans.reduce(|one, other| (one.0.min(other.0), one.1.max(other.1)))
    else {
        return is(
            "it contains no times: no task ran under this report, and the scheduler measured nothing",
        );
    };
    let (started, at) = (
        super::records::moment(begun)?,
        super::records::moment(ended)?,
    );
    let mut out = vec![Record::Cluster(Box::new(facts(
        name, summary, &stream, started, at,
    )))];
    for worker in stream.workers.keys() {
        out.push(joined(worker, started));
    }
    let course = stream.course(started, at, MOMENTS);
    let groups: Vec<String> = stream
        .groups
        .keys()
        .map(|name| super::records::id(name))
        .collect();
    for moment in course {
        let threads = summary.threads.unwrap_or(stream.threads);
        let totals = Totals {
            seconds: moment.seconds,
            // Of those that there were at the end; Dask does not tell since when.
            thread_seconds: threads as f64 * (moment.at.0 - started.0) as f64 / 1e6,
            tasks_completed: moment.completed,
            tasks_erred: moment.erred,
            result_bytes: 0,
            tasks_retried: None,
        };
        let workers = summary.workers.unwrap_or(stream.workers.len() as u64);
        let mut one = sample(moment.at, workers, threads, totals);
        one.memory_limit_bytes = summary.memory_limit_bytes;
        one.tasks = BTreeMap::from([("processing".to_owned(), moment.processing)]);
        one.last_completed_micros = moment.last_completed;
        out.push(Record::Sample(Box::new(one)));
    }
    let states = stream.states();
    for group in stream.into_groups(at)? {
        out.push(Record::TaskGroup(Box::new(group)));
    }
    out.push(Record::Computation(Box::new(ComputationRecord {
        at_micros: at,
        computation_id: "report".into(),
        start_micros: Some(started),
        stop_micros: Some(at),
        groups,
        states,
        retried: None,
        code: summary.code.clone().map(|code| {
            vec![CodeFrame {
                code,
                filename: None,
                line_relative: None,
                line: None,
            }]
        }),
    })));
    if let Some(profile) = profile.filter(|profile| !profile.is_empty()) {
        out.push(Record::Profile(Box::new(profile.record(started, at)?)));
    }
    out.push(stop(at));
    Ok(Read {
        format: SourceFormat::PerformanceReport,
        as_of: at,
        records: out,
    })
}

fn facts(
    name: &str,
    summary: &Summary,
    stream: &Stream,
    started: Micros,
    at: Micros,
) -> crate::wire::ClusterRecord {
    let mut facts = cluster(name, started, at, &UNAVAILABLE);
    facts.scheduler_address = summary.address.clone();
    facts.versions = [
        ("dask", &summary.dask),
        ("distributed", &summary.distributed),
    ]
    .into_iter()
    .filter_map(|(package, version)| Some((package.to_owned(), Some(version.clone()?))))
    .collect();
    if summary.code.is_none() {
        facts.unavailable.push("code".into());
    }
    if summary.tasks.unwrap_or(stream.tasks) >= DASK_KEEPS {
        facts.unavailable.push("older_tasks".into());
    }
    facts
}

fn joined(address: &str, at: Micros) -> Record {
    Record::Worker(Box::new(WorkerRecord {
        at_micros: at,
        worker_id: super::records::id(address),
        address: Some(address.into()),
        name: None,
        host: None,
        event: WorkerChange::Joined,
        cause: None,
        expected: None,
        threads: None,
        memory_limit_bytes: None,
        resources: BTreeMap::new(),
        nanny: None,
    }))
}
