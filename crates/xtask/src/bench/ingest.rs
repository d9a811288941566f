//! Durable batches a second, against raw SQLite commits of the same bytes in groups of the same size.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process,
};

use super::{
    batches::{self, Shape},
    commits::Commits,
    figure::{Figure, median},
    post,
    raw::{self, Raw},
    server::Server,
};
use crate::process::{Failure, Result};

/// Schedulers that report at once, each over its own connection, as fast as they are acknowledged.
const CONNECTIONS: usize = 32;

/// One kind of load.
struct Load {
    metric: &'static str,
    /// Name of the figure for processor time: of the receiver, and of the peer's whole process.
    cpu_metric: &'static str,
    shape: Shape,
    connections: usize,
    /// Bodies a repeat: many, and with `--quick`.
    bodies: (usize, usize),
    tcp: bool,
}

const LOADS: [Load; 4] = [
    // A usual beat.
    Load {
        metric: "batches_per_s",
        cpu_metric: "cpu_a_batch",
        shape: Shape {
            clusters: CONNECTIONS,
            groups: 8,
        },
        connections: CONNECTIONS,
        bodies: (8_000, 2_000),
        tcp: false,
    },
    Load {
        metric: "tcp_batches_per_s",
        cpu_metric: "tcp_cpu_a_batch",
        shape: Shape {
            clusters: CONNECTIONS,
            groups: 8,
        },
        connections: CONNECTIONS,
        bodies: (8_000, 2_000),
        tcp: true,
    },
    // A catching-up or very busy scheduler.
    Load {
        metric: "large_batches_per_s",
        cpu_metric: "large_cpu_a_batch",
        shape: Shape {
            clusters: CONNECTIONS,
            groups: 250,
        },
        connections: CONNECTIONS,
        bodies: (800, 200),
        tcp: false,
    },
    // Nobody to share a commit with.
    Load {
        metric: "alone_batches_per_s",
        cpu_metric: "alone_cpu_a_batch",
        shape: Shape {
            clusters: 1,
            groups: 8,
        },
        connections: 1,
        bodies: (1_000, 300),
        tcp: false,
    },
];

/// Measures every load.
///
/// # Errors
/// The receiver does not start, or refuses.
pub fn measure(bobbin: &Path, quick: bool) -> Result<Vec<Figure>> {
    let folder = Folder::make()?;
    let repeats = if quick { 3 } else { 7 };
    let mut figures = Vec::new();
    for load in &LOADS {
        let count = if quick { load.bodies.1 } else { load.bodies.0 };
        let mut ours = Vec::new();
        let mut peers = Vec::new();
        for repeat in 0..repeats {
            let bodies = batches::make(load.shape, count, repeat);
            let repeat = Repeat::run(
                bobbin,
                folder.0.join(format!("{}-{repeat}", load.metric)),
                load,
                &bodies,
            )?;
            let peer = folder.0.join("raw");
            fs::create_dir_all(&peer)?;
            peers.push(raw::commit_all(
                &peer,
                &bodies,
                repeat.group.round() as usize,
            )?);
            fs::remove_dir_all(&peer)?;
            ours.push(repeat);
        }
        figures.extend(load.figures(&ours, &peers));
    }
    Ok(figures)
}

/// What one repeat on a fresh store came to.
struct Repeat {
    per_second: f64,
    cpu_micros: f64,
    p99_ms: f64,
    memory_mb: f64,
    /// Bodies a commit, on average.
    group: f64,
}

impl Repeat {
    fn run(bobbin: &Path, folder: PathBuf, load: &Load, bodies: &[Vec<u8>]) -> Result<Self> {
        let server = Server::start(bobbin, folder)?;
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
        })
    }
}

impl Load {
    fn figures(&self, ours: &[Repeat], peers: &[Raw]) -> Vec<Figure> {
        let each = |of: fn(&Repeat) -> f64| ours.iter().map(of).collect::<Vec<_>>();
        let figure = |metric, unit, values, peer| Figure {
            bench: "ingest",
            metric,
            unit,
            values,
            peer,
        };
        let group = median(&each(|repeat| repeat.group));
        let against = |of: fn(&Raw) -> f64| {
            let name = format!("raw sqlite, {group:.0} a commit");
            Some((name, peers.iter().map(of).collect::<Vec<_>>()))
        };
        let mut figures = vec![
            figure(
                self.metric,
                "1/s",
                each(|repeat| repeat.per_second),
                against(|raw| raw.per_second),
            ),
            figure(
                self.cpu_metric,
                "us",
                each(|repeat| repeat.cpu_micros),
                against(|raw| raw.cpu_micros),
            ),
        ];
        if self.metric == "batches_per_s" {
            figures.push(figure(
                "acknowledged_p99",
                "ms",
                each(|repeat| repeat.p99_ms),
                None,
            ));
            figures.push(figure(
                "memory_peak",
                "MB",
                each(|repeat| repeat.memory_mb),
                None,
            ));
        }
        figures
    }
}

/// A folder on the same disk as the clone: memory disks make durable commits look free.
struct Folder(PathBuf);

impl Folder {
    fn make() -> Result<Self> {
        let folder = env::current_dir()?
            .join("target")
            .join(format!("bench-{}", process::id()));
        fs::create_dir_all(&folder)?;
        Ok(Self(folder))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
