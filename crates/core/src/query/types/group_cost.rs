//! What task groups and computations of one cluster cost.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::Money;

dto! {
/// By time of threads × price; idleness is a part of neither. Empty without a price, or where nothing was heard of threads.
pub struct GroupCosts {
    pub currency: String,
    /// Dearest first, at most 5,000.
    pub groups: Vec<GroupMoney>,
    /// Newest first, at most 1,000.
    pub computations: Vec<ComputationMoney>,
    pub truncated: bool,
}
}

dto! {
pub struct GroupMoney {
    pub group_id: String,
    pub money: Money,
}
}

dto! {
/// All of its groups together: a group of two computations counts in both.
pub struct ComputationMoney {
    pub computation_id: String,
    pub money: Money,
}
}
