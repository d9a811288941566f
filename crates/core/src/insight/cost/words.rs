//! Money and amounts as words.

use chrono::DateTime;

use crate::model::Micros;
use crate::query::types::Money;

/// `0.42–0.61 €`; two digits that mean something, however small.
pub fn money_words(money: Money, currency: &str) -> String {
    let (low, high) = (money.low_nanos as f64 / 1e9, money.high_nanos as f64 / 1e9);
    let digits = digits(high);
    let (one, two) = (format!("{low:.digits$}"), format!("{high:.digits$}"));
    let currency = sign(currency);
    match one == two {
        true => format!("{two} {currency}"),
        false => format!("{one}–{two} {currency}"),
    }
}

/// As the page writes it.
fn sign(currency: &str) -> &str {
    match currency {
        "EUR" => "€",
        "USD" => "$",
        "GBP" => "£",
        other => other,
    }
}

/// Digits after the point, so that the larger end has two that mean something.
fn digits(high: f64) -> usize {
    match high.abs() {
        0.0 => 0,
        size if size >= 1_000.0 => 0,
        size if size >= 0.1 => 2,
        size => ((-size.log10()).floor() as usize + 2).min(9),
    }
}

/// Up to four digits that mean something: `32`, `0.0125`, `1.234`.
pub(crate) fn number(value: f64) -> String {
    let whole = if value == 0.0 {
        0
    } else {
        value.abs().log10().floor() as i32
    };
    let digits = (3 - whole).clamp(0, 9) as usize;
    let text = format!("{value:.digits$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').into(),
        false => text,
    }
}

/// The day of a moment in UTC: `2026-03-01`.
pub(crate) fn day(at: Micros) -> String {
    DateTime::from_timestamp_micros(at.0)
        .map(|at| at.date_naive().to_string())
        .unwrap_or_default()
}

/// Time of threads in what suits, as the page writes it: `12.4 core-h`.
pub(crate) fn core_time(micros: i64) -> String {
    let seconds = micros as f64 / 1e6;
    let (value, unit) = match seconds {
        0.0 => (0.0, "core-h"),
        s if s >= 3_600.0 => (s / 3_600.0, "core-h"),
        s if s >= 60.0 => (s / 60.0, "core-min"),
        s => (s, "core-s"),
    };
    let digits = match value {
        0.0 => 0,
        v if v < 10.0 => 2,
        v if v < 100.0 => 1,
        _ => 0,
    };
    format!("{value:.digits$} {unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn money_has_two_digits_that_mean_something() {
        for (low_nanos, high_nanos, words) in [
            (0, 0, "0 €"),
            (420_000_000, 610_000_000, "0.42–0.61 €"),
            (12_000, 48_000, "0.000012–0.000048 €"),
            (1_200_000_000_000, 1_800_000_000_000, "1200–1800 €"),
            (5_000_000_000, 5_000_000_000, "5.00 €"),
        ] {
            let money = Money {
                low_nanos,
                high_nanos,
            };
            assert_eq!(money_words(money, "EUR"), words);
        }
    }

    #[test]
    fn amounts_are_short() {
        assert_eq!(
            [0.0, 32.0, 0.0125, 1.23456, 12345.6].map(number),
            ["0", "32", "0.0125", "1.235", "12346"]
        );
        assert_eq!(day(Micros(1_772_323_200_000_000)), "2026-03-01");
        assert_eq!(
            [0, 12_400_000, 90_000_000, 44_640_000_000].map(core_time),
            ["0 core-h", "12.4 core-s", "1.50 core-min", "12.4 core-h"]
        );
    }
}
