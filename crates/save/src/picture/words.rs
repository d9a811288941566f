//! Figures in words, as the page writes them.

use bobbin_core::model::Micros;
use chrono::{DateTime, Datelike, Timelike};
use chrono_tz::Tz;

/// `1,234`.
pub(super) fn count(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Three significant digits: `0.42`, `9.41`, `12.4`, `1,234`.
pub(super) fn three(n: f64) -> String {
    match n.abs() {
        0.0 => "0".into(),
        size if size < 10.0 => format!("{n:.2}"),
        size if size < 100.0 => format!("{n:.1}"),
        _ if n < 0.0 => format!("−{}", count(n.abs().round() as u64)),
        _ => count(n.round() as u64),
    }
}

/// A round figure without digits that say nothing: `32.0 GiB` is `32 GiB`.
pub(super) fn round(words: String) -> String {
    let (figure, unit) = match words.split_once(' ') {
        Some((figure, unit)) => (figure, Some(unit)),
        None => (&*words, None),
    };
    let figure = match figure.contains('.') {
        true => figure.trim_end_matches('0').trim_end_matches('.'),
        false => figure,
    };
    match unit {
        Some(unit) => format!("{figure} {unit}"),
        None => figure.to_owned(),
    }
}

/// `1.50 GiB`.
pub(super) fn bytes(n: f64) -> String {
    const UNITS: [&str; 6] = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
    let mut size = n;
    let mut unit = 0;
    while size.abs() >= 1023.5 && unit + 1 < UNITS.len() {
        size /= 1024.0;
        unit += 1;
    }
    match unit {
        0 => format!("{} B", count(n.max(0.0) as u64)),
        unit => format!("{} {}", three(size), UNITS[unit]),
    }
}

/// `12.4 core-h`: one thread for one hour is one core-hour.
pub(super) fn core_time(seconds: f64) -> String {
    if seconds == 0.0 || seconds >= 3600.0 {
        format!("{} core-h", three(seconds / 3600.0))
    } else if seconds >= 60.0 {
        format!("{} core-min", three(seconds / 60.0))
    } else {
        format!("{} core-s", three(seconds))
    }
}

/// `38 %`.
pub(super) fn share(part: f64) -> String {
    match part {
        part if part > 0.0 && part < 0.01 => "< 1 %".into(),
        part if part > 0.99 && part < 1.0 => "> 99 %".into(),
        part => format!("{} %", (part * 100.0).round()),
    }
}

/// `1 task`, `2 tasks`.
pub(super) fn plural(n: u64, one: &str) -> String {
    match n {
        1 => format!("1 {one}"),
        n => format!("{} {one}s", count(n)),
    }
}

/// A moment in a zone.
pub(super) fn at(micros: i64, zone: Tz) -> DateTime<Tz> {
    DateTime::from_timestamp_micros(micros)
        .unwrap_or_default()
        .with_timezone(&zone)
}

/// `21 Nov 2026, 22:40:07`.
pub(super) fn moment(micros: Micros, zone: Tz) -> String {
    let at = at(micros.0, zone);
    format!("{} {}", at.day(), at.format("%b %Y, %H:%M:%S"))
}

/// From one moment to another, on the same day with the day once; whole days by their first and
/// last: `24 Oct – 22 Nov 2026`.
pub(super) fn span(from: Micros, to: Micros, zone: Tz) -> String {
    let (first, end) = (at(from.0, zone), at(to.0, zone));
    let last = at(to.0 - 1, zone);
    let is_midnight = |at: &DateTime<Tz>| at.num_seconds_from_midnight() == 0;
    if !(is_midnight(&first) && is_midnight(&end) && first < end) {
        let to = match first.date_naive() == end.date_naive() {
            true => end.format("%H:%M:%S").to_string(),
            false => moment(to, zone),
        };
        return format!("{} to {to}", moment(from, zone));
    }
    let day = |at: &DateTime<Tz>, form: &str| format!("{} {}", at.day(), at.format(form));
    let to = day(&last, "%b %Y");
    match (
        first.date_naive() == last.date_naive(),
        first.year() == last.year(),
    ) {
        (true, _) => to,
        (false, true) => format!("{} – {to}", day(&first, "%b")),
        (false, false) => format!("{} – {to}", day(&first, "%b %Y")),
    }
}

/// `22:40`, with seconds where there are some, with the day where one begins.
pub(super) fn short(micros: i64, zone: Tz) -> String {
    let at = at(micros, zone);
    if at.num_seconds_from_midnight() == 0 {
        format!("{} {}", at.day(), at.format("%b"))
    } else if at.second() == 0 {
        at.format("%H:%M").to_string()
    } else {
        at.format("%H:%M:%S").to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_those_of_the_page() {
        assert_eq!(count(1_234_567), "1,234,567");
        assert_eq!(
            [0.0, 0.42, 12.44, 1234.2].map(three),
            ["0", "0.42", "12.4", "1,234"]
        );
        assert_eq!(
            [512.0, 1.5 * 1024.0 * 1024.0 * 1024.0].map(bytes),
            ["512 B", "1.50 GiB"]
        );
        assert_eq!(
            ["32.0 GiB", "2.50 GiB", "40.0", "50 %", "100"].map(|words| round(words.into())),
            ["32 GiB", "2.5 GiB", "40", "50 %", "100"]
        );
        assert_eq!(core_time(90.0), "1.50 core-min");
        assert_eq!(share(0.004), "< 1 %");
        let day = 86_400_000_000;
        let days = |from: i64, to: i64| span(Micros(from * day), Micros(to * day), Tz::UTC);
        assert_eq!(days(0, 31), "1 Jan – 31 Jan 1970");
        assert_eq!(days(3, 4), "4 Jan 1970");
        assert_eq!(days(-1, 1), "31 Dec 1969 – 1 Jan 1970");
        assert_eq!(
            span(Micros(0), Micros(day), Tz::Europe__Berlin),
            "1 Jan 1970, 01:00:00 to 2 Jan 1970, 01:00:00"
        );
        assert_eq!(
            span(Micros(0), Micros(day / 2), Tz::UTC),
            "1 Jan 1970, 00:00:00 to 12:00:00"
        );
        assert_eq!(
            moment(Micros(0), Tz::Europe__Berlin),
            "1 Jan 1970, 01:00:00"
        );
    }
}
