//! What a cluster, a task group and a state are; ids and units. Uses nothing else of this crate.

mod metric;
mod micros;
mod retention;
mod source;
mod state;
mod tasks;
pub mod visible;
pub mod words;
mod worker;

pub use metric::MetricKind;
pub use micros::Micros;
pub use retention::{RetentionCategory, RetentionRules};
pub use source::SourceFormat;
pub use state::{ClusterState, ExceptionOrigin};
pub use tasks::{Activities, TaskStates};
pub(crate) use tasks::{done, total};
pub use worker::{WorkerChange, WorkerState};
