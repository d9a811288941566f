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
mod unread;

pub use batch::{Batch, Header, Kept, Line, Refusal, RefusalCode};
pub(crate) use check::{PROFILE_LINES, PROFILE_STACKS};
pub(crate) use decode::{PROTOCOL, look_at_batch, without_value};
pub use decode::{decode, decode_stream};
pub use inflate::{Limits, held_bytes, inflate, said_bytes};
pub use record::{
    Band, ClusterRecord, CodeFrame, ComputationRecord, DroppedRecord, Durations, EventRecord,
    ExceptionRecord, MetricRecord, Mismatch, MismatchSide, PluginCost, ProfileFrames,
    ProfileLeaves, ProfileLines, ProfileRecord, ProfileStacks, Record, SampleRecord, SpanRecord,
    Stall, StopRecord, Switches, TaskGroupRecord, Totals, WorkerBands, WorkerNow, WorkerRecord,
};
pub use shift::shift;
