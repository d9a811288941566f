//! A store of one large cluster.

use std::path::Path;

use crate::{
    generate::{
        Order,
        draw::{Size, fill},
    },
    process::Result,
};

/// Fills the store in `folder` with one small cluster and one of so many task groups and stacks; their ids are 1 and 2.
///
/// # Errors
/// The store cannot be filled.
pub fn large(folder: &Path, groups: usize, stacks: usize) -> Result {
    let order = Order {
        clusters: 1,
        members: 1,
        days: 1,
        seed: 1,
        until: None,
        groups: Some(4),
        stacks: Some(0),
    };
    let size = Size {
        groups: Some(groups),
        stacks: Some(stacks),
    };
    fill(folder, order, &[size])
}
