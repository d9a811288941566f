//! What each command does: asks the store once, and says what follows.

use std::fs;
use std::path::Path;

use serde::Deserialize;

use super::{
    App, Cluster, ClusterList, ClusterRequest, ClusterRow, ClustersRequest, ComputationList,
    ComputationsRequest, Empty, EventList, EventsRequest, ExceptionList, ExceptionsRequest,
    Overview, OverviewRequest, Status, TaskGroupList, TaskGroupsRequest, Timeline, TimelineRequest,
};
use crate::insight::with_evidence;
use crate::install::{PluginCopy, plugin_copy, plugin_path};
use crate::query::{self, Unsealer};
use crate::{Result, seal, store};

pub(super) fn status(app: &App, _: Empty) -> Result<Status> {
    let facts = app.read(query::store_facts)?;
    let private = seal::load(app.dir()).unwrap_or(None);
    Ok(Status {
        version: env!("CARGO_PKG_VERSION").into(),
        data_dir: app.dir().display().to_string(),
        receiver: app.receiver(),
        store_bytes: store_bytes(app.dir()),
        clusters: facts.clusters,
        last_batch_micros: facts.last_batch,
        key_present: private.is_some_and(|key| Some(key.public().to_bytes()) == facts.public_key),
        refused: app.refused(),
        connected: connected(app.dir()),
        plugin_path: (plugin_copy(app.dir()) != PluginCopy::Missing)
            .then(|| plugin_path(app.dir()).display().to_string()),
    })
}

/// The file, and the log that is not in it yet.
fn store_bytes(dir: &Path) -> u64 {
    let sizes = ["", "-wal"].map(|end| fs::metadata(dir.join(format!("{}{end}", store::FILE))));
    sizes.into_iter().flatten().map(|file| file.len()).sum()
}

/// Whether `bobbin connect` noted that it wrote a Dask configuration file, and the file is still there.
fn connected(dir: &Path) -> bool {
    #[derive(Deserialize)]
    struct Note {
        file: std::path::PathBuf,
    }
    let note = fs::read(dir.join("connected.json"))
        .ok()
        .and_then(|text| serde_json::from_slice::<Note>(&text).ok());
    note.is_some_and(|note| note.file.is_file())
}

pub(super) fn overview(app: &App, request: OverviewRequest) -> Result<Overview> {
    let now = app.now();
    let period = query::period(now, &request)?;
    app.read(|db| {
        Ok(Overview {
            now_micros: now,
            from_micros: period.from,
            to_micros: period.to,
            period: query::usage(db, period)?,
            ever: query::usage_ever(db)?,
            live: query::live(db, now)?
                .into_iter()
                .map(|found| with_evidence(found, now))
                .collect(),
            heat_map: query::heat_map(db, period)?,
        })
    })
}

pub(super) fn clusters(app: &App, request: ClustersRequest) -> Result<ClusterList> {
    let now = app.now();
    let page = app.read(|db| query::clusters(db, now, &request))?;
    Ok(page.into_list(|found| with_evidence(found, now)))
}

pub(super) fn find_cluster(app: &App, text: &str) -> Result<ClusterRow> {
    let now = app.now();
    app.read(|db| query::find(db, now, text))
        .map(|found| with_evidence(found, now))
}

pub(super) fn cluster(app: &App, request: ClusterRequest) -> Result<Cluster> {
    let now = app.now();
    let (found, facts, seconds, losses) = app.read(|db| query::cluster(db, now, request.id))?;
    Ok(Cluster {
        row: with_evidence(found, now),
        facts,
        seconds,
        losses,
    })
}

pub(super) fn timeline(app: &App, request: TimelineRequest) -> Result<Timeline> {
    app.read(|db| query::timeline(db, &request))
}

pub(super) fn task_groups(app: &App, request: TaskGroupsRequest) -> Result<TaskGroupList> {
    app.read(|db| query::task_groups(db, &request))
}

pub(super) fn computations(app: &App, request: ComputationsRequest) -> Result<ComputationList> {
    let mut unsealer = Unsealer::new(app.dir());
    app.read(|db| query::computations(db, &mut unsealer, &request))
}

pub(super) fn exceptions(app: &App, request: ExceptionsRequest) -> Result<ExceptionList> {
    let mut unsealer = Unsealer::new(app.dir());
    app.read(|db| query::exceptions(db, &mut unsealer, &request))
}

pub(super) fn events(app: &App, request: EventsRequest) -> Result<EventList> {
    let mut unsealer = Unsealer::new(app.dir());
    app.read(|db| query::events(db, &mut unsealer, &request))
}
