//! What follows from the answers, in words.

mod activity;
pub(crate) mod answers;
mod baseline;
mod compare;
mod compare_words;
pub(crate) mod cost;
mod findings;
mod fingerprint;
pub(crate) mod flame;
pub(crate) mod graph;
mod live;
pub(crate) mod notices;
mod state;
pub(crate) mod table_text;
mod time_left;
pub(crate) mod usage;
mod verdict;
mod waterfall;
pub(crate) mod words;

pub(crate) use activity::activity;
pub(crate) use baseline::{LAST, Run, Size, history, saturating_sum};
pub(crate) use compare::{Side, check, compare};
pub(crate) use findings::findings;
pub(crate) use fingerprint::shape;
pub(crate) use live::{neediest, shown};
pub(crate) use state::{explained, with_evidence};
pub(crate) use time_left::time_left;
pub(crate) use verdict::verdict;
