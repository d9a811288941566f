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

mod cluster;
mod clusters;
mod failures;
mod lists;
mod overview;
mod status;

pub use cluster::*;
pub use clusters::*;
pub use failures::*;
pub use lists::*;
pub use overview::*;
pub use status::*;
