//! Numbers as a person says them, in the shell and in what is pasted from there.

/// `300 µs`, `840 ms`, `12.3 s`, `4 min 05 s`, `3 h 20 min`.
pub fn seconds(seconds: f64) -> String {
    if !seconds.is_finite() || seconds < 0.0 {
        return "–".into();
    }
    if seconds > 0.0 && seconds < 1e-3 {
        return format!("{:.0} µs", seconds * 1e6);
    }
    if seconds < 1.0 {
        return format!("{:.0} ms", seconds * 1e3);
    }
    if seconds < 60.0 {
        return format!("{seconds:.1} s");
    }
    let whole = seconds.round() as u64;
    if whole < 3_600 {
        format!("{} min {:02} s", whole / 60, whole % 60)
    } else {
        format!("{} h {:02} min", whole / 3_600, whole % 3_600 / 60)
    }
}

/// Binary units, one decimal: `1.5 GiB`.
pub fn bytes(bytes: u64) -> String {
    let units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
    let mut value = bytes as f64;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < units.len() {
        value /= 1024.0;
        unit += 1;
    }
    if unit == 0 {
        format!("{bytes} B")
    } else {
        format!("{value:.1} {}", units[unit])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_as_a_person_says_them() {
        assert_eq!(
            (seconds(3e-4).as_str(), seconds(0.0).as_str()),
            ("300 µs", "0 ms")
        );
        assert_eq!(seconds(0.84), "840 ms");
        assert_eq!(seconds(245.0), "4 min 05 s");
        assert_eq!(seconds(12_000.0), "3 h 20 min");
        assert_eq!(bytes(1_610_612_736), "1.5 GiB");
        assert_eq!(bytes(12), "12 B");
    }
}
