//! What is done while everything is noted: a first start, and after it all that somebody is told of as done.

use std::{
    collections::BTreeMap,
    fs,
    path::Path,
    process::{Command, Stdio},
};

use serde_json::Value;

use super::{
    notes::Notes,
    sender::Open,
    server::Server,
    work::{Batch, Sender, body, scheduler},
};
use crate::process::{Failure, Result};

const SENDERS: std::ops::RangeInclusive<Sender> = 1..=3;
/// Whose cluster is deleted. It sends the first batch alone, which adds nothing to what was ever used.
const GONE: Sender = 0;

/// Files that are made at the first start, and stay as they are.
const LASTING: [&str; 4] = [
    "token",
    "fingerprint_key",
    "certificate.pem",
    "certificate.key",
];

/// What somebody was told.
pub enum Told {
    /// Bobbin listens, and these files are in its folder.
    Listens(BTreeMap<&'static str, Vec<u8>>),
    Stored(Batch),
    /// A sender's cluster may go from now on.
    Deleting(Sender),
    /// It is gone.
    Deleted(Sender),
    /// There is a snapshot, a file of this name.
    Copied(String),
    /// A file was saved, and has its row of the ledger.
    Saved,
    /// A snapshot took the place of the store, which is in this folder now.
    Replaced(String),
}

/// A Bobbin that keeps its key in its folder: no keyring is there.
pub fn program(bobbin: &Path) -> Command {
    let mut program = Command::new(bobbin);
    program.env("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere");
    program
}

struct Story<'a> {
    bobbin: &'a Path,
    notes: &'a Notes,
    store: &'a Path,
    /// For files that nobody watches.
    beside: &'a Path,
    told: Vec<Told>,
}

/// Tells it with so many batches of each sender before a snapshot takes the place of the store, and as many after. Gives what was
/// told; the notes have its place there.
///
/// # Errors
/// Something of it did not work.
pub fn tell(
    bobbin: &Path,
    notes: &Notes,
    store: &Path,
    beside: &Path,
    batches: u64,
) -> Result<Vec<Told>> {
    let mut story = Story {
        bobbin,
        notes,
        store,
        beside,
        told: Vec::new(),
    };
    let each = |numbers: std::ops::Range<u64>| {
        numbers.flat_map(|number| SENDERS.map(move |sender| (sender, number)))
    };
    story.receive([(GONE, 0)].into_iter().chain(each(0..batches)))?;
    story.hear(Told::Deleting(GONE))?;
    story.ask(&["delete", &scheduler(GONE), "--now"])?;
    story.hear(Told::Deleted(GONE))?;
    let taken = story.ask(&["snapshot"])?;
    story.hear(Told::Copied(name(&taken["snapshot"]["file"])?))?;
    let file = beside.join("clusters.csv");
    let file = file.to_string_lossy();
    story.ask(&["table", "clusters", "--format", "csv", "--output", &file])?;
    story.hear(Told::Saved)?;
    // The copy is sealed to the key before this one.
    story.ask(&["key", "rotate"])?;
    let restored = story.ask(&["restore"])?;
    story.hear(Told::Replaced(name(&restored["replaced"])?))?;
    story.receive(each(batches..2 * batches))?;
    Ok(story.told)
}

impl Story<'_> {
    fn hear(&mut self, told: Told) -> Result {
        self.notes.acknowledge(self.told.len())?;
        self.told.push(told);
        Ok(())
    }

    fn program(&self) -> Command {
        let mut program = program(self.bobbin);
        self.notes.before(&mut program);
        program
    }

    /// A Bobbin starts, takes these batches, and ends.
    fn receive(&mut self, batches: impl Iterator<Item = Batch>) -> Result {
        let log = self.beside.join("story.log");
        let mut server = Server::start_as(&mut self.program(), self.store, &log)?;
        let door = server.door()?;
        let mut lasting = BTreeMap::new();
        for name in LASTING {
            lasting.insert(name, fs::read(self.store.join(name))?);
        }
        self.hear(Told::Listens(lasting))?;
        let mut open = Open::to(&door, false)?;
        for batch in batches {
            let answer = open.post(&door.token, &body(batch))?;
            if answer.status != 200 {
                return Err(Failure::new(format!("refused: {answer:?}")));
            }
            self.hear(Told::Stored(batch))?;
        }
        server.stop()
    }

    /// What a command answers.
    fn ask(&self, words: &[&str]) -> Result<Value> {
        let output = self
            .program()
            .arg("--data-dir")
            .arg(self.store)
            .arg("--json")
            .args(words)
            .stdin(Stdio::null())
            .output()?;
        let failed = |why: &str| Failure::new(format!("bobbin {}: {why}", words.join(" ")));
        if !output.status.success() {
            return Err(failed(&String::from_utf8_lossy(&output.stderr)));
        }
        serde_json::from_slice(&output.stdout).map_err(|error| failed(&error.to_string()))
    }
}

/// The last part of a path that a command answered.
fn name(path: &Value) -> Result<String> {
    path.as_str()
        .and_then(|path| Path::new(path).file_name())
        .map(|name| name.to_string_lossy().into_owned())
        .ok_or_else(|| Failure::new(format!("{path} is no file")))
}
