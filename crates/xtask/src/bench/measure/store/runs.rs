//! Whole runs a second: all that a small cluster says from its start to its end, beside programs that record runs. Each
//! has its own client, which writes local files as it does for its users, and records as many in turn with Bobbin. What a
//! run of theirs is, `tests/peers/runs.py` says.

use std::{fs, ops::Range, path::Path, process::Command, sync::Arc, time::Instant};

use bobbin_core::{
    api::{App, Role, call},
    clock::SystemClock,
};
use serde_json::{Value, json};

use super::super::{
    batches,
    figure::Figure,
    measured::{self, Measured},
    post::{self, Door},
    server::Server,
    size::Size,
};
use super::disk;
use crate::{
    files::root,
    process::{Failure, Result},
    setup::peer_python,
};

/// How often a cluster reports, and how many task groups it has each time.
const BEATS: usize = 5;
const GROUPS: usize = 4;
/// And once more at its end.
const BATCHES: usize = BEATS + 1;

/// Whose they are, in turn; those of one user are listed.
const USERS: usize = 10;
const USER: usize = 3;
/// How many a list shows.
const NEWEST: usize = 100;
/// How many record at once.
const SENDERS: usize = 8;

/// What is measured of each side, and in which unit, in the order of `tests/peers/runs.py`.
const METRICS: [(&str, &str); 8] = [
    ("runs_per_s", "1/s"),
    ("first_runs_per_s", "1/s"),
    ("last_runs_per_s", "1/s"),
    ("at_once_runs_per_s", "1/s"),
    ("cpu_a_run", "ms"),
    ("bytes_a_run", "B"),
    ("newest_listed", "ms"),
    ("user_listed", "ms"),
];

/// Who records runs, too.
struct Peer {
    /// Its environment, its script `tests/peers/KEY_runs.py`, and the beginning of its figures' names.
    key: &'static str,
    name: &'static str,
    /// Runs one after the other, at full size.
    runs: usize,
}

const PEERS: [Peer; 3] = [
    Peer {
        key: "mlflow",
        name: "MLflow",
        runs: 200,
    },
    Peer {
        key: "aim",
        name: "Aim",
        runs: 200,
    },
    // Enough to see that it slows as it grows.
    Peer {
        key: "trackio",
        name: "Trackio",
        runs: 1_000,
    },
];

/// How many runs are recorded.
#[derive(Clone, Copy)]
struct Count {
    /// One after the other.
    alone: usize,
    /// By each of those that then record at once.
    each: usize,
}

impl Count {
    /// The first and the last are timed by themselves: the first run of all is not timed.
    fn tenth(self) -> usize {
        (self.alone / 10).max(2)
    }
}

/// Has each peer record its runs, and Bobbin as many, in turn.
///
/// # Errors
/// A peer cannot be installed or fails, or the receiver does not start, refuses, or lists something else.
pub fn measure(bobbin: &Path, folder: &Path, size: Size) -> Result<Vec<Figure>> {
    let repeats = match size {
        Size::Full => 3,
        Size::Quick | Size::Smoke => 1,
    };
    let mut found = Vec::new();
    for repeat in 0..repeats {
        for peer in &PEERS {
            let count = peer.count(size);
            let own = |side: &str| folder.join(format!("{}-{side}-{repeat}", peer.key));
            let ours = by_bobbin(bobbin, &own("bobbin"), count)?;
            peer.add(&mut found, ours);
            // Too much to install only to see that this runs.
            if !matches!(size, Size::Smoke) {
                peer.add(&mut found, peer.record(&own("runs"), count)?);
            }
        }
    }
    let names = PEERS.map(|peer| peer.name);
    Ok(measured::side_by_side("store", &names, &found))
}

impl Peer {
    fn count(&self, size: Size) -> Count {
        match size {
            Size::Full => Count {
                alone: self.runs,
                each: 12,
            },
            Size::Quick => Count { alone: 20, each: 2 },
            Size::Smoke => Count { alone: 5, each: 1 },
        }
    }

    fn record(&self, folder: &Path, count: Count) -> Result<Vec<Measured>> {
        let script = root().join(format!("tests/peers/{}_runs.py", self.key));
        let mut python = Command::new(peer_python(self.key)?);
        let found = measured::run(python.arg(script).arg(order(folder, count)))?;
        fs::remove_dir_all(folder)?;
        Ok(found)
    }

    /// Adds what one repeat came to, on one side.
    fn add(&self, found: &mut Vec<Measured>, repeat: Vec<Measured>) {
        for one in repeat {
            let metric = format!("{}_{}", self.key, one.metric);
            let known = found
                .iter_mut()
                .find(|known| known.metric == metric && known.variant == one.variant);
            match known {
                Some(known) => known.values.extend(one.values),
                None => found.push(Measured { metric, ..one }),
            }
        }
    }
}

/// What a script is to do.
fn order(folder: &Path, count: Count) -> String {
    json!({
        "folder": folder.to_string_lossy(), "runs": count.alone, "tenth": count.tenth(), "at_once": SENDERS * count.each,
        "senders": SENDERS, "beats": BEATS, "users": USERS, "user": USER, "newest": NEWEST,
    })
    .to_string()
}

/// The same by Bobbin, of clusters in the place of runs. They are made before anything is measured.
fn by_bobbin(bobbin: &Path, folder: &Path, count: Count) -> Result<Vec<Measured>> {
    let server = Server::start(bobbin, folder.to_owned())?;
    let door = server.socket()?;
    let (runs, tenth) = (count.alone, count.tenth());
    let bodies: Vec<Vec<u8>> = (0..runs).flat_map(cluster).collect();
    let send = |runs: Range<usize>| {
        let bodies = &bodies[runs.start * BATCHES..runs.end * BATCHES];
        whole_per_second(&door, bodies, 1)
    };
    send(0..1)?;
    let (held, cpu) = (disk::bytes(folder)?, server.cpu_micros());
    let begun = Instant::now();
    let first = send(1..tenth)?;
    send(tenth..runs - tenth)?;
    let last = send(runs - tenth..runs)?;
    let each = (runs - 1) as f64;
    let per_second = each / begun.elapsed().as_secs_f64();
    let cpu_ms = (server.cpu_micros() - cpu) / each / 1e3;
    let bytes = (disk::bytes(folder)? - held) / each;
    let [newest, of_user] = listed(folder, runs)?;
    let more: Vec<_> = (runs..runs + SENDERS * count.each).map(cluster).collect();
    let at_once = whole_per_second(&door, &in_turn(&more), SENDERS)?;
    let values = [
        per_second, first, last, at_once, cpu_ms, bytes, newest, of_user,
    ];
    let named = METRICS.into_iter().zip(values);
    Ok(named
        .map(|((metric, unit), value)| Measured {
            metric: metric.into(),
            unit: unit.into(),
            variant: "bobbin".into(),
            values: vec![value],
        })
        .collect())
}

/// The bodies of the cluster of this number.
fn cluster(number: usize) -> Vec<Vec<u8>> {
    let user = format!("user-{}", number % USERS);
    batches::whole(GROUPS, BEATS, number, &user)
}

/// Whole clusters a second.
fn whole_per_second(door: &Door, bodies: &[Vec<u8>], senders: usize) -> Result<f64> {
    Ok(post::all(door, bodies, senders)?.per_second / BATCHES as f64)
}

/// The bodies of these clusters so that each sender has whole ones, one after the other: of as many bodies as there are
/// senders, each sends one.
fn in_turn(clusters: &[Vec<Vec<u8>>]) -> Vec<Vec<u8>> {
    clusters
        .chunks(SENDERS)
        .flat_map(|at_once| {
            (0..BATCHES).flat_map(move |batch| at_once.iter().map(move |cluster| &cluster[batch]))
        })
        .cloned()
        .collect()
}

/// Milliseconds until the newest clusters are listed, and until those of one user are.
fn listed(folder: &Path, clusters: usize) -> Result<[f64; 2]> {
    let app = App::open(folder, Role::Reader, Arc::new(SystemClock)).map_err(failed)?;
    let ask = |request: Value, wanted: usize| -> Result<f64> {
        let request = request.to_string();
        let begun = Instant::now();
        let answer = call(&app, "clusters", &request).map_err(failed)?;
        let took = begun.elapsed().as_secs_f64() * 1e3;
        let answer: Value = serde_json::from_str(&answer).unwrap_or_default();
        match answer["rows"].as_array() {
            Some(rows) if rows.len() == wanted => Ok(took),
            _ => Err(Failure::new(format!(
                "{request} does not list {wanted} clusters"
            ))),
        }
    };
    // What a first question prepares is no part of the list.
    ask(json!({"limit": 2}), 2)?;
    let of_user = (0..clusters).filter(|number| number % USERS == USER);
    Ok([
        ask(json!({"limit": NEWEST}), clusters.min(NEWEST))?,
        ask(
            json!({"text": format!("user:user-{USER}")}),
            of_user.count(),
        )?,
    ])
}

fn failed(error: impl ToString) -> Failure {
    Failure::new(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::super::ROWS;
    use super::*;

    /// A peer for which nothing is installed.
    const IN_MEMORY: &str = "
import runs

class Memory(runs.Peer):
    kept = []

    def record(self, run):
        self.kept.append(run)

    def newest(self, most):
        return [run.name for run in self.kept[-most:]]

    def of_user(self, user):
        return [run.name for run in self.kept if run.user == user]

runs.measure('Memory', Memory)
";

    #[test]
    fn the_scripts_measure_what_is_measured_of_bobbin() {
        let [peer, ..] = PEERS;
        for size in [Size::Quick, Size::Smoke] {
            let mut python = Command::new("python3");
            python
                .args([
                    "-c",
                    IN_MEMORY,
                    &order(Path::new("nowhere"), peer.count(size)),
                ])
                .env("PYTHONPATH", root().join("tests/peers"));
            let found = measured::run(&mut python).unwrap();
            let said: Vec<_> = found
                .iter()
                .map(|one| (one.metric.as_str(), one.unit.as_str()))
                .collect();
            assert_eq!(said, METRICS);
        }
    }

    #[test]
    fn each_peer_has_a_script_and_an_environment_and_is_written_down() {
        for Peer { key, .. } in PEERS {
            for file in [
                format!("tests/peers/{key}_runs.py"),
                format!("tests/envs/{key}.txt"),
            ] {
                assert!(root().join(&file).is_file(), "{file}");
            }
            for (metric, _) in METRICS {
                let is_growth = ["first_runs_per_s", "last_runs_per_s"].contains(&metric);
                let metric = format!("{key}_{metric}");
                let is_row = ROWS.iter().any(|(known, _)| *known == metric);
                // Only one of them grows slow while it is looked at.
                assert_eq!(is_row, !is_growth || key == "trackio", "{metric}");
            }
        }
    }

    #[test]
    fn repeats_stand_side_by_side_under_the_name_of_the_peer() {
        let [peer, ..] = PEERS;
        let measured = |variant: &str, value| {
            vec![Measured {
                metric: "runs_per_s".into(),
                unit: "1/s".into(),
                variant: variant.into(),
                values: vec![value],
            }]
        };
        let mut found = Vec::new();
        for (ours, theirs) in [(100.0, 5.0), (110.0, 6.0)] {
            peer.add(&mut found, measured("bobbin", ours));
            peer.add(&mut found, measured("MLflow", theirs));
        }
        let figures = measured::side_by_side("store", &[peer.name], &found);
        let [figure] = &figures[..] else {
            panic!("{} figures", figures.len());
        };
        assert_eq!(figure.metric, "mlflow_runs_per_s");
        assert_eq!(figure.values, [100.0, 110.0]);
        assert_eq!(figure.peer, Some(("MLflow".into(), vec![5.0, 6.0])));
    }

    #[test]
    fn each_sender_has_whole_clusters_in_order() {
        let clusters: Vec<_> = (0..2 * SENDERS as u8)
            .map(|cluster| {
                let bodies = (0..BATCHES as u8).map(|batch| vec![cluster, batch]);
                bodies.collect::<Vec<_>>()
            })
            .collect();
        let bodies = in_turn(&clusters);
        for sender in 0..SENDERS {
            // As connections take them.
            let own: Vec<_> = bodies
                .iter()
                .skip(sender)
                .step_by(SENDERS)
                .cloned()
                .collect();
            let whole = [&clusters[sender][..], &clusters[SENDERS + sender][..]];
            assert_eq!(own, whole.concat());
        }
    }
}
