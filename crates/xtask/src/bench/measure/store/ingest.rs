//! Durable batches a second, against raw SQLite commits of the same bytes in groups of the same size; and for some loads
//! against SQLite alone with the rows that Bobbin stores of them.

use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use super::super::{
    batches::{self, Shape},
    commits::Commits,
    figure::{Figure, median},
    peer::{self, Job, Pace},
    post,
    server::Server,
    size::Size,
    slow::Slow,
    stores::{Store, Stores},
};
use super::{goal, replay};
use crate::process::{Failure, Result};

/// Schedulers that report at once, each over its own connection, as fast as they are acknowledged.
const CONNECTIONS: usize = 32;

/// One kind of load.
struct Load {
    metric: &'static str,
    /// Name of the figure for processor time: of the receiver, and of the peer's whole process.
    cpu_metric: &'static str,
    /// None: what the plugin sent in recorded runs, beginning and end of clusters, code, failures and profiles with it.
    shape: Option<Shape>,
    connections: usize,
    /// Bodies a repeat: many, and with `--quick`.
    bodies: (usize, usize),
    tcp: bool,
    /// On a disk on which each sync takes [`LONGER`].
    slow: bool,
    /// What is in the store before, if anything.
    filled: Option<fn(Size) -> Result<Store>>,
    /// The figures of SQLite with the same rows, if it is measured.
    rows: Option<Rows>,
}

/// What SQLite alone does with the same rows.
struct Rows {
    /// Name of the figure for it.
    metric: &'static str,
    /// Name of the figure for the receiver beside it.
    beside: &'static str,
}

/// About what separates a laptop's disk from the fastest, on which a sync takes a quarter of a millisecond.
const LONGER: Duration = Duration::from_millis(2);

/// A usual beat.
const USUAL: Load = Load {
    metric: "batches_per_s",
    cpu_metric: "cpu_a_batch",
    shape: Some(Shape {
        clusters: CONNECTIONS,
        groups: 8,
    }),
    connections: CONNECTIONS,
    bodies: (8_000, 2_000),
    tcp: false,
    slow: false,
    filled: None,
    rows: None,
};
/// Nobody to share a commit with.
const ALONE: Load = Load {
    metric: "alone_batches_per_s",
    cpu_metric: "alone_cpu_a_batch",
    shape: Some(Shape {
        clusters: 1,
        groups: 8,
    }),
    connections: 1,
    bodies: (1_000, 300),
    ..USUAL
};
/// What it takes to hear them all.
const CROWD: Load = Load {
    metric: BUSY,
    cpu_metric: "busy_cpu_a_batch",
    shape: Some(Shape {
        clusters: 200,
        groups: 8,
    }),
    connections: 200,
    ..USUAL
};

const LOADS: [Load; 9] = [
    Load {
        rows: Some(Rows {
            metric: "rows_per_s",
            beside: "beside_rows_per_s",
        }),
        ..USUAL
    },
    Load {
        metric: "tcp_batches_per_s",
        cpu_metric: "tcp_cpu_a_batch",
        tcp: true,
        ..USUAL
    },
    // A catching-up or very busy scheduler.
    Load {
        metric: "large_batches_per_s",
        cpu_metric: "large_cpu_a_batch",
        shape: Some(Shape {
            clusters: CONNECTIONS,
            groups: 250,
        }),
        bodies: (800, 200),
        rows: Some(Rows {
            metric: "large_rows_per_s",
            beside: "large_beside_rows_per_s",
        }),
        ..USUAL
    },
    ALONE,
    Load {
        metric: "recorded_batches_per_s",
        cpu_metric: "recorded_cpu_a_batch",
        shape: None,
        bodies: (4_000, 1_000),
        ..USUAL
    },
    CROWD,
    // The same where all sides wait for the disk.
    Load {
        metric: "slow_batches_per_s",
        cpu_metric: "slow_cpu_a_batch",
        slow: true,
        rows: Some(Rows {
            metric: "slow_rows_per_s",
            beside: "slow_beside_rows_per_s",
        }),
        ..USUAL
    },
    Load {
        metric: "slow_alone_batches_per_s",
        cpu_metric: "slow_alone_cpu_a_batch",
        slow: true,
        ..ALONE
    },
    Load {
        metric: "slow_busy_batches_per_s",
        cpu_metric: "slow_busy_cpu_a_batch",
        slow: true,
        ..CROWD
    },
];

/// Usual beats into stores that have a history.
const FILLED: [Load; 2] = [
    Load {
        metric: "year_batches_per_s",
        cpu_metric: "year_cpu_a_batch",
        filled: Some(Stores::main),
        ..USUAL
    },
    Load {
        metric: "many_batches_per_s",
        cpu_metric: "many_cpu_a_batch",
        filled: Some(Stores::many),
        ..USUAL
    },
];

const BUSY: &str = "busy_batches_per_s";

/// What commits the bytes.
const RAW: &str = "raw sqlite";

/// Measures every load into empty stores.
///
/// # Errors
/// The receiver does not start, or refuses.
pub fn measure(bobbin: &Path, folder: &Path, size: Size) -> Result<Vec<Figure>> {
    each(&LOADS, bobbin, folder, size)
}

/// Measures the usual load into stores that are filled already.
///
/// # Errors
/// As [`measure`]; a store cannot be filled.
pub fn measure_filled(bobbin: &Path, folder: &Path, size: Size) -> Result<Vec<Figure>> {
    each(&FILLED, bobbin, folder, size)
}

fn each(loads: &[Load], bobbin: &Path, folder: &Path, size: Size) -> Result<Vec<Figure>> {
    let repeats = match size {
        Size::Full => 7,
        Size::Quick => 3,
        Size::Smoke => 1,
    };
    let mut figures = Vec::new();
    // Linux has what it takes. Elsewhere these loads are not measured.
    let slow = (cfg!(target_os = "linux") && loads.iter().any(|load| load.slow))
        .then(|| Slow::build(folder, LONGER))
        .transpose()?;
    for load in loads {
        let disk = slow.as_ref().filter(|_| load.slow);
        if load.slow && disk.is_none() {
            continue;
        }
        let count = match size {
            Size::Full => load.bodies.0,
            Size::Quick => load.bodies.1,
            Size::Smoke => load.bodies.1 / 5,
        };
        let filled = load.filled.map(|find| find(size)).transpose()?;
        let mut ours = Vec::new();
        let mut raw = Vec::new();
        let mut rows = Vec::new();
        for repeat in 0..repeats {
            let bodies = match load.shape {
                Some(shape) => batches::make(shape, count, repeat),
                None => replay::make(CONNECTIONS, count, repeat)?,
            };
            let own = folder.join(format!("{}-{repeat}", load.metric));
            if let Some(store) = &filled {
                store.copy(&own)?;
            }
            let repeat = Repeat::run(bobbin, own, load, &bodies, disk)?;
            let peers = folder.join("peers");
            fs::create_dir_all(&peers)?;
            let group = repeat.group.round() as usize;
            let alone = |job| peer::commit_all(job, &peers, &bodies, group, disk);
            raw.push(alone(Job::Bytes)?);
            if load.rows.is_some() {
                rows.push(alone(Job::Rows(&repeat.tables))?);
            }
            fs::remove_dir_all(&peers)?;
            ours.push(repeat);
        }
        figures.extend(load.figures(&ours, &raw, &rows));
    }
    Ok(figures)
}

/// What one repeat on a store of its own came to.
struct Repeat {
    per_second: f64,
    cpu_micros: f64,
    p99_ms: f64,
    memory_mb: f64,
    /// Bodies a commit, on average.
    group: f64,
    /// What makes the tables that usual reports are in.
    tables: String,
}

impl Repeat {
    fn run(
        bobbin: &Path,
        folder: PathBuf,
        load: &Load,
        bodies: &[Vec<u8>],
        disk: Option<&Slow>,
    ) -> Result<Self> {
        let store = folder.join("bobbin.sqlite");
        let server = Server::start_on(bobbin, folder, disk)?;
        let commits = Commits::listen(&server.link()?)?;
        let door = if load.tcp {
            server.tcp()?
        } else {
            server.socket()?
        };
        let cpu = server.cpu_micros();
        let posted = post::all(&door, bodies, load.connections)
            .map_err(|error| Failure::new(format!("{}: {error}", load.metric)))?;
        Ok(Self {
            per_second: posted.per_second,
            cpu_micros: (server.cpu_micros() - cpu) / bodies.len() as f64,
            p99_ms: posted.wait(0.99).as_secs_f64() * 1e3,
            memory_mb: server.memory_peak_mb(),
            group: bodies.len() as f64 / commits.count().max(1) as f64,
            tables: peer::tables(&store)?,
        })
    }
}

impl Load {
    fn figures(&self, ours: &[Repeat], raw: &[Pace], rows: &[Pace]) -> Vec<Figure> {
        let each = |of: fn(&Repeat) -> f64| ours.iter().map(of).collect::<Vec<_>>();
        let figure = |metric: &str, unit: &str, values, peer| Figure {
            bench: "store",
            metric: metric.into(),
            unit: unit.into(),
            values,
            peer,
        };
        let group = median(&each(|repeat| repeat.group));
        let against = |name: &str, peers: &[Pace], of: fn(&Pace) -> f64| {
            let name = format!("{name}, {group:.0} per commit");
            Some((name, peers.iter().map(of).collect::<Vec<_>>()))
        };
        let per_second = |pace: &Pace| pace.per_second;
        let mut figures = vec![
            figure(
                self.metric,
                "1/s",
                each(|repeat| repeat.per_second),
                against(RAW, raw, per_second),
            ),
            figure(
                self.cpu_metric,
                "us",
                each(|repeat| repeat.cpu_micros),
                against(RAW, raw, |pace| pace.cpu_micros),
            ),
        ];
        if let Some(Rows { metric, beside }) = &self.rows {
            // What the first peer would come to, if it wrote rows.
            figures.push(figure(
                metric,
                "1/s",
                rows.iter().map(per_second).collect(),
                against(RAW, raw, per_second),
            ));
            figures.push(figure(
                beside,
                "1/s",
                each(|repeat| repeat.per_second),
                against("sqlite with the same rows", rows, per_second),
            ));
        }
        if self.metric == BUSY {
            figures.push(figure(
                "acknowledged_p99",
                "ms",
                each(|repeat| repeat.p99_ms),
                goal(100.0),
            ));
            figures.push(figure(
                "memory_peak",
                "MB",
                each(|repeat| repeat.memory_mb),
                goal(100.0),
            ));
        }
        figures
    }
}

#[cfg(test)]
mod tests {
    use super::super::ROWS;
    use super::*;

    #[test]
    fn the_receiver_stands_beside_the_bytes_and_beside_the_rows() {
        let repeat = || Repeat {
            per_second: 500.0,
            cpu_micros: 80.0,
            p99_ms: 9.0,
            memory_mb: 50.0,
            group: 15.2,
            tables: String::new(),
        };
        let pace = |per_second| Pace {
            per_second,
            cpu_micros: 5.0,
        };
        let [usual, ..] = LOADS;
        let figures = usual.figures(&[repeat()], &[pace(2_000.0)], &[pace(1_000.0)]);
        let said = |metric: &str| {
            let figure = figures.iter().find(|figure| figure.metric == metric);
            let figure = figure.unwrap();
            let (name, values) = figure.peer.as_ref().unwrap();
            (figure.values[0], name.as_str(), values[0])
        };
        let raw = "raw sqlite, 15 per commit";
        assert_eq!(said("batches_per_s"), (500.0, raw, 2_000.0));
        assert_eq!(said("rows_per_s"), (1_000.0, raw, 2_000.0));
        assert_eq!(
            said("beside_rows_per_s"),
            (500.0, "sqlite with the same rows, 15 per commit", 1_000.0)
        );
    }

    #[test]
    fn what_is_measured_of_rows_is_written_down() {
        let mut loads = 0;
        for Rows { metric, beside } in LOADS.into_iter().filter_map(|load| load.rows) {
            loads += 1;
            for metric in [metric, beside] {
                assert!(ROWS.iter().any(|(known, _)| *known == metric), "{metric}");
            }
        }
        assert_eq!(loads, 3);
    }
}
