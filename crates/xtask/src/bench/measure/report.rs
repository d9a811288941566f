//! Bobbin's report of a cluster beside Dask's own of the same run; and how fast files of other programs are taken in.

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
    time::Instant,
};

use serde_json::{Value, json};

use super::{
    figure::Figure,
    folder::Folder,
    measured::{self, Measured},
    server::Server,
    size::Size,
};
use crate::{
    files::root,
    process::{Failure, Result, run_quietly},
    setup::environment_python,
};

/// What Bobbin's report is laid beside.
const PEERS: [&str; 1] = ["performance_report"];

/// Runs one cluster, writes both reports of it, opens them in a browser, and imports what Dask wrote.
///
/// # Errors
/// The cluster does not run or does not report, a report is not drawn, or a file is not taken in.
pub fn measure(bobbin: &Path, size: Size) -> Result<Vec<Figure>> {
    let (tasks, repeats) = match size {
        Size::Full => (20_000, 9),
        Size::Quick => (4_000, 3),
        Size::Smoke => (200, 1),
    };
    let folder = Folder::make("report")?;
    let data_dir = folder.0.join("data");
    let server = Server::start(bobbin, data_dir.clone())?;
    let about = run_cluster(&server, &folder.0, tasks)?;
    let ours = folder.0.join("ours.html");
    run_quietly(
        Command::new(bobbin)
            .args(["report", "1", "--data-dir"])
            .arg(&data_dir)
            .arg("--output")
            .arg(&ours)
            .stdout(Stdio::null()),
    )?;
    let theirs = folder.0.join("report.html");
    let mut open = Command::new("node");
    open.arg(root().join("tests/ui/bench_report.mjs")).arg(
        json!({
            "repeats": repeats, "scripts": about["scripts"], "bobbin": ours, "performance_report": theirs,
        })
        .to_string(),
    );
    let mut found = measured::run(&mut open)?;
    for (metric, file) in [
        ("import_of_performance_report", theirs),
        ("import_of_dump", folder.0.join("dump.msgpack")),
    ] {
        let megabytes = fs::metadata(&file)?.len() as f64 / 1e6;
        let mut values = Vec::new();
        for _ in 0..repeats {
            values.push(megabytes / import(bobbin, &folder.0.join("import"), &file)?);
        }
        for (metric, unit, values) in [
            (metric.to_owned(), "MB/s", values),
            (format!("{metric}_size"), "MB", vec![megabytes]),
        ] {
            found.push(Measured {
                metric,
                unit: unit.into(),
                variant: "bobbin".into(),
                values,
            });
        }
    }
    Ok(measured::side_by_side("report", &PEERS, &found))
}

/// A cluster that reports to Bobbin and is written down by Dask; gives what its script says.
fn run_cluster(server: &Server, folder: &Path, tasks: u32) -> Result<Value> {
    let python = environment_python("reports");
    if !python.exists() {
        return Err(
            Failure::new("the Python environment of the tests is missing")
                .hint("cargo xtask setup makes it"),
        );
    }
    let [receiver, token_file] = server.settings()?;
    let output = Command::new(python)
        .arg(root().join("tests/fixtures/foreign/measured.py"))
        .arg(folder)
        .arg(tasks.to_string())
        .env("PYTHONPATH", root().join("assets/plugin"))
        .env("DASK_BOBBIN__RECEIVER", receiver)
        .env("DASK_BOBBIN__TOKEN_FILE", token_file)
        .env("DASK_BOBBIN__PROFILE__TRANSMIT", "true")
        .env("DASK_BOBBIN__PROFILE__INTERVAL", "2s")
        .env("DASK_BOBBIN__INTERVAL", "1s")
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let last = said.lines().last().unwrap_or_default();
    match serde_json::from_str(last) {
        Ok(about) if output.status.success() => Ok(about),
        _ => Err(Failure::new(format!(
            "the cluster ended with {}",
            output.status
        ))),
    }
}

/// Seconds of the whole command, on an empty store.
fn import(bobbin: &Path, data_dir: &Path, file: &Path) -> Result<f64> {
    if data_dir.exists() {
        fs::remove_dir_all(data_dir)?;
    }
    let begun = Instant::now();
    run_quietly(
        Command::new(bobbin)
            .arg("import")
            .arg(file)
            .arg("--data-dir")
            .arg(data_dir)
            .stdout(Stdio::null()),
    )?;
    Ok(begun.elapsed().as_secs_f64())
}
