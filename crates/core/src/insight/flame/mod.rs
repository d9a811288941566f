//! Flame graphs: what follows from merged trees. Pure functions over trees, which are merged and kept elsewhere.

mod columns;
mod difference;
mod draw;
mod library;
mod merge;
mod out;
mod search;
mod table;
mod transform;

#[cfg(test)]
mod tests;

pub(crate) use columns::{Scale, flame};
pub(crate) use difference::{Both, Side, difference, overlay, renamed};
pub(crate) use merge::{Merged, Merging, untold};
pub(crate) use out::{Told, encoded};
pub(crate) use search::{Matches, Search};
pub(crate) use table::{beside, table};
pub(crate) use transform::{callers, focus, transform};
