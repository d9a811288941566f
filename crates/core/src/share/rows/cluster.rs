//! What a cluster said of itself.

use rusqlite::{Connection, OptionalExtension, Row, named_params};

use super::Json;
use crate::model::Micros;
use crate::wire::{ClusterRecord, Switches};
use crate::{Error, Result};

/// A cluster, by number.
pub(in crate::share) struct Cluster {
    pub(in crate::share) id: i64,
    pub(in crate::share) scheduler_id: String,
    /// The latest time that is known of it.
    pub(in crate::share) heard: Micros,
    pub(in crate::share) said: ClusterRecord,
    rank: Option<i64>,
}

impl Cluster {
    /// What it said, if that instance was the last to say something.
    pub(super) fn of_instance(&self, rank: i64) -> Option<ClusterRecord> {
        (self.rank == Some(rank)).then(|| self.said.clone())
    }
}

/// What is known of a cluster.
///
/// # Errors
/// [`Error::NotFound`]; [`Error::Refused`] for one that has not said yet what may be told of it; [`Error::Sqlite`].
pub(in crate::share) fn cluster(db: &Connection, id: i64) -> Result<Cluster> {
    let known: Option<bool> = db
        .prepare_cached(include_str!("../sql/cluster_known.sql"))?
        .query_row(named_params! { ":cluster_id": id }, |row| row.get(0))
        .optional()?;
    match known {
        None => Err(Error::NotFound {
            kind: "cluster",
            id: id.to_string(),
        }),
        Some(false) => Err(Error::Refused(format!(
            "cluster {id} has not sent its details and sharing switches yet: wait for its next report"
        ))),
        Some(true) => Ok(db
            .prepare_cached(include_str!("../sql/cluster.sql"))?
            .query_one(named_params! { ":cluster_id": id }, |row| read(id, row))?),
    }
}

fn read(id: i64, row: &Row<'_>) -> rusqlite::Result<Cluster> {
    let on = |column: &str| {
        row.get::<_, Option<Micros>>(column)
            .map(|off| off.is_none())
    };
    let at: Option<Micros> = row.get("record_at_micros")?;
    let heard: Micros = row.get("last_heard_micros")?;
    let started: Option<Micros> = row.get("said_started_micros")?;
    let said = ClusterRecord {
        at_micros: at.unwrap_or(heard),
        name: row.get("name")?,
        cluster_class: row.get("cluster_class")?,
        scheduler_address: row.get("scheduler_address")?,
        dashboard_url: row.get("dashboard_url")?,
        started_micros: started.unwrap_or(heard),
        user: row.get("user")?,
        host: row.get("host")?,
        project: row.get("project")?,
        tags: row.get::<_, Json<_>>("tags")?.0,
        versions: row.get::<_, Json<_>>("versions")?.0,
        host_versions: row.get::<_, Json<_>>("host_versions")?.0,
        mismatches: row.get::<_, Json<_>>("mismatches")?.0,
        unavailable: row.get::<_, Json<_>>("unavailable")?.0,
        python_version: row.get("python_version")?,
        python_path: row.get("python_path")?,
        os: row.get("os")?,
        architecture: row.get("architecture")?,
        plugin_version: row.get("plugin_version")?,
        interval_micros: row.get("interval_micros")?,
        idle_timeout_micros: row.get("idle_timeout_micros")?,
        switches: Switches {
            code: on("code_off_micros")?,
            profile: on("profile_off_micros")?,
            exceptions: on("exceptions_off_micros")?,
            names: on("names_off_micros")?,
            user: on("user_off_micros")?,
            host: on("host_off_micros")?,
            paths: on("paths_off_micros")?,
            // Whoever reads it elsewhere closes nothing.
            remote_close: false,
            events_allow: row.get::<_, Json<_>>("events_allow")?.0,
        },
    };
    Ok(Cluster {
        id,
        scheduler_id: row.get("scheduler_id")?,
        heard,
        said,
        rank: row.get("record_rank")?,
    })
}
