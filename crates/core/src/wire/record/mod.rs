//! The records of a batch, one struct a kind. A field that the scheduler's version of Dask does not have is null.

mod cluster;
mod failures;
mod fine;
mod profile;
mod sample;
mod tasks;
mod worker;

use serde::Serialize;

use crate::model::Micros;

pub use cluster::{ClusterRecord, Mismatch, MismatchSide, Switches};
pub use failures::{DroppedRecord, EventRecord, ExceptionRecord, StopRecord};
pub use fine::{MetricRecord, SpanRecord};
pub use profile::{ProfileFrames, ProfileLeaves, ProfileLines, ProfileRecord, ProfileStacks};
pub use sample::{Band, PluginCost, SampleRecord, Stall, Totals, WorkerBands, WorkerNow};
pub use tasks::{CodeFrame, ComputationRecord, Durations, TaskGroupRecord};
pub use worker::WorkerRecord;

/// One line of a batch after its header.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Record {
    Cluster(Box<ClusterRecord>),
    Sample(Box<SampleRecord>),
    Worker(Box<WorkerRecord>),
    TaskGroup(Box<TaskGroupRecord>),
    Computation(Box<ComputationRecord>),
    Metric(Box<MetricRecord>),
    Span(Box<SpanRecord>),
    Exception(Box<ExceptionRecord>),
    Event(EventRecord),
    Profile(Box<ProfileRecord>),
    Dropped(DroppedRecord),
    Stop(StopRecord),
}

impl Record {
    /// As its line says it.
    pub fn kind(&self) -> &'static str {
        match self {
            Record::Cluster(_) => "cluster",
            Record::Sample(_) => "sample",
            Record::Worker(_) => "worker",
            Record::TaskGroup(_) => "task_group",
            Record::Computation(_) => "computation",
            Record::Metric(_) => "metric",
            Record::Span(_) => "span",
            Record::Exception(_) => "exception",
            Record::Event(_) => "event",
            Record::Profile(_) => "profile",
            Record::Dropped(_) => "dropped",
            Record::Stop(_) => "stop",
        }
    }

    /// When it was made.
    pub fn at(&self) -> Micros {
        match self {
            Record::Cluster(record) => record.at_micros,
            Record::Sample(record) => record.at_micros,
            Record::Worker(record) => record.at_micros,
            Record::TaskGroup(record) => record.at_micros,
            Record::Computation(record) => record.at_micros,
            Record::Metric(record) => record.at_micros,
            Record::Span(record) => record.at_micros,
            Record::Exception(record) => record.at_micros,
            Record::Event(record) => record.at_micros,
            Record::Profile(record) => record.at_micros,
            Record::Dropped(record) => record.at_micros,
            Record::Stop(record) => record.at_micros,
        }
    }
}
