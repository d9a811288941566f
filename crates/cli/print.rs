//! Answers on stdout: one JSON document, or text for people.

use std::io::{self, Write};

use bobbin_core::model::Micros;
pub use bobbin_core::model::words::{bytes, seconds};
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
    fn what_is_too_long_is_cut_where_it_matters_least() {
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
