//! Bobbin's report of a cluster beside Dask's own of the same run; and how fast files of other programs are taken in.

use std::{
    fs, io,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Instant,
};

use flate2::read::MultiGzDecoder;
use serde_json::{Value, json};

use super::{
    figure::Figure,
    folder::Folder,
    large::large,
    measured::{self, Measured},
    promise::Promise,
    server::Server,
    size::Size,
    written,
};
use crate::{
    files::root,
    process::{Failure, Result, run_quietly},
    setup::environment_python,
};

/// What Bobbin's report is laid beside.
const PEERS: [&str; 1] = ["performance_report"];

/// What a large cluster's report may come to, in kB; and two thirds of how fast files were taken in, in MB/s.
pub const PROMISES: [Promise; 4] = [
    Promise::most("report_size", 3_000.0),
    Promise::least("import_of_performance_report", 30.0),
    Promise::least("import_of_dump", 150.0),
    Promise::least("import_of_bundle", 25.0),
];

/// What the page about performance calls each figure.
const ROWS: [(&str, &str); 9] = [
    ("report_opened", "report opened, ms"),
    ("report_size", "… its size, kB"),
    (
        "report_size_with_what_it_loads",
        "… with what it loads from elsewhere, kB",
    ),
    (
        "import_of_performance_report",
        "import of Dask's performance report, MB/s",
    ),
    ("import_of_performance_report_size", "… its size, MB"),
    ("import_of_dump", "import of a dump of the cluster, MB/s"),
    ("import_of_dump_size", "… its size, MB"),
    ("import_of_bundle", "import of a bundle, MB/s unpacked"),
    ("import_of_bundle_size", "… its size unpacked, MB"),
];

/// Runs one cluster, writes both reports of it, opens them in a browser, and imports what Dask wrote, and a bundle. With
/// `write_down`, writes the table down, too.
///
/// # Errors
/// The cluster does not run or does not report, a report is not drawn, or a file is not taken in.
pub fn measure(bobbin: &Path, size: Size, write_down: bool) -> Result<Vec<Figure>> {
    let (tasks, repeats, groups, stacks) = match size {
        Size::Full => (20_000, 9, 5_000, 200_000),
        Size::Quick => (4_000, 3, 1_000, 20_000),
        Size::Smoke => (200, 1, 50, 500),
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
    let dump = folder.0.join("dump.msgpack");
    let bundle = bundle(bobbin, &folder.0, groups, stacks)?;
    for (metric, bytes, file) in [
        (
            "import_of_performance_report",
            fs::metadata(&theirs)?.len(),
            theirs,
        ),
        ("import_of_dump", fs::metadata(&dump)?.len(), dump),
        ("import_of_bundle", unpacked(&bundle)?, bundle),
    ] {
        let megabytes = bytes as f64 / 1e6;
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
    let figures = measured::side_by_side("report", &PEERS, &found);
    if write_down {
        written::write("report", &written::table(&figures, &ROWS))?;
    }
    Ok(figures)
}

/// A bundle with all that a large cluster tells.
fn bundle(bobbin: &Path, folder: &Path, groups: usize, stacks: usize) -> Result<PathBuf> {
    let (data_dir, bundle) = (folder.join("large"), folder.join("large.bobbin"));
    large(&data_dir, groups, stacks)?;
    run_quietly(
        Command::new(bobbin)
            .args(["export", "2", "--level", "everything", "--data-dir"])
            .arg(data_dir)
            .arg("--output")
            .arg(&bundle)
            .stdout(Stdio::null()),
    )?;
    Ok(bundle)
}

/// Bytes of a bundle's lines.
fn unpacked(bundle: &Path) -> Result<u64> {
    let mut lines = MultiGzDecoder::new(fs::File::open(bundle)?);
    Ok(io::copy(&mut lines, &mut io::sink())?)
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
