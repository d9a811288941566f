//! Where the time went: by activity, and by function.

use std::collections::BTreeMap;

use super::{SHORT, Shown, section};
use crate::{print, visible};

/// Functions that are shown.
const FUNCTIONS: usize = 10;

impl Shown {
    /// Seconds by what the workers were doing, over all spans and prefixes.
    pub(super) fn activities(&self) -> String {
        let mut sums: BTreeMap<(&str, &str), f64> = BTreeMap::new();
        for metric in &self.metrics.rows {
            if metric.unit == "seconds" {
                *sums.entry((&metric.context, &metric.activity)).or_default() += metric.value;
            }
        }
        let mut sums: Vec<_> = sums.into_iter().collect();
        sums.sort_by(|one, two| two.1.total_cmp(&one.1));
        let rows: Vec<Vec<String>> = sums
            .iter()
            .take(SHORT)
            .map(|((context, activity), seconds)| {
                vec![
                    print::cut(&visible::plain(&format!("{context}: {activity}")), 48),
                    print::seconds(*seconds),
                ]
            })
            .collect();
        section(
            &print::table(&["activity", "time"], &[false, true], &rows),
            rows.len(),
            sums.len() as u64,
        )
    }

    /// The functions in which the samples of the profile ended.
    pub(super) fn functions(&self) -> String {
        let profile = &self.profile;
        let share = |count: u64| format!("{:.1} %", 100.0 * count as f64 / profile.samples as f64);
        let rows: Vec<Vec<String>> = profile
            .functions
            .iter()
            .take(FUNCTIONS)
            .map(|function| {
                let frame = function.frame as usize;
                let file = visible::plain(&profile.frames.file[frame]);
                let line =
                    profile.frames.line[frame].map_or_else(String::new, |line| format!(":{line}"));
                vec![
                    print::cut(&visible::plain(&profile.frames.name[frame]), 40),
                    share(function.self_count),
                    share(function.total_count),
                    print::cut_front(&format!("{file}{line}"), 60),
                ]
            })
            .collect();
        section(
            &print::table(
                &["function", "itself", "with calls", "where"],
                &[false, true, true, false],
                &rows,
            ),
            rows.len(),
            profile.functions_total,
        )
    }
}
