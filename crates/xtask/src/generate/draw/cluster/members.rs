//! The cluster itself, and its workers.

use bobbin_core::{
    model::{Micros, WorkerChange},
    wire::{ClusterRecord, Record, WorkerRecord},
};

use super::super::dice::Dice;
use super::{GIB, Plan};

impl Plan<'_> {
    pub(super) fn cluster(&self, dice: &mut Dice) -> Record {
        let month = 1 + self.month() % 12;
        let mut record = ClusterRecord {
            at_micros: Micros(self.start),
            started_micros: Micros(self.start),
            name: Some(format!("{}-{}", self.author.project, &dice.hex()[..6])),
            user: Some(self.author.user.into()),
            host: Some(self.author.host.into()),
            project: Some(self.author.project.into()),
            interval_micros: self.interval(),
            ..self.recorded.cluster.clone()
        };
        for package in ["dask", "distributed"] {
            record
                .versions
                .insert(package.into(), Some(format!("2026.{month}.0")));
        }
        record.switches.profile = true;
        Record::Cluster(Box::new(record))
    }

    pub(super) fn workers(&self, dice: &mut Dice) -> Vec<Record> {
        let mut records = Vec::new();
        for (number, id) in self.worker_ids.iter().enumerate() {
            let mut record = WorkerRecord {
                at_micros: Micros(self.start + dice.below(2_000_000) as i64),
                worker_id: id.clone(),
                address: Some(format!("tcp://127.0.0.1:{}", 40_000 + number)),
                name: Some(number.to_string()),
                host: Some(self.author.host.into()),
                event: WorkerChange::Joined,
                cause: None,
                expected: None,
                threads: Some(self.threads_each),
                memory_limit_bytes: Some(4 * GIB * self.threads_each),
                resources: Default::default(),
                nanny: Some(true),
            };
            records.push(Record::Worker(Box::new(record.clone())));
            record.at_micros = Micros(self.end);
            record.event = WorkerChange::Left;
            record.expected = Some(true);
            records.push(Record::Worker(Box::new(record)));
        }
        records
    }
}
