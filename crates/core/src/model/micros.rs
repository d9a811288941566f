//! Points in time.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// A point in time: whole microseconds since 1970-01-01 UTC. Exact as a JavaScript number until the year 2255.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, TS,
)]
#[ts(type = "number")]
pub struct Micros(pub i64);

impl Micros {
    /// Microseconds in one hour, the width of a rollup bin.
    pub const HOUR: i64 = 3_600_000_000;
    /// The last moment that is accepted from outside: 2255-06-05, beyond which JavaScript loses microseconds.
    pub const LATEST: Micros = Micros(9_007_199_254_740_991);

    /// Why nothing that is asked for lies between two moments, the later exclusive; none if it may.
    pub(crate) fn no_time_between(from: Micros, to: Micros) -> Option<&'static str> {
        let limits = Micros(0)..=Micros::LATEST;
        if !limits.contains(&from) || !limits.contains(&to) {
            return Some("it is outside 1970 to 2255");
        }
        (from >= to).then_some("it ends before it begins")
    }
}
