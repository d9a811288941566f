//! Which plugins report, and whether their clocks and this machine's agree: `bobbin doctor` asks.

use super::App;
use crate::Result;
use crate::model::Micros;
use crate::query;

/// A run of the plugin in a scheduler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Reporter {
    pub(super) plugin_version: String,
    /// How far its clock is ahead of this machine's, µs; negative where it is behind. None where its batches do not tell.
    pub(super) ahead_micros: Option<i64>,
}

/// Clocks tell from so many batches on.
const BATCHES: u64 = 3;
/// A batch is on its way for less than this, so that what all have in common beyond is the clocks'. Batches that waited somewhere, and came
/// together, differ by more: each by the time between two reports.
const ON_ITS_WAY_MICROS: i64 = 3_000_000;

/// The runs of the plugin that were heard since a moment, the newest first, at most a thousand.
///
/// # Errors
/// [`crate::Error::Sqlite`].
pub(super) fn reporters(app: &App, since: Micros) -> Result<Vec<Reporter>> {
    let heard = app.read(|db| query::reporters(db, since))?;
    let reporters = heard.into_iter().map(|heard| Reporter {
        plugin_version: heard.plugin_version,
        ahead_micros: match (heard.batches, heard.least, heard.most) {
            (..BATCHES, ..) => None,
            // What is yet to come was not on its way at all.
            (_, _, most) if most < 0 => Some(-most),
            (_, least, most) if most - least > ON_ITS_WAY_MICROS => None,
            (_, ..=ON_ITS_WAY_MICROS, _) => Some(0),
            // They end together: they may have waited together.
            _ if heard.apart <= ON_ITS_WAY_MICROS => None,
            (_, least, _) => Some(ON_ITS_WAY_MICROS - least),
        },
    });
    Ok(reporters.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::*;

    /// What is said of a cluster whose batches end at these seconds and come at those.
    fn ahead(batches: &[(i64, i64)]) -> Option<i64> {
        let bench = Bench::new();
        for (seq, (ended, came)) in batches.iter().enumerate() {
            bench.at(*came);
            bench.send(batch(1 + seq as u64, &[sample(*ended, 1.0)]));
        }
        let found = reporters(&bench.app, Micros(0)).unwrap();
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].plugin_version, "0.1.0");
        found[0].ahead_micros
    }

    #[test]
    fn clocks_tell_by_what_all_batches_have_in_common() {
        assert_eq!(ahead(&[(10, 10), (20, 21), (30, 30)]), Some(0));
        assert_eq!(
            ahead(&[(310, 10), (320, 21), (330, 30)]),
            Some(299 * SECOND)
        );
        assert_eq!(
            ahead(&[(10, 310), (20, 321), (30, 330)]),
            Some(-297 * SECOND)
        );
    }

    #[test]
    fn what_waited_somewhere_tells_nothing_of_clocks() {
        assert_eq!(ahead(&[(10, 500), (20, 500), (30, 500)]), None);
        assert_eq!(ahead(&[(310, 10), (320, 20)]), None);
        assert_eq!(ahead(&[(9, 90), (10, 90), (11, 91)]), None);
        assert_eq!(ahead(&[(9, 9), (10, 10), (11, 11)]), Some(0));
    }

    #[test]
    fn what_came_in_files_tells_nothing_of_clocks() {
        let bench = Bench::new();
        let ahead = || reporters(&bench.app, Micros(0)).unwrap()[0].ahead_micros;
        let ended = |seq, seconds| batch(seq, &[sample(seconds, 1.0)]);
        for (seq, seconds) in [(1, 10), (2, 20), (3, 30)] {
            bench.at(seconds + 80);
            bench.app.import(vec![ended(seq, seconds)]).unwrap();
        }
        assert_eq!(ahead(), None);
        for (seq, seconds) in [(4, 120), (5, 130), (6, 140), (7, 150), (8, 160)] {
            bench.at(seconds).send(ended(seq, seconds));
        }
        assert_eq!(ahead(), Some(0));
    }

    #[test]
    fn those_that_are_long_gone_are_left_out() {
        let bench = Bench::new();
        bench.send(batch(1, &[facts(0)]));
        assert_eq!(reporters(&bench.app, Micros(at(60))).unwrap(), []);
    }
}
