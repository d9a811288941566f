//! What each command does: asks the store once, and says what follows.

use std::fs;
use std::path::Path;

use rusqlite::Connection;
use serde::Deserialize;

use super::{
    Activity, ActivityRequest, App, Cluster, ClusterList, ClusterRequest, ClusterRow,
    ClustersRequest, ComputationList, ComputationsRequest, Empty, EventList, EventsRequest,
    ExceptionList, ExceptionsRequest, InboxStatus, MetricList, MetricsRequest, Profile,
    ProfileRequest, SecretList, SecretsRequest, SpanList, SpansRequest, Status, TaskGroupList,
    TaskGroupsRequest, Timeline, TimelineRequest, TopicList, TopicsRequest, WorkerHeat,
    WorkerHeatRequest, WorkerList, WorkerSeries, WorkerSeriesRequest, WorkersRequest, keys, safety,
};
use crate::insight::{self, with_evidence};
use crate::install::{PluginCopy, arrivals, inbox_dir, plugin_copy, plugin_path};
use crate::model::Micros;
use crate::query::{self, Unsealer};
use crate::seal::PublicKey;
use crate::{Result, store};

pub(super) fn status(app: &App, _: Empty) -> Result<Status> {
    let facts = app.read(query::store_facts)?;
    Ok(Status {
        version: env!("CARGO_PKG_VERSION").into(),
        data_dir: app.dir().display().to_string(),
        receiver: app.receiver(),
        store_bytes: store_bytes(app.dir()),
        clusters: facts.clusters,
        last_batch_micros: facts.last_batch,
        key: keys::state(app.keys(), facts.public_key.as_deref()),
        inbox: inbox(app.dir(), facts.public_key.as_deref()),
        safety: safety(app.dir()),
        refused: app.refused(),
        connected: connected(app.dir()),
        plugin_path: (plugin_copy(app.dir()) != PluginCopy::Missing)
            .then(|| plugin_path(app.dir()).display().to_string()),
    })
}

fn inbox(dir: &Path, public_key: Option<&[u8]>) -> InboxStatus {
    let found = arrivals(dir);
    let public = public_key.and_then(|bytes| PublicKey::from_bytes(bytes).ok());
    InboxStatus {
        folder: inbox_dir(dir).display().to_string(),
        waiting_files: found.waiting_files,
        refused_files: found.refused_files,
        spool_folders: found.spool_folders,
        sealed_files: found.sealed_files,
        public_key_present: public.is_some_and(|key| key.is_published(dir)),
    }
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

pub(super) fn clusters(app: &App, mut request: ClustersRequest) -> Result<ClusterList> {
    let now = app.now();
    if app.is_of_samples() {
        let asked = request.text.take().unwrap_or_default();
        request.text = Some(format!("{asked} has:sample"));
    }
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
    let cluster = app.read(|db| cluster_of(db, now, request.id))?;
    app.look_at(request.id);
    Ok(cluster)
}

/// Everything about one cluster that is not a list of its own.
pub(super) fn cluster_of(db: &Connection, now: Micros, id: i64) -> Result<Cluster> {
    let (found, facts, seconds, losses) = query::cluster(db, now, id)?;
    Ok(Cluster {
        row: with_evidence(found, now),
        facts,
        seconds,
        largest: query::largest_prefix(db, id)?,
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
    let mut unsealer = Unsealer::new(app.keys());
    app.read(|db| query::computations(db, &mut unsealer, &request))
}

pub(super) fn exceptions(app: &App, request: ExceptionsRequest) -> Result<ExceptionList> {
    let mut unsealer = Unsealer::new(app.keys());
    app.read(|db| query::exceptions(db, &mut unsealer, &request))
}

pub(super) fn events(app: &App, request: EventsRequest) -> Result<EventList> {
    let mut unsealer = Unsealer::new(app.keys());
    app.read(|db| query::events(db, &mut unsealer, &request))
}

pub(super) fn topics(app: &App, request: TopicsRequest) -> Result<TopicList> {
    app.read(|db| query::topics(db, &request))
}

pub(super) fn secrets(app: &App, request: SecretsRequest) -> Result<SecretList> {
    app.read(|db| query::secrets(db, &request))
}

pub(super) fn workers(app: &App, request: WorkersRequest) -> Result<WorkerList> {
    app.read(|db| query::workers(db, &request))
}

pub(super) fn worker_series(app: &App, request: WorkerSeriesRequest) -> Result<WorkerSeries> {
    app.read(|db| query::worker_series(db, &request))
}

pub(super) fn worker_heat(app: &App, request: WorkerHeatRequest) -> Result<WorkerHeat> {
    app.read(|db| query::worker_heat(db, &request))
}

pub(super) fn spans(app: &App, request: SpansRequest) -> Result<SpanList> {
    app.read(|db| query::spans(db, &request))
}

pub(super) fn metrics(app: &App, request: MetricsRequest) -> Result<MetricList> {
    app.read(|db| query::metrics(db, &request))
}

pub(super) fn activity(app: &App, request: ActivityRequest) -> Result<Activity> {
    let all = MetricsRequest {
        id: request.id,
        span_id: None,
        prefix: request.prefix,
    };
    let rows = app.read(|db| query::all_metrics(db, &all))?;
    Ok(insight::activity(&rows, request.by))
}

pub(super) fn profile(app: &App, request: ProfileRequest) -> Result<Profile> {
    let mut unsealer = Unsealer::new(app.keys());
    let now = app.now();
    app.read(|db| query::profile(db, &mut unsealer, now, &request))
}
