//! What leaves while a small real disk is full: a bundle, a table, a stage. At each amount of room it is there as a whole, with its
//! row of the ledger, or no part of it is; and whoever asked is told which file had no room, and what to do.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use serde_json::json;

use super::{
    Counted,
    disk::Disk,
    folder::Folder,
    sender::Open,
    server::Server,
    work::{Sender, body},
};
use crate::process::{Failure, Result};

const SENDER: Sender = 1;
const BATCHES: u64 = 5;
/// The cluster that is shared, and its groups.
const NAME: &str = "told";
const GROUPS: u64 = 300;
const MEGABYTES: u64 = 24;
/// The least room that there is after none; then twice as much each time.
const LEAST: u64 = 4 * 1_024;
/// Far more than anything needs here.
const MOST: u64 = 8 << 20;

/// Those that write a file take its path last.
const VERBS: [&[&str]; 3] = [
    &["export", NAME, "--output"],
    &["table", "clusters", "--format", "csv", "--output"],
    &["stage", NAME, "--to", "team"],
];

/// What each failure says.
const TOLD: [&str; 3] = [
    "the disk is full: ",
    " was not written",
    "hint: free some space",
];

/// Runs it; or gives why it cannot.
///
/// # Errors
/// A part of something stayed, or it was told in other words.
pub fn run(bobbin: &Path) -> Result<std::result::Result<Counted, String>> {
    let folder = Folder::make("share")?;
    let disk = match Disk::mount(&folder.0.join("disk"), MEGABYTES)? {
        Ok(disk) => disk,
        Err(reason) => return Ok(Err(reason)),
    };
    let place = Place {
        bobbin,
        store: disk.0.join("store"),
        out: disk.0.join("out"),
    };
    let mut server = Server::start(bobbin, &place.store)?;
    let door = server.door()?;
    let bodies = (0..BATCHES).map(|number| body((SENDER, number)));
    for body in bodies.chain([told()]) {
        let answer = Open::to(&door, true)?.post(&door.token, &body)?;
        if answer.status != 200 {
            return Err(Failure::new(format!("refused with room: {answer:?}")));
        }
    }
    server.stop()?;
    fs::create_dir(&place.out)?;
    let mut counted = Counted::default();
    for verb in VERBS {
        counted.faults += place
            .tried(&disk, verb)
            .map_err(|error| Failure::new(format!("bobbin {} on a full disk: {error}", verb[0])))?;
    }
    let acknowledged = BTreeMap::from([(SENDER, (0..BATCHES).collect())]);
    counted.compare(&place.store, &acknowledged)?;
    Ok(Ok(counted))
}

struct Place<'a> {
    bobbin: &'a Path,
    store: PathBuf,
    out: PathBuf,
}

impl Place<'_> {
    /// Asks with no room, and with more of it each time, until it is done; gives how often it was not.
    fn tried(&self, disk: &Disk, verb: &[&str]) -> Result<u64> {
        let ballast = disk.0.join("ballast");
        // With all room first: keys, and what the desk and the ledger begin with, are made once.
        if !self.ask(verb)?.status.success() {
            return Err(Failure::new("not even with room"));
        }
        let (mut room, mut refused) = (0, 0);
        loop {
            self.clear()?;
            disk.fill(&ballast, room)?;
            let before = self.held()?;
            let output = self.ask(verb)?;
            if output.status.success() {
                break;
            }
            let said = String::from_utf8_lossy(&output.stderr);
            if !TOLD.iter().all(|words| said.contains(words)) {
                return Err(Failure::new(format!("not told as a full disk: {said}")));
            }
            if self.held()? != before {
                return Err(Failure::new(format!("a part stayed with {room} bytes")));
            }
            refused += 1;
            room = LEAST.max(room * 2);
            if room > MOST {
                return Err(Failure::new("there is room, and it is not written"));
            }
        }
        if refused == 0 {
            return Err(Failure::new("it was written where there is no room"));
        }
        fs::remove_file(&ballast)?;
        self.clear()?;
        Ok(refused)
    }

    fn file(&self) -> PathBuf {
        self.out.join("file")
    }

    fn ask(&self, verb: &[&str]) -> io::Result<Output> {
        let mut command = Command::new(self.bobbin);
        command.args(verb);
        if verb.last() == Some(&"--output") {
            command.arg(self.file());
        }
        command.arg("--data-dir").arg(&self.store).output()
    }

    /// Takes away what was written the time before.
    fn clear(&self) -> io::Result<()> {
        match fs::remove_file(self.file()) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// All that is there beside the store's own file and its log, and the ledger.
    fn held(&self) -> io::Result<(BTreeSet<PathBuf>, String)> {
        let mut names = BTreeSet::new();
        let mut folders = vec![self.store.clone(), self.out.clone()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder)? {
                let entry = entry?;
                let name = entry.file_name();
                if name.to_string_lossy().starts_with("bobbin.sqlite") {
                    continue;
                }
                if entry.path().is_dir() {
                    folders.push(entry.path());
                }
                names.insert(entry.path());
            }
        }
        let ledger = fs::read_to_string(self.store.join("ledger.ndjson"))?;
        Ok((names, ledger))
    }
}

/// A cluster that says who it is, and some groups.
fn told() -> Vec<u8> {
    let at = 1_795_000_000_000_000_i64;
    let mut body = json!({
        "kind": "header", "protocol": 1, "cluster_id": "Scheduler-told", "instance_id": "told", "first_seq": 1,
        "records": 1 + GROUPS, "sent_at_micros": at, "monotonic_micros": 1, "plugin_version": "0.1.0",
    })
    .to_string();
    let cluster = json!({
        "kind": "cluster", "at_micros": at, "name": NAME, "cluster_class": null, "scheduler_address": null,
        "dashboard_url": null, "started_micros": at, "user": "ada", "host": null, "project": null, "python_version": null,
        "python_path": null, "os": null, "architecture": null, "plugin_version": "0.1.0", "interval_micros": 10_000_000,
        "switches": {"code": false, "profile": false},
    });
    let groups = (0..GROUPS).map(|number| {
        json!({
            "kind": "task_group", "at_micros": at, "group_id": format!("g{number}"), "name": format!("inc-{number}"),
            "prefix": "inc", "states": {"memory": number}, "seconds": {"compute": 1.0}, "result_bytes": 1, "types": ["int"],
            "start_micros": at, "stop_micros": at, "dependencies": [], "final": false,
        })
    });
    for record in [cluster].into_iter().chain(groups) {
        body.push('\n');
        body.push_str(&record.to_string());
    }
    body.into_bytes()
}
