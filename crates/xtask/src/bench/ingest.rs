//! Durable batches a second, against raw SQLite commits of the same bytes in groups of the same size.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process,
};

use super::{
    batches::{self, Shape},
    figure::Figure,
    post::{self, Posted},
    raw,
    server::Server,
};
use crate::process::{Failure, Result};

/// Connections that post at once; the receiver commits what waits together, so this is the largest group.
const CONNECTIONS: usize = 32;

/// One kind of load.
struct Load {
    metric: &'static str,
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
        shape: Shape {
            clusters: 8,
            groups: 8,
        },
        connections: CONNECTIONS,
        bodies: (8_000, 2_000),
        tcp: false,
    },
    Load {
        metric: "tcp_batches_per_s",
        shape: Shape {
            clusters: 8,
            groups: 8,
        },
        connections: CONNECTIONS,
        bodies: (8_000, 2_000),
        tcp: true,
    },
    // A catching-up or very busy scheduler.
    Load {
        metric: "large_batches_per_s",
        shape: Shape {
            clusters: 8,
            groups: 250,
        },
        connections: CONNECTIONS,
        bodies: (800, 200),
        tcp: false,
    },
    // Nobody to share a commit with.
    Load {
        metric: "alone_batches_per_s",
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
        let mut bobbins = Vec::new();
        let mut peers = Vec::new();
        let mut waits = Vec::new();
        let mut memory = Vec::new();
        for repeat in 0..repeats {
            let bodies = batches::make(load.shape, count, repeat);
            let peer = folder.0.join(format!("raw-{}-{repeat}", load.metric));
            fs::create_dir_all(&peer)?;
            peers.push(raw::bodies_per_second(&peer, &bodies, load.connections)?);
            fs::remove_dir_all(&peer)?;
            let (posted, megabytes) = ours(
                bobbin,
                folder.0.join(format!("bobbin-{}-{repeat}", load.metric)),
                load,
                &bodies,
            )?;
            bobbins.push(posted.per_second);
            waits.push(posted.wait(0.99).as_secs_f64() * 1e3);
            memory.push(megabytes);
        }
        let peer = format!("raw sqlite, {} a commit", load.connections);
        figures.push(Figure {
            bench: "ingest",
            metric: load.metric,
            unit: "1/s",
            values: bobbins,
            peer: Some((peer, peers)),
        });
        if load.metric == "batches_per_s" {
            figures.push(Figure {
                bench: "ingest",
                metric: "acknowledged_p99",
                unit: "ms",
                values: waits,
                peer: None,
            });
            figures.push(Figure {
                bench: "ingest",
                metric: "memory_peak",
                unit: "MB",
                values: memory,
                peer: None,
            });
        }
    }
    Ok(figures)
}

/// One repeat on a fresh store.
fn ours(bobbin: &Path, folder: PathBuf, load: &Load, bodies: &[Vec<u8>]) -> Result<(Posted, f64)> {
    let server = Server::start(bobbin, folder)?;
    let door = if load.tcp {
        server.tcp()?
    } else {
        server.socket()?
    };
    let posted = post::all(&door, bodies, load.connections)
        .map_err(|error| Failure::new(format!("{}: {error}", load.metric)))?;
    Ok((posted, server.memory_peak_mb()))
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
