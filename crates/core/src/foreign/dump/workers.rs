//! The workers that the scheduler knew.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::events::Events;
use super::{WORKERS, text, whole, whole_of};
use crate::foreign::Outcome;
use crate::foreign::records::{at_most, id, later, moment_if};
use crate::model::{Micros, WorkerChange};
use crate::wire::{Record, WorkerNow, WorkerRecord};

/// Workers that a sample tells of one by one.
const EACH: usize = 64;

#[derive(Default)]
pub(super) struct Workers {
    found: Vec<Map<String, Value>>,
    last_seen: Option<f64>,
}

impl Workers {
    pub(super) const FIELDS: &[&str] = &[
        "address",
        "host",
        "last_seen",
        "memory",
        "memory_limit",
        "metrics",
        "name",
        "nanny",
        "nthreads",
        "resources",
        "server_id",
        "status",
    ];

    pub(super) fn add(&mut self, address: String, mut worker: Map<String, Value>) -> Outcome<()> {
        at_most(self.found.len(), WORKERS, "workers")?;
        self.last_seen = later(
            self.last_seen,
            worker.get("last_seen").and_then(Value::as_f64),
        );
        worker.entry("address").or_insert(Value::String(address));
        // Of its metrics only these are looked at.
        let cpu = worker
            .get("metrics")
            .and_then(|metrics| metrics.get("cpu"))
            .cloned();
        worker.remove("metrics");
        worker.insert("cpu".into(), cpu.unwrap_or_default());
        self.found.push(worker);
        Ok(())
    }

    pub(super) fn last_seen(&self) -> Option<f64> {
        self.last_seen
    }

    pub(super) fn count(&self) -> u64 {
        self.found.len() as u64
    }

    pub(super) fn threads(&self) -> u64 {
        self.found
            .iter()
            .filter_map(|worker| whole(worker, "nthreads"))
            .fold(0, u64::saturating_add)
    }

    pub(super) fn paused(&self) -> u64 {
        self.found.iter().filter(|worker| is_paused(worker)).count() as u64
    }

    /// Null where any worker has none.
    pub(super) fn memory_limit(&self) -> Option<u64> {
        if self.found.is_empty() {
            return None;
        }
        let limits = self
            .found
            .iter()
            .map(|worker| whole(worker, "memory_limit").filter(|&limit| limit > 0));
        limits.sum()
    }

    pub(super) fn cpu_percent(&self) -> Option<f64> {
        let all = self
            .found
            .iter()
            .filter_map(|worker| worker["cpu"].as_f64());
        let all: Vec<f64> = all.collect();
        (!all.is_empty()).then(|| all.iter().sum())
    }

    pub(super) fn each(&self) -> Option<Vec<WorkerNow>> {
        if self.found.is_empty() || self.found.len() > EACH {
            return None;
        }
        Some(self.found.iter().map(now).collect())
    }

    /// Each worker as it came, and whether it is paused.
    pub(super) fn records(
        &self,
        started: Micros,
        events: &Events,
        records: &mut Vec<Record>,
    ) -> Outcome<()> {
        for worker in &self.found {
            let address = text(worker, "address");
            let joined = address
                .as_deref()
                .and_then(|address| events.joined(address));
            let record = WorkerRecord {
                at_micros: moment_if(joined).unwrap_or(started),
                worker_id: worker_id(worker),
                name: name(worker),
                host: text(worker, "host"),
                event: WorkerChange::Joined,
                cause: None,
                expected: None,
                threads: whole(worker, "nthreads"),
                memory_limit_bytes: whole(worker, "memory_limit").filter(|&limit| limit > 0),
                resources: resources(worker),
                nanny: worker.get("nanny").map(|nanny| !nanny.is_null()),
                address,
            };
            if is_paused(worker) {
                let at_micros = moment_if(worker.get("last_seen").and_then(Value::as_f64))
                    .unwrap_or(record.at_micros);
                let paused = WorkerRecord {
                    event: WorkerChange::Paused,
                    at_micros,
                    ..record.clone()
                };
                records.extend([record, paused].map(|record| Record::Worker(Box::new(record))));
            } else {
                records.push(Record::Worker(Box::new(record)));
            }
        }
        Ok(())
    }
}

fn worker_id(worker: &Map<String, Value>) -> String {
    let named = text(worker, "server_id").or_else(|| text(worker, "address"));
    id(&named.unwrap_or_default())
}

/// Names of workers are texts or numbers.
fn name(worker: &Map<String, Value>) -> Option<String> {
    match worker.get("name")? {
        Value::String(name) if !name.is_empty() => Some(name.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// `<Status.paused: 'paused'>`.
fn is_paused(worker: &Map<String, Value>) -> bool {
    worker
        .get("status")
        .and_then(Value::as_str)
        .is_some_and(|status| status.contains("paused"))
}

fn resources(worker: &Map<String, Value>) -> BTreeMap<String, f64> {
    let resources = worker
        .get("resources")
        .and_then(Value::as_object)
        .into_iter()
        .flatten();
    resources
        .filter_map(|(name, amount)| {
            Some((
                name.clone(),
                amount.as_f64().filter(|amount| amount.abs() < 1e18)?,
            ))
        })
        .collect()
}

fn now(worker: &Map<String, Value>) -> WorkerNow {
    let memory = |names: &[&str]| {
        let memory = worker.get("memory")?;
        names
            .iter()
            .find_map(|name| memory.get(name).and_then(whole_of))
    };
    WorkerNow {
        worker_id: worker_id(worker),
        cpu_percent: worker["cpu"].as_f64().filter(|cpu| cpu.abs() < 1e18),
        memory_used_bytes: memory(&["process"]),
        memory_managed_bytes: memory(&["managed_in_memory", "managed"]),
        memory_spilled_bytes: memory(&["spilled", "managed_spilled"]),
        processing: whole(worker, "processing"),
        lag_micros: None,
    }
}
