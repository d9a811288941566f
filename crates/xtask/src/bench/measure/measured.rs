//! What a measuring script prints: one line of JSON for each metric and kind, with one value a repeat.

use std::process::{Command, Stdio};

use serde_json::Value;

use super::figure::Figure;
use crate::{
    ending::Held,
    process::{Failure, Result, shown},
};

/// One metric of one kind of what is measured, with one value a repeat; none where it could not do it.
pub struct Measured {
    pub metric: String,
    pub unit: String,
    pub variant: String,
    pub values: Vec<f64>,
}

/// Runs a script to its end and reads what it prints.
///
/// # Errors
/// It fails, or prints something else.
pub fn run(command: &mut Command) -> Result<Vec<Measured>> {
    eprintln!("  $ {}", shown(command));
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit());
    let (child, held) = Held::child(command)?;
    let output = child.wait_with_output()?;
    drop(held);
    if !output.status.success() {
        return Err(Failure::new(format!("it ended with {}", output.status)));
    }
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines()
        .map(|line| {
            read(line).ok_or_else(|| Failure::new(format!("this is no measurement: {line}")))
        })
        .collect()
}

fn read(line: &str) -> Option<Measured> {
    let value: Value = serde_json::from_str(line).ok()?;
    let text = |name: &str| Some(value[name].as_str()?.to_owned());
    Some(Measured {
        metric: text("metric")?,
        unit: text("unit")?,
        variant: text("variant")?,
        values: value["values"]
            .as_array()?
            .iter()
            .map(Value::as_f64)
            .collect::<Option<_>>()?,
    })
}

/// A figure for each kind and each of its peers; alone where it has none.
pub fn side_by_side(bench: &'static str, peers: &[&str], measured: &[Measured]) -> Vec<Figure> {
    let mut figures = Vec::new();
    for one in measured {
        if peers.contains(&one.variant.as_str()) && !one.unit.contains('%') {
            continue;
        }
        let beside: Vec<&Measured> = peers
            .iter()
            .filter_map(|peer| {
                measured
                    .iter()
                    .find(|other| other.metric == one.metric && other.variant == *peer)
            })
            .filter(|other| !other.values.is_empty() && !one.unit.contains('%'))
            .collect();
        let figure = |peer| Figure {
            bench,
            metric: match one.variant.as_str() {
                "bobbin" => one.metric.clone(),
                other => format!("{} ({other})", one.metric),
            },
            unit: one.unit.clone(),
            values: one.values.clone(),
            peer,
        };
        if beside.is_empty() {
            figures.push(figure(None));
        }
        for peer in beside {
            figures.push(figure(Some((peer.variant.clone(), peer.values.clone()))));
        }
    }
    figures
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(metric: &str, variant: &str, unit: &str, value: f64) -> Measured {
        Measured {
            metric: metric.into(),
            unit: unit.into(),
            variant: variant.into(),
            values: vec![value],
        }
    }

    #[test]
    fn bobbin_stands_beside_each_peer_and_alone_where_there_is_none() {
        let figures = side_by_side(
            "plugin",
            &["none", "empty"],
            &[
                measured("tasks_per_s", "none", "1/s", 1000.0),
                measured("tasks_per_s", "empty", "1/s", 990.0),
                measured("tasks_per_s", "bobbin", "1/s", 985.0),
                measured("throughput_loss_to_none", "empty", "%", 1.0),
                measured("beat_longest", "bobbin", "ms", 4.0),
            ],
        );
        let said: Vec<_> = figures
            .iter()
            .map(|figure| {
                let peer = figure.peer.as_ref().map(|(name, _)| name.as_str());
                (figure.metric.as_str(), figure.values[0], peer)
            })
            .collect();
        assert_eq!(
            said,
            [
                ("tasks_per_s", 985.0, Some("none")),
                ("tasks_per_s", 985.0, Some("empty")),
                ("throughput_loss_to_none (empty)", 1.0, None),
                ("beat_longest", 4.0, None),
            ]
        );
    }

    #[test]
    fn a_line_that_is_no_measurement_is_not_passed_over() {
        assert!(read(r#"{"metric":"m","unit":"ms","variant":"bobbin","values":[1.5]}"#).is_some());
        assert!(read("Traceback (most recent call last):").is_none());
        assert!(read(r#"{"metric":"m","unit":"ms","variant":"bobbin","values":[null]}"#).is_none());
    }
}
