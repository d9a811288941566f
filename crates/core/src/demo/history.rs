//! The weeks before the stories: which recorded run is told again, and when. Nothing is made up but the dates.

use super::Tape;
use super::story::recording;
use crate::Result;
use crate::model::Micros;

/// Weeks that are told.
const WEEKS: i64 = 8;
const MINUTE: i64 = 60_000_000;
const DAY: i64 = 24 * Micros::HOUR;
/// Of the little that runs begin earlier or later from day to day.
const SEED: u64 = 18;

// Places in `history.bobbin`, as `record.py` lists its runs.
const TAXI: [usize; 3] = [3, 4, 0];
const CLIMATE_WITH_CARE: usize = 5;
const CLIMATE_SMALLER: usize = 6;
const CHURN_FAILING: usize = 2;
const CHURN: usize = 7;

/// A recorded run, and when it is said to have ended.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Drawn {
    place: usize,
    ended: Micros,
}

/// The runs of the weeks before `now`, each with what it is moved by, oldest first.
///
/// # Errors
/// As [`Tape::read`].
pub(super) fn history(now: Micros) -> Result<Vec<(Tape, i64)>> {
    let tapes: Vec<Tape> = Tape::read("history", recording("history")?)?
        .into_iter()
        .map(|tape| tape.labelled("drawn from a recorded run"))
        .collect();
    let runs = drawn(now).into_iter().filter_map(|drawn| {
        let tape = tapes.get(drawn.place)?;
        Some((tape.clone(), drawn.ended.0 - tape.ended.0))
    });
    Ok(runs.collect())
}

/// Every weekday night the taxi trips, which grow; twice a week the climate, with more and more care; and a model that breaks now
/// and then.
fn drawn(now: Micros) -> Vec<Drawn> {
    let today = now.0.div_euclid(DAY);
    let mut drawn = Vec::new();
    for back in (1..=7 * WEEKS).rev() {
        let day = today - back;
        let at = |hour: i64, minute: i64, place: usize| Drawn {
            place,
            ended: Micros(day * DAY + hour * Micros::HOUR + (minute + jitter(day, hour)) * MINUTE),
        };
        let week = (back - 1) / 7;
        // 1970-01-01 was a Thursday; Monday is 0.
        let weekday = (day + 3).rem_euclid(7);
        if weekday < 5 {
            let size = [1, 1, 1, 1, 0, 0, 0, 0][week as usize];
            drawn.push(at(3, 10, TAXI[size]));
            if week < 2 && weekday == 4 {
                drawn.push(at(15, 20, TAXI[2]));
            }
        }
        match weekday {
            1 | 3 if week >= 3 => drawn.push(at(13, 0, CLIMATE_WITH_CARE)),
            1 | 3 | 4 => drawn.push(at(13, 0, CLIMATE_SMALLER)),
            2 => drawn.push(at(9, 30, CHURN)),
            _ => {}
        }
        if weekday == 0 {
            let place = if week % 3 == 0 { CHURN_FAILING } else { CHURN };
            drawn.push(at(10, 0, place));
        }
    }
    drawn
}

/// Up to half an hour, by day and hour: the same at each load on the same day.
fn jitter(day: i64, hour: i64) -> i64 {
    // SplitMix64.
    let mut x = SEED
        .wrapping_add((day * 24 + hour) as u64)
        .wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((x ^ (x >> 31)) % 31) as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_weeks_before_lie_in_the_past_in_order_and_are_the_same_each_time() {
        let now = Micros(1_770_000_000_000_000);
        let runs = drawn(now);
        assert!((60..120).contains(&runs.len()), "{}", runs.len());
        assert!(runs.iter().all(|run| run.ended < now));
        let days: Vec<i64> = runs.iter().map(|run| run.ended.0.div_euclid(DAY)).collect();
        assert!(days.is_sorted());
        assert!(days[0] <= now.0.div_euclid(DAY) - 7 * (WEEKS - 1));
        assert_eq!(runs, drawn(now));
        // Nobody works at the weekend.
        assert!(days.iter().all(|day| (day + 3).rem_euclid(7) < 5));
    }
}
