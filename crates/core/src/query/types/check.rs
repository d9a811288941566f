//! Whether a run is worse than others of the same.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{ComparedRun, Comparison};

/// By how much a run may be worse than the middle of others. Shares: 0.15 is 15 %.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CheckLimits {
    /// Of the time in which it worked.
    pub slowdown: Option<f64>,
    /// Of the time of threads that it took from beginning to end, which is what is paid for.
    pub cost: Option<f64>,
    /// Of the most memory that its workers used at once.
    pub memory: Option<f64>,
    /// No type of exception in a group that none of the others had.
    pub no_new_exceptions: bool,
    /// Times for each thousand tasks, for runs of different size.
    pub per_task: bool,
    /// With fewer runs to compare with it is refused.
    pub least_runs: u64,
}

/// What became of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum CheckVerdict {
    Passed,
    /// It is worse than a limit allows, or did not do its work.
    Failed,
    /// There is nothing that it can be compared with.
    Refused,
}

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum CheckMeasureKind {
    /// While a computation or a group was under way.
    WorkingMicros,
    /// Threads times the time that they were there.
    ThreadMicros,
    /// The most at once.
    MemoryBytes,
}

dto! {
pub struct Check {
    pub verdict: CheckVerdict,
    /// Why it failed or was refused, a clause each.
    pub reasons: Vec<String>,
    /// What else has to be known.
    pub notes: Vec<String>,
    pub measures: Vec<CheckMeasure>,
    /// Types of exceptions that none of the other runs had, in these groups.
    pub new_exceptions: Vec<NewException>,
    /// Those that it was compared with.
    pub runs: Vec<ComparedRun>,
    /// With the one of them whose time is in the middle; null where there is none.
    pub comparison: Option<Comparison>,
}
}

dto! {
/// One figure against the same of the other runs.
pub struct CheckMeasure {
    pub is: CheckMeasureKind,
    /// In the unit that the kind names; null is not known, as are the others then.
    pub value: Option<i64>,
    /// The middle of the other runs.
    pub middle: Option<i64>,
    /// Half the width of the noise around it; null where there are too few runs to know it.
    pub band: Option<i64>,
    /// 0.15: 15 % more than the middle.
    pub change: Option<f64>,
    /// The most that `change` may be; null is not asked for.
    pub limit: Option<f64>,
    /// Above the limit, and above the noise where that is known.
    pub exceeded: bool,
    pub words: String,
}
}

dto! {
pub struct NewException {
    pub exception_type: String,
    pub prefix: Option<String>,
    pub count: u64,
}
}
