//! Round numbers for axes, and classes of heat; as the page has them.

/// Ticks from 0 to at least `most`, about `wanted` of them, at 1, 2 or 5 times a power of ten; of bytes at powers of two. The
/// last is no more than the largest number that there is.
pub(super) fn ticks(most: f64, wanted: f64, bytes: bool) -> Vec<f64> {
    if most <= 0.0 || !most.is_finite() {
        return vec![0.0, if bytes { 1024f64.powi(3) } else { 1.0 }];
    }
    let raw = most / wanted;
    let step = if bytes {
        let unit = 1024f64.powf((raw.max(1.0).ln() / 1024f64.ln()).floor());
        let times = (0..=10).map(|power| 2f64.powi(power));
        let fits = times.clone().find(|times| times * unit >= raw);
        fits.unwrap_or(1024.0) * unit
    } else {
        let unit = 10f64.powf(raw.log10().floor());
        let fits = [1.0, 2.0, 5.0, 10.0].into_iter();
        let mut fits = fits.filter(|times| times * unit >= raw * 0.999);
        (fits.next().unwrap_or(10.0) * unit).max(1.0)
    };
    let count = (most / step - 1e-3).ceil().max(1.0) as usize;
    (0..=count)
        .map(|at| (at as f64 * step).min(f64::MAX))
        .collect()
}

/// Where `n` classes of equal count part, rounded up to two significant digits.
pub(super) fn breaks(values: &[f64], n: usize) -> Vec<f64> {
    let mut sorted: Vec<f64> = values
        .iter()
        .copied()
        .filter(|&value| value > 0.0)
        .collect();
    sorted.sort_by(f64::total_cmp);
    let Some(&most) = sorted.last() else {
        return Vec::new();
    };
    let mut breaks: Vec<f64> = (1..n)
        .map(|class| rounded_up(sorted[(class * sorted.len() / n).min(sorted.len() - 1)]))
        .filter(|&at| at < most)
        .collect();
    breaks.dedup();
    breaks
}

fn rounded_up(value: f64) -> f64 {
    let power = value.log10().floor() as i32 - 1;
    let unit = 10f64.powi(power);
    let digits = (value / unit - 1e-9).ceil();
    // Written and read, so that 0.12 is 0.12 and no 0.12000000000000001.
    format!("{digits}e{power}").parse().unwrap_or(value)
}

/// The class of a value: 0 at the first break and below.
pub(super) fn class_of(value: f64, breaks: &[f64]) -> usize {
    breaks.iter().take_while(|&&at| value > at).count()
}

/// Round moments between two, about `wanted` of them, in local time that is `offset` ahead of UTC.
pub(super) fn moments(from: i64, to: i64, wanted: f64, offset_micros: i64) -> Vec<i64> {
    const SECOND: i64 = 1_000_000;
    const STEPS: [i64; 20] = [
        1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 10_800, 21_600, 43_200,
        86_400, 172_800, 604_800,
    ];
    let raw = (to - from) as f64 / wanted.max(1.0);
    let mut step = STEPS
        .iter()
        .map(|seconds| seconds * SECOND)
        .find(|&step| step as f64 >= raw)
        .unwrap_or(604_800 * SECOND);
    while (step as f64) < raw {
        step *= 2;
    }
    let mut at = (from + offset_micros).div_euclid(step) * step - offset_micros;
    let mut out = Vec::new();
    while at <= to {
        if at >= from {
            out.push(at);
        }
        at += step;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_reach_the_most() {
        assert_eq!(ticks(7.0, 4.0, false), [0.0, 2.0, 4.0, 6.0, 8.0]);
        assert_eq!(ticks(8.0, 4.0, false), [0.0, 2.0, 4.0, 6.0, 8.0]);
        let gib = 1024f64.powi(3);
        assert_eq!(ticks(3.0 * gib, 4.0, true).last(), Some(&(3.0 * gib)));
        assert_eq!(ticks(0.0, 4.0, false), [0.0, 1.0]);
    }

    #[test]
    fn the_axis_holds_the_largest_numbers_that_there_are() {
        for bytes in [false, true] {
            let found = ticks(1.7e308, 3.0, bytes);
            assert_eq!((found.len(), found.last()), (3, Some(&f64::MAX)));
        }
    }

    #[test]
    fn classes_part_where_the_page_parts_them() {
        let values: Vec<f64> = (1..=12).map(f64::from).collect();
        assert_eq!(breaks(&values, 6), [3.0, 5.0, 7.0, 9.0, 11.0]);
        assert_eq!(breaks(&[5.0], 6), [] as [f64; 0]);
        assert_eq!(breaks(&[0.1234, 0.9], 2), [] as [f64; 0]);
        assert_eq!(class_of(3.0, &[3.0, 5.0]), 0);
        assert_eq!(class_of(6.0, &[3.0, 5.0]), 2);
    }

    #[test]
    fn moments_are_round_in_local_time() {
        let hour = 3_600_000_000;
        assert_eq!(
            moments(10, 4 * hour, 4.0, 0),
            [hour, 2 * hour, 3 * hour, 4 * hour]
        );
        assert_eq!(moments(0, hour, 1.0, hour / 2), [hour / 2]);
    }
}
