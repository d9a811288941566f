//! The first start, where a small real disk is full or nearly: at each amount of room it listens, or says that the disk is full, and
//! what is made once is whole or not there. Once there is room the same folder starts, with the keys that it has, and they open what
//! was sealed.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use bobbin_core::{
    Code, Error,
    install::{Sharing, change_settings, settings},
};

use super::{
    Counted,
    disk::Disk,
    folder::Folder,
    sender::{Door, Open},
    server::Server,
    work::{Sender, body, scheduler, text},
};
use crate::process::{Failure, Result};

const SENDER: Sender = 1;
/// Batches of each round.
const BATCHES: u64 = 2;
const MEGABYTES: u64 = 24;
/// The least room that there is after none: a page. Then twice as much each time.
const LEAST: u64 = 4 * 1_024;
/// Far more than a first start takes.
const MOST: u64 = 8 << 20;
const CERTIFICATE: &str = "certificate.pem";
const CERTIFICATE_KEY: &str = "certificate.key";
/// What a start makes once.
const MADE: [&str; 6] = [
    "key",
    "public_key",
    "fingerprint_key",
    "token",
    CERTIFICATE_KEY,
    CERTIFICATE,
];

/// Files that a start made once, with what they hold.
type Made = BTreeMap<&'static str, Vec<u8>>;

/// Runs it; or gives why it cannot.
///
/// # Errors
/// It was told in other words, a part of something stayed, or it does not start once there is room.
pub fn run(bobbin: &Path) -> Result<std::result::Result<Counted, String>> {
    let folder = Folder::make("first")?;
    let disk = match Disk::mount(&folder.0.join("disk"), MEGABYTES)? {
        Ok(disk) => disk,
        Err(reason) => return Ok(Err(reason)),
    };
    let mut tried = Tried {
        bobbin,
        store: disk.0.join("store"),
        ballast: disk.0.join("ballast"),
        log: folder.0.join("log"),
        disk: &disk,
        counted: Counted::default(),
    };
    let mut last = (0, tried.with(0)?);
    if last.1 == Reached::LISTENS {
        return Err(Failure::new("it started where there is no room"));
    }
    while last.0 < MOST {
        let room = LEAST.max(last.0 * 2);
        let next = (room, tried.with(room)?);
        tried.between(last, next)?;
        last = next;
    }
    match last.1 {
        Reached::LISTENS => Ok(Ok(tried.counted)),
        _ => Err(Failure::new("there is room, and it does not start")),
    }
}

/// How far a start came: how much of [`MADE`] it made, and more than that where it listened.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Reached(usize);

impl Reached {
    const LISTENS: Self = Self(MADE.len() + 1);
}

struct Tried<'a> {
    bobbin: &'a Path,
    disk: &'a Disk,
    store: PathBuf,
    ballast: PathBuf,
    log: PathBuf,
    counted: Counted,
}

impl Tried<'_> {
    /// Tries what is between two amounts of room, as closely as it takes to meet each file with a page too little.
    fn between(&mut self, low: (u64, Reached), high: (u64, Reached)) -> Result {
        let room = low.0.midpoint(high.0);
        if low.1 == high.1 || room - low.0 < LEAST {
            return Ok(());
        }
        let middle = (room, self.with(room)?);
        self.between(low, middle)?;
        self.between(middle, high)
    }

    /// A first start with so much room, and a second one with all of it.
    fn with(&mut self, room: u64) -> Result<Reached> {
        self.disk.fill(&self.ballast, room)?;
        let reached = self
            .started()
            .map_err(|error| Failure::new(format!("with {room} bytes left: {error}")))?;
        fs::remove_dir_all(&self.store)?;
        Ok(reached)
    }

    fn started(&mut self) -> Result<Reached> {
        let mut acknowledged = Vec::new();
        let reached = match Server::listening(self.bobbin, &self.store, &self.log)? {
            Ok((mut server, door)) => {
                if post(&door, 0)? {
                    acknowledged.push(0);
                }
                server.kill()?;
                Reached::LISTENS
            }
            Err(said) if said.contains("the disk is full") => {
                self.counted.faults += 1;
                Reached(self.made()?.len())
            }
            Err(said) => return Err(Failure::new(format!("not told as a full disk: {said}"))),
        };
        self.set()?;
        let mut before = self.made()?;
        if !before.contains_key(CERTIFICATE) {
            // Without its certificate it stands for nothing, and both are made anew.
            before.remove(CERTIFICATE_KEY);
        }
        fs::remove_file(&self.ballast)?;
        let (server, door) = Server::listening(self.bobbin, &self.store, &self.log)?
            .map_err(|said| Failure::new(format!("it does not start with room: {said}")))?;
        let after = self.made()?;
        if after.len() < MADE.len() || before.iter().any(|(name, held)| after[name] != *held) {
            return Err(Failure::new("what is made once was made anew"));
        }
        for number in acknowledged.len() as u64..BATCHES {
            if !post(&door, number)? {
                return Err(Failure::new("there is room, and nothing is taken"));
            }
            acknowledged.push(number);
        }
        server.stop()?;
        self.opened()?;
        let acknowledged = BTreeMap::from([(SENDER, acknowledged)]);
        self.counted.compare(&self.store, &acknowledged)?;
        Ok(reached)
    }

    /// What of [`MADE`] is there.
    fn made(&self) -> Result<Made> {
        let mut made = Made::new();
        for entry in fs::read_dir(&self.store)? {
            let entry = entry?;
            let name = entry.file_name();
            if name.to_string_lossy().ends_with(".new") {
                return Err(Failure::new(format!("a part stayed: {name:?}")));
            }
            if let Some(known) = MADE.into_iter().find(|known| name == *known) {
                made.insert(known, fs::read(entry.path())?);
            }
        }
        Ok(made)
    }

    /// A setting that is changed meanwhile is changed, or it is told that the disk is full and all is as it was.
    fn set(&self) -> Result {
        let told = |error: Error| Failure::new(format!("a setting: {error}"));
        let set = change_settings(&self.store, |set| {
            set.sharing = Some(Sharing::Local);
            Ok(())
        });
        let is_set = match set {
            Ok(()) => true,
            Err(error) if error.code() == Code::DiskFull => false,
            Err(error) => return Err(told(error)),
        };
        match settings(&self.store).map_err(told)?.sharing.is_some() == is_set {
            true => Ok(()),
            false => Err(Failure::new("a setting is half set")),
        }
    }

    /// Whether the key opens what was sealed.
    fn opened(&self) -> Result {
        let output = Command::new(self.bobbin)
            .args(["show", &scheduler(SENDER), "--json"])
            .arg("--data-dir")
            .arg(&self.store)
            .output()?;
        let shown = String::from_utf8_lossy(&output.stdout);
        match (0..BATCHES).all(|number| shown.contains(&text(number))) {
            true => Ok(()),
            false => Err(Failure::new(format!(
                "what was sealed is not opened: {shown}{}",
                String::from_utf8_lossy(&output.stderr)
            ))),
        }
    }
}

/// Whether a batch was taken.
fn post(door: &Door, number: u64) -> Result<bool> {
    let answer = Open::to(door, true)?.post(&door.token, &body((SENDER, number)))?;
    Ok(answer.status == 200)
}
