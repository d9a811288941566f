//! How sure a median is, and how far values lie apart.

/// How often the true median lies in the interval, at least.
const CONFIDENCE: f64 = 0.95;

/// Where the median of all repeats that there could be lies, with 95 % confidence: between two of the values, by how many of so many
/// fall on one side of it by chance (order statistics; the binomial distribution with one half). No shape of noise is assumed. None
/// where there are too few values to be so sure.
pub fn of_median(values: &[f64]) -> Option<(f64, f64)> {
    let sorted = sorted(values);
    let count = i32::try_from(sorted.len()).ok()?;
    let (mut within, mut chance, mut outside) = (None, 0.5_f64.powi(count), 0.0);
    for below in 0..sorted.len() / 2 {
        // So few, or fewer, of all lie below the true median: the same above.
        outside += 2.0 * chance;
        if outside > 1.0 - CONFIDENCE {
            break;
        }
        within = Some((sorted[below], sorted[sorted.len() - 1 - below]));
        chance *= (sorted.len() - below) as f64 / (below + 1) as f64;
    }
    within
}

/// Between them lies the middle half of the values.
pub fn quartiles(values: &[f64]) -> Option<(f64, f64)> {
    let sorted = sorted(values);
    let last = sorted.len().checked_sub(1)?;
    Some((sorted[last / 4], sorted[last - last / 4]))
}

fn sorted(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(most: u32) -> Vec<f64> {
        (1..=most).map(f64::from).collect()
    }

    #[test]
    fn the_interval_is_that_of_the_tables() {
        // The ranks of any table of the sign test at 95 %.
        assert_eq!(of_median(&whole(5)), None);
        assert_eq!(of_median(&whole(6)), Some((1.0, 6.0)));
        assert_eq!(of_median(&whole(10)), Some((2.0, 9.0)));
        assert_eq!(of_median(&whole(25)), Some((8.0, 18.0)));
        assert_eq!(of_median(&whole(60)), Some((22.0, 39.0)));
    }

    #[test]
    fn one_disturbed_repeat_moves_neither() {
        let mut values = whole(20);
        let before = (of_median(&values), quartiles(&values));
        values[19] = 1e9;
        assert_eq!((of_median(&values), quartiles(&values)), before);
        assert_eq!(quartiles(&values), Some((5.0, 16.0)));
        assert_eq!(quartiles(&[]), None);
    }
}
