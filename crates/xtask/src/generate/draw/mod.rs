//! Clusters drawn from recorded ones, and the store that they fill.

mod cluster;
mod dice;
mod fill;
mod profile;
mod recorded;
mod team;

pub use cluster::Size;
pub use fill::fill;
pub use recorded::STORIES;
