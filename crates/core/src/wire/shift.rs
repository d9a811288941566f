//! Moving a recording in time.

use super::{Batch, Line, Record};
use crate::model::Micros;

/// Moves every time in a batch by `by_micros`. Durations and the digest stay: it is the same recording.
pub fn shift(batch: &mut Batch, by_micros: i64) {
    let shift = |time: &mut Micros| time.0 = time.0.saturating_add(by_micros);
    shift(&mut batch.header.sent_at_micros);
    for line in &mut batch.lines {
        let Line::Known(record, _) = line else {
            continue;
        };
        match record {
            Record::Cluster(record) => {
                shift(&mut record.at_micros);
                shift(&mut record.started_micros);
            }
            Record::Sample(record) => {
                shift(&mut record.at_micros);
                record.idle_since_micros.iter_mut().for_each(shift);
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
            Record::Event(record) => shift(&mut record.at_micros),
            Record::Dropped(record) => shift(&mut record.at_micros),
            Record::Stop(record) => shift(&mut record.at_micros),
        }
    }
}
