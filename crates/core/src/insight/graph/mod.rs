//! The graph of a cluster's task groups, ready to be drawn: folded where it is large, laid out, with the critical path.
//!
//! The layout is our own. The crates that draw in layers give positions that change with the order of their input, stop at
//! nothing on hostile graphs, or keep a dummy vertex for each edge and layer; here a long edge shares its dummies with the
//! others of its source, work is bounded, and equal graphs get equal pictures.
//!
//! Indices of groups are places in the list of groups ordered by id, so that nothing depends on how they were stored.

mod collapse;
mod critical;
mod layers;
mod layout;
mod order;
mod place;
mod shape;
#[cfg(test)]
mod tests;
mod view;

pub(crate) use collapse::Tree;
pub(crate) use layout::Layout;
pub(crate) use view::{Merged, Priced, Seen, fold, hidden, view};
