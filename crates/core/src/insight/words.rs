//! Numbers as words.

/// A duration with its two largest units, such as `3 h 5 min`. Less than nothing is nothing.
pub(super) fn duration(micros: i64) -> String {
    let seconds = micros.max(0) / 1_000_000;
    let two = |large: i64, name: &str, small: i64, rest: &str| match small {
        0 => format!("{large} {name}"),
        _ => format!("{large} {name} {small} {rest}"),
    };
    match seconds {
        0 if micros >= 1_000 => format!("{} ms", micros / 1_000),
        0..60 => format!("{seconds} s"),
        60..3_600 => two(seconds / 60, "min", seconds % 60, "s"),
        3_600..86_400 => two(seconds / 3_600, "h", seconds % 3_600 / 60, "min"),
        _ => two(seconds / 86_400, "d", seconds % 86_400 / 3_600, "h"),
    }
}

#[cfg(test)]
mod tests {
    use super::duration;

    #[test]
    fn a_duration_is_said_with_its_two_largest_units() {
        for (micros, words) in [
            (-5, "0 s"),
            (200_000, "200 ms"),
            (59_000_000, "59 s"),
            (61_000_000, "1 min 1 s"),
            (7_200_000_000, "2 h"),
            (90_000_000_000, "1 d 1 h"),
        ] {
            assert_eq!(duration(micros), words);
        }
    }
}
