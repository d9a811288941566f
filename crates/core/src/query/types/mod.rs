//! Requests and answers. `ui/src/generated/api.ts` is written from these.
//!
//! Null always means *not available*, never zero. Lists have an order, a limit, and say what they left out.

/// Answers and requests share these derives.
macro_rules! dto {
    ($(#[$meta:meta])* pub struct $name:ident { $($(#[$fmeta:meta])* pub $field:ident : $ty:ty,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
        pub struct $name { $($(#[$fmeta])* pub $field: $ty,)* }
    };
}

mod baseline;
mod budget;
mod check;
mod close;
mod cluster;
mod clusters;
mod compare;
mod cost;
mod desktop;
mod failures;
mod filter;
mod fine;
mod flame;
mod graph;
mod group_cost;
mod keys;
mod lists;
mod marks;
mod overview;
mod people;
mod profile;
mod retention;
mod safety;
mod save;
mod search;
mod secrets;
mod settings;
mod sql;
mod status;
mod thread_use;
mod verdict;
mod workers;

pub use baseline::*;
pub use budget::*;
pub use check::*;
pub use close::*;
pub use cluster::*;
pub use clusters::*;
pub use compare::*;
pub use cost::*;
pub use desktop::*;
pub use failures::*;
pub use filter::*;
pub use fine::*;
pub use flame::*;
pub use graph::*;
pub use group_cost::*;
pub use keys::*;
pub use lists::*;
pub use marks::*;
pub use overview::*;
pub use people::*;
pub use profile::*;
pub use retention::*;
pub use safety::*;
pub use save::*;
pub use search::*;
pub use secrets::*;
pub use settings::*;
pub use sql::*;
pub use status::*;
pub use thread_use::*;
pub use verdict::*;
pub use workers::*;
