//! A team's hub over one large account: how long its members wait for an overview and for a list, and what it takes of its machine.

use std::{
    fs,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::Instant,
};

use bobbin_core::{
    clock::{Clock as _, SystemClock},
    ledger::Chain,
};
use rusqlite::{Connection, OpenFlags};
use serde_json::{Value, json};

use super::{
    figure::{Figure, p95},
    folder::Folder,
    measured::{self, Measured},
    promise::Promise,
    server::memory_mb,
    size::Size,
    stores::Stores,
    written,
};
use crate::{
    ending::Held,
    files::root,
    process::{Failure, Result},
};

/// What an answer may take, in milliseconds: of a list what it may take in core alone, of an overview what it may take until it is drawn.
const LIST_LIMIT: f64 = 20.0;
const OVERVIEW_LIMIT: f64 = 255.0;
pub const PROMISES: [Promise; 6] = [
    Promise::most("overview_28_days_p95", OVERVIEW_LIMIT),
    Promise::most("overview_year_p95", OVERVIEW_LIMIT),
    Promise::most("list_newest_p95", LIST_LIMIT),
    Promise::most("list_slowest_sort", LIST_LIMIT),
    // TLS and the answer's text come on top of what core takes.
    Promise::most("list_slowest_filter", 1.5 * LIST_LIMIT),
    Promise::below("memory_peak", 1_500.0),
];

/// What the page about performance calls each figure.
const ROWS: [(&str, &str); 18] = [
    ("members", "members"),
    ("clusters", "clusters"),
    ("overview_28_days", "overview, 28 days, ms"),
    ("overview_28_days_p95", "… p95"),
    ("overview_year", "overview, a year, ms"),
    ("overview_year_p95", "… p95"),
    ("heat_map_year", "heat-map of a year, ms"),
    ("list_newest", "list, newest, ms"),
    ("list_newest_p95", "… p95"),
    ("list_slowest_sort", "slowest order of the list, ms"),
    ("list_slowest_filter", "slowest filter of the list, ms"),
    ("search_slowest", "slowest search, ms"),
    ("cluster", "a cluster, ms"),
    (
        "overview_28_days_of_40_at_once",
        "overview, 28 days, 40 members at once, ms",
    ),
    (
        "list_newest_of_40_at_once",
        "list, newest, 40 members at once, ms",
    ),
    ("started", "start until it listens, s"),
    ("memory_started", "memory after the start, MB"),
    ("memory_peak", "… peak, MB"),
];

/// Fills an account, has its members join, sign in and ask. With `write_down`, writes the table down, too.
///
/// # Errors
/// The store cannot be filled, the hub does not start, or a member is not answered.
pub fn measure(bobbin: &Path, size: Size, write_down: bool) -> Result<Vec<Figure>> {
    let members = match size {
        Size::Full | Size::Quick => 200,
        Size::Smoke => 5,
    };
    let store = Stores::many(size)?;
    let folder = Folder::make("hub")?;
    let dir = folder.0.join("hub");
    let account = account(bobbin, &dir)?;
    let inside = dir.join("accounts").join(&account).join("store");
    fs::remove_dir_all(&inside)?;
    store.copy(&inside)?;
    commit(&dir.join("accounts").join(&account), &inside)?;
    let began = Instant::now();
    let hub = Hub::start(bobbin, &dir)?;
    let started = began.elapsed().as_secs_f64();
    let rested = hub.memory("VmRSS:");
    let mut script = Command::new("node");
    script.arg(root().join("tests/ui/bench_hub.mjs")).arg(
        json!({
            "size": size.name(), "members": members, "clusters": store.clusters, "account": account, "socket": hub.place["socket"],
            "listening": hub.listening,
        })
        .to_string(),
    );
    let found = measured::run(&mut script)?;
    let mut figures: Vec<Figure> = found.iter().flat_map(with_late).collect();
    figures.push(figure(
        "clusters",
        "clusters",
        vec![store.clusters as f64],
        None,
    ));
    figures.push(figure("members", "members", vec![f64::from(members)], None));
    figures.push(figure("started", "s", vec![started], None));
    figures.push(figure("memory_started", "MB", vec![rested], None));
    let most = hub.memory("VmHWM:");
    figures.push(figure("memory_peak", "MB", vec![most], None));
    // There is no /proc everywhere.
    figures.retain(|figure| figure.values.iter().all(|value| value.is_finite()));
    if write_down {
        written::write("hub", &written::table(&figures, &ROWS))?;
    }
    Ok(figures)
}

/// Half of the answers, and one of twenty.
fn with_late(one: &Measured) -> Vec<Figure> {
    let limit = match one.metric.as_str() {
        metric if metric.contains("at_once") => None,
        metric if metric.starts_with("list") => Some(LIST_LIMIT),
        metric if metric.starts_with("overview") => Some(OVERVIEW_LIMIT),
        _ => None,
    };
    let mut figures = vec![figure(&one.metric, &one.unit, one.values.clone(), limit)];
    if one.values.len() > 3 {
        let late = vec![p95(&one.values)];
        figures.push(figure(
            &format!("{}_p95", one.metric),
            &one.unit,
            late,
            limit,
        ));
    }
    figures
}

fn figure(metric: &str, unit: &str, values: Vec<f64>, limit: Option<f64>) -> Figure {
    Figure {
        bench: "hub",
        metric: metric.into(),
        unit: unit.into(),
        values,
        peer: limit.map(|limit| ("limit".to_owned(), vec![limit])),
    }
}

/// Makes the account, by its own verb, and gives its id.
fn account(bobbin: &Path, dir: &Path) -> Result<String> {
    let output = Command::new(bobbin)
        .args(["hub", "--json", "--hub-dir"])
        .arg(dir)
        .args(["account", "add", "bench", "--quota", "100GiB"])
        .stderr(Stdio::inherit())
        .output()?;
    let made: Value = serde_json::from_slice(&output.stdout)
        .map_err(|_| Failure::new("bobbin hub account add did not say what it made"))?;
    let id = made["account"].as_str().map(str::to_owned);
    id.ok_or_else(|| Failure::new("bobbin hub account add named no account"))
}

/// Has the account's audit say that all clusters of its store came in a bundle: what it does not say, a hub removes when it starts.
fn commit(account: &Path, store: &Path) -> Result<()> {
    let db = Connection::open_with_flags(
        store.join("bobbin.sqlite"),
        OpenFlags::SQLITE_OPEN_READ_WRITE,
    )
    .map_err(|error| Failure::new(error.to_string()))?;
    let clusters: Vec<String> = db
        .prepare("select scheduler_id from cluster")
        .and_then(|mut find| find.query_map([], |row| row.get(0))?.collect())
        .map_err(|error| Failure::new(error.to_string()))?;
    let committed = json!({
        "by": "hub", "event": "committed", "sha256": "0".repeat(64), "bytes": 1, "plain_bytes": 1, "member": "m", "name": "all",
        "clusters": clusters,
    });
    Chain::<Value>::at(&account.join("audit.ndjson"))
        .append(SystemClock.now(), &committed)
        .map_err(|error| Failure::new(error.to_string()))?;
    Ok(())
}

/// A running hub. Stopped when dropped.
struct Hub {
    child: Child,
    _held: Held,
    listening: Value,
    place: Value,
}

impl Hub {
    fn start(bobbin: &Path, dir: &Path) -> Result<Self> {
        let log: PathBuf = dir.with_extension("log");
        let mut command = Command::new(bobbin);
        command
            .args(["hub", "--hub-dir"])
            .arg(dir)
            .args(["serve", "--listen", "127.0.0.1:0"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(fs::File::create(&log)?);
        let (mut child, held) = Held::child(&mut command)?;
        let stdout = child.stdout.take();
        let mut hub = Self {
            child,
            _held: held,
            listening: Value::Null,
            place: Value::Null,
        };
        let silent = || {
            Failure::new("bobbin hub serve did not say where it listens")
                .hint(log.display().to_string())
        };
        let mut line = String::new();
        BufReader::new(stdout.ok_or_else(silent)?).read_line(&mut line)?;
        hub.listening = serde_json::from_str(&line).map_err(|_| silent())?;
        let place = fs::read(dir.join("hub.json"))?;
        hub.place = serde_json::from_slice(&place).map_err(|_| silent())?;
        Ok(hub)
    }

    fn memory(&self, field: &str) -> f64 {
        memory_mb(self.child.id(), field)
    }
}

impl Drop for Hub {
    fn drop(&mut self) {
        // SIGTERM first: it drains, as it does for its users.
        let _ = Command::new("kill")
            .arg(self.child.id().to_string())
            .status();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_that_has_a_limit_stands_beside_it_and_one_of_twenty_too() {
        let measured = |metric: &str, values: Vec<f64>| Measured {
            metric: metric.into(),
            unit: "ms".into(),
            variant: "bobbin".into(),
            values,
        };
        let told = |one: &Measured| -> Vec<(String, Option<f64>)> {
            let figures = with_late(one).into_iter();
            figures
                .map(|figure| (figure.metric, figure.peer.map(|(_, limit)| limit[0])))
                .collect()
        };
        assert_eq!(
            told(&measured("list_newest", (1..=20).map(f64::from).collect())),
            [
                ("list_newest".to_owned(), Some(20.0)),
                ("list_newest_p95".to_owned(), Some(20.0)),
            ]
        );
        assert_eq!(
            told(&measured("cluster", vec![1.0])),
            [("cluster".to_owned(), None)]
        );
        let crowd = measured("list_newest_of_3_at_once", vec![1.0]);
        assert_eq!(told(&crowd)[0].1, None);
    }
}
