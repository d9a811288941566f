//! Answers on stdout: one JSON document, or text for people.

use std::io::{self, Write};

use bobbin_core::model::Micros;
use chrono::{DateTime, Local};
use serde::Serialize;

use crate::failure::Failure;

/// Prints `answer` as the one JSON document of this run.
pub fn json(answer: &impl Serialize) -> Result<(), Failure> {
    let mut text = serde_json::to_string_pretty(answer)
        .map_err(|e| Failure::failed(format!("the answer as JSON: {e}")))?;
    text.push('\n');
    write(&text)
}

/// Prints text as it is. A reader that has gone away (`| head`) is not a failure.
pub fn write(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(e) if e.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::failed(format!("writing to stdout: {e}")))
        }
        _ => Ok(()),
    }
}

/// Says something on stderr.
pub fn talk(text: &str) {
    // Nobody is left to tell when stderr is gone.
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Shortens to `width` characters.
pub fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    let mut short: String = text.chars().take(width.saturating_sub(1)).collect();
    short.push('…');
    short
}

/// Shortens to the last `width` characters.
pub fn cut_front(text: &str, width: usize) -> String {
    let length = text.chars().count();
    if length <= width {
        return text.to_owned();
    }
    let end: String = text.chars().skip(length + 1 - width).collect();
    format!("…{end}")
}

/// The IANA name of the reader's time zone; empty where nobody knows it.
pub fn time_zone() -> String {
    // `TZ` may hold a file or rules of its own instead of a name.
    let is_name = |text: &String| {
        !text.is_empty()
            && !text.starts_with([':', '/'])
            && (text.contains('/') || text.chars().all(char::is_alphanumeric))
    };
    let said = std::env::var("TZ").ok().filter(is_name);
    said.or_else(|| iana_time_zone::get_timezone().ok())
        .unwrap_or_default()
}

/// Local date and time to the second.
pub fn moment(at: Micros) -> String {
    match DateTime::from_timestamp_micros(at.0) {
        Some(utc) => utc
            .with_timezone(&Local)
            .format("%Y-%m-%d %H:%M:%S")
            .to_string(),
        None => format!("{} µs", at.0),
    }
}

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

/// Or a dash where there is nothing to show.
pub fn or_dash<T>(value: Option<T>, show: impl FnOnce(T) -> String) -> String {
    value.map_or_else(|| "–".into(), show)
}

/// Columns as wide as their widest cell; `right` says which are numbers.
pub fn table(head: &[&str], right: &[bool], rows: &[Vec<String>]) -> String {
    let mut widths: Vec<usize> = head.iter().map(|h| h.chars().count()).collect();
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let mut text = String::new();
    let heads: Vec<String> = head.iter().map(|h| (*h).to_owned()).collect();
    for row in std::iter::once(&heads).chain(rows) {
        let mut line = String::new();
        for ((cell, width), right) in row.iter().zip(&widths).zip(right) {
            let pad = " ".repeat(width - cell.chars().count());
            if *right {
                line.push_str(&pad);
                line.push_str(cell);
            } else {
                line.push_str(cell);
                line.push_str(&pad);
            }
            line.push_str("  ");
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
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
        assert_eq!(
            (cut("abcdef", 4), cut_front("abcdef", 4)),
            ("abc…".into(), "…def".into())
        );
    }

    #[test]
    fn numbers_stand_at_the_right() {
        let text = table(
            &["name", "n"],
            &[false, true],
            &[
                vec!["a".into(), "10".into()],
                vec!["bcdef".into(), "9".into()],
            ],
        );
        assert_eq!(text, "name    n\na      10\nbcdef   9\n");
    }
}
