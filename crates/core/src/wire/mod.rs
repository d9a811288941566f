//! What the plugin sends: batches of newline-delimited JSON, one record a line, a header first.
//!
//! The words and rules of the format are in `README.md` beside this file. This folder is the only one that knows
//! that versions of the format exist; it turns each into typed records.

mod batch;
mod check;
mod decode;
mod inflate;
mod record;
mod shift;
mod strict;
#[cfg(test)]
mod tests;

pub use batch::{Batch, Header, Kept, Line, Refusal, RefusalCode};
pub use decode::{decode, decode_stream};
pub use inflate::{Limits, inflate};
pub use record::{
    ClusterRecord, CodeFrame, ComputationRecord, DroppedRecord, EventRecord, ExceptionRecord,
    PluginCost, Record, SampleRecord, StopRecord, Switches, TaskGroupRecord, Totals,
};
pub use shift::shift;
