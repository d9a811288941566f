//! One measured number beside its peer's.

use serde_json::json;

use super::interval;

/// Medians over interleaved repeats.
pub struct Figure {
    pub bench: &'static str,
    pub metric: String,
    pub unit: String,
    /// Bobbin's, one a repeat.
    pub values: Vec<f64>,
    /// What it is measured against, with one value a repeat; absent where only a limit applies.
    pub peer: Option<(String, Vec<f64>)>,
}

/// The middle value; of an even number, the lower of the two in the middle.
pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
        .get(sorted.len().saturating_sub(1) / 2)
        .copied()
        .unwrap_or(f64::NAN)
}

/// What one of twenty took longer than.
pub fn p95(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let place = (sorted.len() * 19).div_ceil(20).saturating_sub(1);
    sorted.get(place).copied().unwrap_or(f64::NAN)
}

/// The least and the most.
pub fn spread(values: &[f64]) -> String {
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    format!("{} – {}", number(least), number(most))
}

/// The two ends of an interval; nothing where there is none.
pub fn ends(interval: Option<(f64, f64)>) -> String {
    interval.map_or_else(String::new, |(low, high)| {
        format!("{} – {}", number(low), number(high))
    })
}

/// As many places as a reader can use.
pub fn number(value: f64) -> String {
    if value.abs() >= 100.0 {
        return format!("{value:.0}");
    }
    let text = format!("{value:.2}");
    // What rounds to nothing has no sign.
    if text == "-0.00" { "0.00".into() } else { text }
}

/// Four significant places are more than a busy machine repeats.
fn rounded(value: f64) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return value;
    }
    let places = 10f64.powf(3.0 - value.abs().log10().floor());
    (value * places).round() / places
}

/// Prints a table, or with `json` one line a figure and nothing else.
pub fn print(figures: &[Figure], json: bool, dev: bool) {
    let width = figures
        .iter()
        .map(|figure| figure.metric.len())
        .max()
        .unwrap_or(0);
    if !json {
        if dev {
            println!("unoptimised builds of both: only good to see that it runs");
        }
        println!(
            "{:<width$} {:>10} {:<8} {:>10} {:>7}   {:<24} {:<20} peer",
            "metric", "bobbin", "unit", "peer", "ratio", "spread", "median, 95 % sure"
        );
    }
    for figure in figures {
        let value = median(&figure.values);
        let peer_value = figure.peer.as_ref().map(|(_, values)| median(values));
        let ratio = peer_value.map(|peer_value| value / peer_value);
        let peer = figure.peer.as_ref().map(|(name, _)| name.as_str());
        if json {
            println!(
                "{}",
                json!({
                    "bench": figure.bench, "metric": figure.metric, "value": rounded(value), "unit": figure.unit,
                    "peer": peer, "peer_value": peer_value.map(rounded), "ratio": ratio.map(rounded),
                    "repeats": figure.values.len(),
                    "median_within": interval::of_median(&figure.values).map(|(low, high)| [rounded(low), rounded(high)]),
                })
            );
        } else {
            println!(
                "{:<width$} {:>10} {:<8} {:>10} {:>7}   {:<24} {:<20} {}",
                figure.metric,
                number(value),
                figure.unit,
                peer_value.map(number).unwrap_or_default(),
                ratio.map(number).unwrap_or_default(),
                spread(&figure.values),
                ends(interval::of_median(&figure.values)),
                peer.unwrap_or("")
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{median, number, p95, rounded};

    #[test]
    fn the_median_is_not_moved_by_one_disturbed_repeat() {
        assert_eq!(median(&[10.0, 11.0, 900.0]), 11.0);
        assert_eq!(median(&[4.0, 1.0, 3.0, 2.0]), 2.0);
    }

    #[test]
    fn one_of_twenty_is_late() {
        let values: Vec<f64> = (1..=20).map(f64::from).collect();
        assert_eq!((p95(&values), p95(&[3.0, 1.0])), (19.0, 3.0));
    }

    #[test]
    fn zero_has_no_sign() {
        let written = [-0.004, 0.0, -0.006, -123.4].map(number);
        assert_eq!(written, ["0.00", "0.00", "-0.01", "-123"]);
    }

    #[test]
    fn figures_have_four_significant_places() {
        assert_eq!(rounded(12_345.678), 12_350.0);
        assert_eq!(rounded(0.612_345), 0.612_3);
    }
}
