//! What a cluster, a task group and a state are; ids and units. Uses nothing else of this crate.

mod micros;
mod state;
mod tasks;

pub use micros::Micros;
pub use state::{ClusterState, ExceptionOrigin};
pub use tasks::{Activities, TaskStates};
