//! The questions against small stories.

mod clocks;
mod failures;
mod fine;
mod graph;
mod group_costs;
mod lists;
mod pages;
mod profile;
mod sql;
mod states;
mod thread_use;
mod usage;
mod worker_heat;
mod workers;
