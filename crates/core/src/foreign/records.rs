//! What all readers make alike: the facts of a cluster, its last word, and a sample of which most is not known.

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};

use super::{Outcome, Wrong, is};
use crate::hex::hexadecimal;
use crate::model::Micros;
use crate::wire::{ClusterRecord, PluginCost, Record, SampleRecord, StopRecord, Switches, Totals};

/// The longest id and name of the wire.
const ID_BYTES: usize = 512;
/// Before it there was no Dask; the wire refuses what is earlier.
const EARLIEST_SECONDS: f64 = 946_684_800.0;
const LATEST_SECONDS: f64 = 9_007_199_254.0;

/// A cluster of which nothing is known but this.
pub(super) fn cluster(
    name: &str,
    started: Micros,
    at: Micros,
    unavailable: &[&str],
) -> ClusterRecord {
    ClusterRecord {
        at_micros: at,
        name: Some(name.into()),
        cluster_class: None,
        scheduler_address: None,
        dashboard_url: None,
        started_micros: started,
        user: None,
        host: None,
        project: None,
        tags: BTreeMap::new(),
        versions: BTreeMap::new(),
        host_versions: BTreeMap::new(),
        mismatches: Vec::new(),
        unavailable: unavailable.iter().map(|word| (*word).to_owned()).collect(),
        python_version: None,
        python_path: None,
        os: None,
        architecture: None,
        // No plugin was there: what read the file is what tells.
        plugin_version: env!("CARGO_PKG_VERSION").into(),
        interval_micros: 1_000_000,
        idle_timeout_micros: None,
        switches: Switches {
            code: true,
            profile: true,
            exceptions: true,
            names: true,
            user: true,
            host: true,
            paths: true,
            remote_close: false,
            events_allow: vec!["*".into()],
        },
    }
}

/// A moment of which nothing is known but this.
pub(super) fn sample(at: Micros, workers: u64, threads: u64, totals: Totals) -> SampleRecord {
    SampleRecord {
        at_micros: at,
        workers,
        threads,
        memory_limit_bytes: None,
        memory_used_bytes: None,
        memory_managed_bytes: None,
        memory_unmanaged_bytes: None,
        memory_spilled_bytes: None,
        tasks: BTreeMap::new(),
        idle_since_micros: None,
        cpu_percent: None,
        network_read_bytes_per_s: None,
        network_write_bytes_per_s: None,
        disk_read_bytes_per_s: None,
        disk_write_bytes_per_s: None,
        gpu_percent: None,
        gpu_memory_bytes: None,
        worker_lag_micros: None,
        workers_paused: None,
        last_completed_micros: None,
        stall: None,
        workers_each: None,
        workers_bands: None,
        loop_lag_micros: None,
        totals,
        cost: PluginCost::default(),
    }
}

/// The file says no more.
pub(super) fn stop(at: Micros) -> Record {
    Record::Stop(StopRecord {
        at_micros: at,
        reason: "end_of_file".into(),
    })
}

/// An id for what is known by its name.
pub(super) fn id(name: &str) -> String {
    if (1..=ID_BYTES).contains(&name.len()) {
        return name.into();
    }
    let hash = hexadecimal(&Sha256::digest(name.as_bytes()));
    format!("sha256-{hash}")
}

/// A moment out of seconds since 1970.
pub(super) fn moment(seconds: f64) -> Outcome<Micros> {
    if (EARLIEST_SECONDS..LATEST_SECONDS).contains(&seconds) {
        Ok(Micros((seconds * 1e6).round() as i64))
    } else {
        is("it contains a time before 2000 or after 2255")
    }
}

/// The later of two times, of those that are told.
pub(super) fn later(one: Option<f64>, other: Option<f64>) -> Option<f64> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.max(other)),
        (one, other) => one.or(other),
    }
}

/// A moment, where there is one.
pub(super) fn moment_if(seconds: Option<f64>) -> Option<Micros> {
    seconds.and_then(|seconds| moment(seconds).ok())
}

/// Fails beyond so many of something.
pub(super) fn at_most(found: usize, limit: usize, what: &'static str) -> Outcome<()> {
    if found > limit {
        return Err(Wrong::Is(format!(
            "it holds more than {limit} {what}, more than Bobbin reads from one file"
        )));
    }
    Ok(())
}
