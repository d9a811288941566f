//! What the sender of a batch is told once it is durably stored.

use serde::Serialize;

use crate::wire::Refusal;

/// The answer to a batch; its JSON is documented in `wire/README.md`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Receipt {
    /// Dask's id of the scheduler.
    pub cluster_id: String,
    pub instance_id: String,
    pub first_seq: u64,
    /// Lines of the batch.
    pub records: u64,
    /// The same bytes were stored before.
    pub duplicate: bool,
    /// Lines that could not be read; the others are stored.
    pub refused: Vec<Refusal>,
    /// A wish of the user, if there is one for this instance.
    pub stop: Option<StopOrder>,
    /// Whether somebody looks at this cluster, so that it should report sooner.
    pub watched: bool,
}

/// Asks the plugin to close its scheduler. It must compare the instance, look at its own clock, and obey a nonce once.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StopOrder {
    pub instance_id: String,
    /// 128 random bits in hexadecimal.
    pub nonce: String,
    /// How long it is still to be obeyed, in microseconds from when the batch was sent: clocks of two machines need not agree.
    pub left_micros: i64,
}
