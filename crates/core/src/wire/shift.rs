//! Moving a recording in time.

use super::Record;
use crate::model::Micros;

/// Moves every time in a record by `by_micros`. Durations stay: it is the same recording.
pub fn shift(record: &mut Record, by_micros: i64) {
    let shift = |time: &mut Micros| time.0 = time.0.saturating_add(by_micros);
    match record {
        Record::Cluster(record) => {
            shift(&mut record.at_micros);
            shift(&mut record.started_micros);
        }
        Record::Sample(record) => {
            shift(&mut record.at_micros);
            record
                .idle_since_micros
                .iter_mut()
                .chain(&mut record.last_completed_micros)
                .for_each(shift);
        }
        Record::TaskGroup(record) => {
            shift(&mut record.at_micros);
            record
                .start_micros
                .iter_mut()
                .chain(&mut record.stop_micros)
                .for_each(shift);
        }
        Record::Computation(record) => {
            shift(&mut record.at_micros);
            record
                .start_micros
                .iter_mut()
                .chain(&mut record.stop_micros)
                .for_each(shift);
        }
        Record::Exception(record) => {
            shift(&mut record.at_micros);
            shift(&mut record.first_seen_micros);
            shift(&mut record.last_seen_micros);
        }
        Record::Worker(record) => shift(&mut record.at_micros),
        Record::Metric(record) => shift(&mut record.at_micros),
        Record::Span(record) => {
            shift(&mut record.at_micros);
            record
                .start_micros
                .iter_mut()
                .chain(&mut record.stop_micros)
                .chain(&mut record.enqueued_micros)
                .for_each(shift);
        }
        Record::Profile(record) => {
            shift(&mut record.at_micros);
            shift(&mut record.from_micros);
            shift(&mut record.to_micros);
        }
        Record::Event(record) => shift(&mut record.at_micros),
        Record::Dropped(record) => shift(&mut record.at_micros),
        Record::Stop(record) => shift(&mut record.at_micros),
    }
}
