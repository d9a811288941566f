//! Differences as words.

/// A duration with three digits: `4.10 s`, `840 ms`, `5 min 03 s`.
pub(crate) fn exact(micros: i64) -> String {
    let size = micros.unsigned_abs();
    let sign = if micros < 0 { "−" } else { "" };
    let value = size as f64;
    let text = match size {
        0 => "0 s".into(),
        1..1_000 => format!("{size} µs"),
        1_000..10_000 => format!("{:.2} ms", value / 1e3),
        10_000..100_000 => format!("{:.1} ms", value / 1e3),
        100_000..999_500 => format!("{:.0} ms", value / 1e3),
        999_500..9_995_000 => format!("{:.2} s", value / 1e6),
        9_995_000..59_950_000 => format!("{:.1} s", value / 1e6),
        _ => {
            let seconds = (size + 500_000) / 1_000_000;
            match seconds {
                0..3_600 => format!("{} min {:02} s", seconds / 60, seconds % 60),
                _ => format!("{} h {} min", seconds / 3_600, seconds % 3_600 / 60),
            }
        }
    };
    format!("{sign}{text}")
}

/// `4.1 s ± 0.2 s`: seconds beside seconds, with as many digits as the noise leaves.
pub(crate) fn around(micros: i64, half: i64) -> String {
    if !(999_500..59_950_000).contains(&micros) || half >= 59_950_000 {
        return format!("{} ± {}", exact(micros), exact(half));
    }
    let digits = if half >= 100_000 { 1 } else { 2 };
    let (middle, half) = (micros as f64 / 1e6, half as f64 / 1e6);
    format!("{middle:.digits$} s ± {half:.digits$} s")
}

/// `3 times the tasks`, `40 % of the tasks`, `120 tasks instead of none`.
pub(crate) fn ratio(one: u64, other: u64, what: &str) -> String {
    if other == 0 {
        return format!("{one} {what} instead of none");
    }
    if one == 0 {
        return format!("no {what} instead of {other}");
    }
    let times = one as f64 / other as f64;
    if times < 1.0 {
        return format!("{:.0} % of the {what}", (times * 100.0).max(1.0));
    }
    let tenths = (times * 10.0).round();
    if times >= 10.0 || tenths % 10.0 == 0.0 {
        return format!("{:.0} times the {what}", times);
    }
    format!("{:.1} times the {what}", times)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_three_digits() {
        for (micros, words) in [
            (0, "0 s"),
            (512, "512 µs"),
            (4_125, "4.12 ms"),
            (840_000, "840 ms"),
            (999_600, "1.00 s"),
            (-4_100_000, "−4.10 s"),
            (59_960_000, "1 min 00 s"),
            (3_725_000_000, "1 h 2 min"),
        ] {
            assert_eq!(exact(micros), words);
        }
    }

    #[test]
    fn noise_is_told_in_the_unit_of_what_it_surrounds() {
        assert_eq!(around(4_120_000, 176_000), "4.1 s ± 0.2 s");
        assert_eq!(around(4_120_000, 61_000), "4.12 s ± 0.06 s");
        assert_eq!(around(412_000, 6_100), "412 ms ± 6.10 ms");
        assert_eq!(around(300_000_000, 6_000_000), "5 min 00 s ± 6.00 s");
    }

    #[test]
    fn sizes_are_told_as_times_or_as_a_share() {
        assert_eq!(ratio(300, 100, "tasks"), "3 times the tasks");
        assert_eq!(ratio(170, 100, "tasks"), "1.7 times the tasks");
        assert_eq!(ratio(40, 100, "tasks"), "40 % of the tasks");
        assert_eq!(ratio(120, 0, "tasks"), "120 tasks instead of none");
        assert_eq!(ratio(0, 8, "workers"), "no workers instead of 8");
    }
}
