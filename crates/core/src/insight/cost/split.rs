//! A whole divided into parts that sum exactly to it.

use crate::query::Used;
use crate::query::types::{Money, TimeParts};

/// `whole` in the proportions of `weights`, by largest remainders: of equal ones the first gets more. All zero where
/// nothing has weight. Parts of a negative whole are negative.
pub(super) fn split(whole: i64, weights: &[i64]) -> Vec<i64> {
    let sum: i128 = weights
        .iter()
        .map(|&weight| i128::from(weight.max(0)))
        .sum();
    if sum == 0 {
        return vec![0; weights.len()];
    }
    let size = i128::from(whole).abs();
    let exact: Vec<i128> = weights
        .iter()
        .map(|&weight| size * i128::from(weight.max(0)))
        .collect();
    let mut parts: Vec<i128> = exact.iter().map(|exact| exact / sum).collect();
    let left = size - parts.iter().sum::<i128>();
    let mut order: Vec<usize> = (0..parts.len()).collect();
    order.sort_by_key(|&at| (std::cmp::Reverse(exact[at] % sum), at));
    for &at in order.iter().take(left as usize) {
        parts[at] += 1;
    }
    let sign = i128::from(whole.signum());
    parts.into_iter().map(|part| (part * sign) as i64).collect()
}

/// Money in the proportions of `weights`.
pub(super) fn split_money(whole: Money, weights: &[i64]) -> Vec<Money> {
    let low = split(whole.low_nanos, weights);
    let high = split(whole.high_nanos, weights);
    low.into_iter()
        .zip(high)
        .map(|(low_nanos, high_nanos)| Money {
            low_nanos,
            high_nanos,
        })
        .collect()
}

/// Time of threads by what they did. What runs beside computing (transfers and disk have threads of their own) may claim
/// more time than there was: computing then comes first, and the others share what it leaves. What stalled is part of what
/// they did nothing in.
pub(crate) fn parts(used: &Used) -> TimeParts {
    let thread = used.thread_micros.max(0);
    let compute_micros = used.compute_micros.clamp(0, thread);
    let rest = thread - compute_micros;
    let others =
        [used.transfer_micros, used.disk_micros, used.other_micros].map(|micros| micros.max(0));
    let claimed = others
        .iter()
        .fold(0, |sum: i64, micros| sum.saturating_add(*micros));
    let told = split(claimed.min(rest), &others);
    let nothing = rest - told.iter().sum::<i64>();
    let stalled_micros = used.stalled_micros.clamp(0, nothing);
    TimeParts {
        compute_micros,
        transfer_micros: told[0],
        disk_micros: told[1],
        other_micros: told[2],
        idle_micros: nothing - stalled_micros,
        stalled_micros,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_is_left_goes_to_the_largest_remainders() {
        assert_eq!(split(10, &[1, 1, 1]), [4, 3, 3]);
        assert_eq!(split(1, &[1, 5, 2]), [0, 1, 0]);
        assert_eq!(split(-10, &[1, 1, 1]), [-4, -3, -3]);
        assert_eq!(split(7, &[0, 0]), [0, 0]);
        assert_eq!(split(0, &[3, 4]), [0, 0]);
    }

    #[test]
    fn computing_comes_first_and_the_rest_is_idle() {
        let used = |compute_micros, transfer_micros, disk_micros, thread_micros| Used {
            compute_micros,
            transfer_micros,
            disk_micros,
            thread_micros,
            ..Used::default()
        };
        let told = |parts: TimeParts| {
            [
                parts.compute_micros,
                parts.transfer_micros,
                parts.disk_micros,
                parts.idle_micros,
            ]
        };
        assert_eq!(told(parts(&used(50, 20, 10, 100))), [50, 20, 10, 20]);
        // Twice as much claimed as is left.
        assert_eq!(told(parts(&used(70, 40, 20, 100))), [70, 20, 10, 0]);
        assert_eq!(told(parts(&used(170, 40, 20, 100))), [100, 0, 0, 0]);
        // What stalled did nothing, and was not idle.
        let stalled = |stalled_micros| {
            let parts = parts(&Used {
                stalled_micros,
                ..used(50, 20, 10, 100)
            });
            [parts.idle_micros, parts.stalled_micros]
        };
        assert_eq!([stalled(5), stalled(70)], [[15, 5], [0, 20]]);
    }

    proptest! {
        #[test]
        fn parts_sum_exactly(
            whole in -(1_i64 << 61)..1 << 61,
            weights in prop::collection::vec(0..1_i64 << 61, 1..40),
        ) {
            prop_assume!(weights.iter().any(|weight| *weight > 0));
            let parts = split(whole, &weights);
            prop_assert_eq!(parts.iter().map(|part| i128::from(*part)).sum::<i128>(), i128::from(whole));
            for (part, weight) in parts.iter().zip(&weights) {
                prop_assert!(*weight > 0 || *part == 0);
            }
        }

        #[test]
        fn time_sums_exactly(used in prop::collection::vec(0..1_i64 << 61, 6)) {
            let used = Used {
                compute_micros: used[0],
                transfer_micros: used[1],
                disk_micros: used[2],
                other_micros: used[3],
                thread_micros: used[4],
                stalled_micros: used[5],
                ..Used::default()
            };
            let told = parts(&used);
            prop_assert_eq!(
                told.compute_micros + told.transfer_micros + told.disk_micros + told.other_micros + told.idle_micros
                    + told.stalled_micros,
                used.thread_micros
            );
            prop_assert!(told.idle_micros >= 0 && told.stalled_micros >= 0 && told.other_micros >= 0);
        }
    }
}
