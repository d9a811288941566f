//! What the plugin costs its scheduler: against no plugin, and against one that does nothing.
//!
//! The measuring is done in Python, in the clusters themselves; this starts the receiver that they report to, and lays the
//! figures side by side.

use std::{path::Path, process::Command};

use serde_json::Value;

use super::{
    figure::{Figure, ends, median, number},
    folder::Folder,
    interval,
    measured::{self, Measured},
    server::Server,
    size::Size,
    written,
};
use crate::{
    files::root,
    process::{Failure, Result, ask},
    setup::environment_python,
};

/// Each prints one [`Measured`] a line.
const SCRIPTS: [&str; 3] = ["bench_hook.py", "bench_build.py", "bench_throughput.py"];

/// Those that Bobbin is laid beside.
const PEERS: [&str; 3] = ["none", "no override", "empty"];

/// The kinds of scheduler, as the columns of the written table.
const COLUMNS: [(&str, &str); 4] = [
    ("none", "no plugin"),
    ("empty", "empty plugin"),
    ("bobbin", "Bobbin"),
    ("bobbin, profiles", "Bobbin with profiles"),
];

/// The metrics of that table, as its rows.
const ROWS: [(&str, &str); 10] = [
    ("tasks_per_s", "tasks per second"),
    ("throughput_loss_to_none", "… lost, %"),
    ("scheduler_cpu_a_task", "scheduler CPU per task, µs"),
    ("scheduler_cpu_over_none", "… added, %"),
    ("loop_lag_p99", "event loop lag, p99, ms"),
    ("loop_lag_p99_over_none", "… added, %"),
    ("transition_hook", "transition hook, CPU, ns"),
    (
        "worker_look",
        "a worker reading a stack of 20 functions, CPU, µs",
    ),
    (
        "beat_1000_groups_longest",
        "longest hold of the loop, 1,000 groups changed, ms",
    ),
    (
        "beat_deep_profiles_longest",
        "longest hold of the loop, deep profiles, ms",
    ),
];

/// What Bobbin promises: the metric, and what its median may be at most, in percent.
const PROMISES: [(&str, f64); 2] = [
    ("throughput_loss_to_none", 1.0),
    ("loop_lag_p99_over_none", 5.0),
];

/// Measures everything; with `write_down`, writes the table down, too.
///
/// # Errors
/// The receiver or a cluster does not start, what was measured did not report to the receiver, or a promise is broken.
pub fn measure(bobbin: &Path, size: Size, write_down: bool) -> Result<Vec<Figure>> {
    let python = environment_python("newest");
    if !python.exists() {
        return Err(
            Failure::new("the Python environment of the tests is missing")
                .hint("cargo xtask setup makes it"),
        );
    }
    let folder = Folder::make("plugin")?;
    let data_dir = folder.0.join("data");
    let server = Server::start(bobbin, data_dir.clone())?;
    let mut all = Vec::new();
    for script in SCRIPTS {
        let mut command = Command::new(&python);
        command
            .args(["-W", "ignore"])
            .arg(root().join("tests/plugin").join(script));
        // Both benches of whole clusters report to the receiver; the replay of a hook does not.
        if script != "bench_hook.py" {
            command.args(server.settings()?);
        }
        command.args(size.option()).env("TMPDIR", &folder.0);
        all.extend(measured::run(&mut command)?);
    }
    reported(bobbin, &data_dir)?;
    if write_down {
        written::write("plugin", &table(&all))?;
    }
    kept(&all)?;
    Ok(measured::side_by_side("plugin", &PEERS, &all))
}

/// A promise is broken where the median is beyond it, and Bobbin certainly costs something: an interval with zero in it is noise.
fn kept(all: &[Measured]) -> Result {
    for (metric, most) in PROMISES {
        let found = all
            .iter()
            .filter(|one| one.metric == metric && one.variant == "bobbin")
            .find_map(|one| {
                let (least, _) = interval::of_median(&one.values)?;
                Some((median(&one.values), least))
            });
        if let Some((middle, least)) = found
            && middle > most
            && least > 0.0
        {
            return Err(Failure::new(format!(
                "{metric} is {middle:.2} %, and certainly not zero; {most} % at most was promised"
            )));
        }
    }
    Ok(())
}

/// A scheduler whose reports went nowhere would look cheap.
fn reported(bobbin: &Path, data_dir: &Path) -> Result {
    let listed = ask(Command::new(bobbin)
        .args(["clusters", "--json", "--data-dir"])
        .arg(data_dir));
    let listed: Value = listed
        .and_then(|text| serde_json::from_str(&text).ok())
        .unwrap_or_default();
    let rows = listed["rows"].as_array().map_or(&[][..], Vec::as_slice);
    let silent = rows
        .iter()
        .filter(|row| row["tasks_completed"].as_u64().unwrap_or(0) == 0);
    match (rows.len(), silent.count()) {
        (0, _) => Err(Failure::new("no cluster reported to the receiver")),
        (_, 0) => Ok(()),
        (all, silent) => Err(Failure::new(format!(
            "{silent} of {all} clusters did not report their tasks to the receiver"
        ))),
    }
}

/// Medians with their quartiles; what is compared by rounds has the interval of its median, too.
fn table(measured: &[Measured]) -> String {
    let heads: Vec<_> = COLUMNS.iter().map(|(_, head)| *head).collect();
    let mut table = format!("| | {} |\n|---|--:|--:|--:|--:|\n", heads.join(" | "));
    for (metric, label) in ROWS {
        let cells = COLUMNS.map(|(variant, _)| {
            measured
                .iter()
                .find(|one| one.metric == metric && one.variant == variant)
                .map_or_else(String::new, |one| {
                    let middle = number(median(&one.values));
                    let within = match interval::of_median(&one.values) {
                        Some(within) if one.unit == "%" => format!(" [{}]", ends(Some(within))),
                        _ => String::new(),
                    };
                    format!(
                        "{middle}{within} ({})",
                        ends(interval::quartiles(&one.values))
                    )
                })
        });
        table.push_str(&format!("| {label} | {} |\n", cells.join(" | ")));
    }
    table
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
    fn a_promise_is_broken_where_the_median_is_beyond_it_and_zero_is_not_in_the_interval() {
        let many = |least: f64, most: f64| {
            let values = (0..20)
                .map(|place| least + (most - least) * f64::from(place) / 19.0)
                .collect();
            let one = measured("throughput_loss_to_none", "bobbin", "%", least);
            [Measured { values, ..one }]
        };
        assert!(kept(&many(0.0, 1.9)).is_ok());
        assert!(kept(&many(-3.0, -1.0)).is_ok());
        assert!(kept(&many(-20.0, 30.0)).is_ok());
        assert!(kept(&many(0.2, 2.4)).is_err());
        assert!(kept(&[]).is_ok());
    }

    #[test]
    fn a_row_of_the_table_has_a_cell_for_each_kind() {
        let table = table(&[
            measured("tasks_per_s", "none", "1/s", 1000.0),
            measured("tasks_per_s", "bobbin", "1/s", 990.0),
        ]);
        assert!(
            table.contains("| tasks per second | 1000 (1000 – 1000) |  | 990 (990 – 990) |  |")
        );
    }
}
