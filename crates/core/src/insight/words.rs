//! Numbers as words.

/// A duration with its two largest units, such as `3 h 5 min`. Less than nothing is nothing.
pub(crate) fn duration(micros: i64) -> String {
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

/// `3 s ago`. Parts of a second say nothing, and clocks differ.
pub(crate) fn ago(micros: i64) -> String {
    if micros < 1_000_000 {
        return "just now".into();
    }
    format!("{} ago", duration(micros))
}

/// `62 %`; below one percent with a digit more.
pub(crate) fn share(part: f64) -> String {
    let percent = part * 100.0;
    if percent > 0.0 && percent < 1.0 {
        return format!("{percent:.1} %");
    }
    format!("{percent:.0} %")
}

/// `7.5 times`, and whole from ten on.
pub(crate) fn times(ratio: f64) -> String {
    if ratio < 10.0 {
        return format!("{ratio:.1} times");
    }
    format!("{ratio:.0} times")
}

/// `1 task`, `5,000 tasks`.
pub(crate) fn count(n: u64, one: &str, many: &str) -> String {
    format!("{} {}", grouped(n), if n == 1 { one } else { many })
}

/// `5,000`.
pub(crate) fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut grouped = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// `1.5 GiB`: three digits, in steps of 1,024.
pub(crate) fn bytes(n: u64) -> String {
    let mut value = n as f64;
    let mut unit = "B";
    for next in ["KiB", "MiB", "GiB", "TiB", "PiB"] {
        if value < 1024.0 {
            break;
        }
        value /= 1024.0;
        unit = next;
    }
    match unit {
        "B" => format!("{n} B"),
        _ if value < 10.0 => format!("{value:.2} {unit}"),
        _ if value < 100.0 => format!("{value:.1} {unit}"),
        _ => format!("{} {unit}", grouped(value.round() as u64)),
    }
}

#[cfg(test)]
mod tests {
    use super::{bytes, count, duration, share, times};

    #[test]
    fn figures_have_three_digits_and_a_unit() {
        assert_eq!(
            [share(0.0), share(0.004), share(0.625)],
            ["0 %", "0.4 %", "62 %"]
        );
        assert_eq!([times(7.54), times(12.4)], ["7.5 times", "12 times"]);
        assert_eq!(
            [1, 999, 5_000, 1_234_567].map(|n| count(n, "task", "tasks")),
            ["1 task", "999 tasks", "5,000 tasks", "1,234,567 tasks"]
        );
        assert_eq!(
            [512, 1_536, 20 << 30, 1_000 << 30].map(bytes),
            ["512 B", "1.50 KiB", "20.0 GiB", "1,000 GiB"]
        );
    }

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
