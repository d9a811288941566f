//! Pictures of task groups, kept from one request to the next.

use super::kept::Kept;
use crate::insight::graph::{Layout, Tree};

/// Memory of the pictures that are kept: each open page needs one, and those it goes back to. Of the ways of folding, as
/// much again.
const KEPT_BYTES: usize = 32 << 20;

/// The fingerprint of what something was made from.
type Key = [u8; 32];

/// What graphs of one open Bobbin are drawn from.
#[derive(Default)]
pub(super) struct Graphs {
    pub(super) trees: Kept<Key, Tree, KEPT_BYTES>,
    pub(super) layouts: Kept<Key, Layout, KEPT_BYTES>,
}
