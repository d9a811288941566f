//! `bobbin serve`, to be killed.

use std::{
    fs,
    io::{self, BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use serde_json::Value;

use super::sender::Door;
use crate::{
    ending::Held,
    process::{Failure, Result},
};

/// The exit code of a verb that was tried and went wrong.
const FAILED: i32 = 1;

pub struct Server {
    child: Child,
    _held: Held,
    stdout: Option<BufReader<std::process::ChildStdout>>,
    /// What it says on stderr.
    log: PathBuf,
}

impl Server {
    /// Starts one, and does not wait. Its log is beside its store.
    ///
    /// # Errors
    /// There is no such program.
    pub fn start(bobbin: &Path, store: &Path) -> Result<Self> {
        Self::start_as(&mut Command::new(bobbin), store, &log(store))
    }

    /// Starts one, and waits until it listens; or gives what it said when it ended by itself, in order, as one that failed.
    ///
    /// # Errors
    /// There is no such program, or it ended in another way.
    pub fn listening(
        bobbin: &Path,
        store: &Path,
        log: &Path,
    ) -> Result<std::result::Result<(Self, Door), String>> {
        let mut server = Self::start_as(&mut Command::new(bobbin), store, log)?;
        if let Some(door) = server.hear()? {
            return Ok(Ok((server, door)));
        }
        let status = server.child.wait()?;
        let said = fs::read_to_string(log)?;
        match status.code() {
            Some(FAILED) => Ok(Err(said)),
            _ => Err(Failure::new(format!(
                "bobbin serve ended with {status}: {said}"
            ))),
        }
    }

    /// The same as [`Server::start`] with a program to which more was said, and another file for what it says itself.
    ///
    /// # Errors
    /// As [`Server::start`].
    pub fn start_as(bobbin: &mut Command, store: &Path, log: &Path) -> Result<Self> {
        bobbin
            .args(["serve", "--port", "0", "--data-dir"])
            .arg(store)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(fs::File::create(log)?);
        let (mut child, held) = Held::victim(bobbin)?;
        let stdout = child.stdout.take().map(BufReader::new);
        Ok(Self {
            child,
            _held: held,
            stdout,
            log: log.into(),
        })
    }

    /// What the one that was started last for this store said.
    pub fn said(store: &Path) -> String {
        fs::read_to_string(log(store)).unwrap_or_default()
    }

    /// Waits until it listens.
    ///
    /// # Errors
    /// It ended instead.
    pub fn door(&mut self) -> Result<Door> {
        self.hear()?.ok_or_else(|| {
            let said = fs::read_to_string(&self.log).unwrap_or_default();
            Failure::new(format!("bobbin serve did not start: {said}"))
        })
    }

    /// Where it listens, once it does; none where it ended instead.
    fn hear(&mut self) -> Result<Option<Door>> {
        let mut line = String::new();
        if let Some(stdout) = &mut self.stdout {
            stdout.read_line(&mut line)?;
        }
        let Ok(said) = serde_json::from_str::<Value>(&line) else {
            return Ok(None);
        };
        let word = |name: &str| said[name].as_str().unwrap_or_default().to_owned();
        Ok(Some(Door {
            tcp: word("tcp"),
            socket: word("socket"),
            token: fs::read_to_string(word("token_file"))?.trim().to_owned(),
        }))
    }

    /// SIGKILL.
    ///
    /// # Errors
    /// It cannot be waited for.
    pub fn kill(&mut self) -> Result {
        self.child.kill()?;
        self.child.wait()?;
        Ok(())
    }

    /// A signal by its name: `STOP`, `CONT`.
    ///
    /// # Errors
    /// It cannot be sent.
    pub fn signal(&self, name: &str) -> Result {
        let pid = self.child.id().to_string();
        let sent = Command::new("kill").args(["-s", name, &pid]).status()?;
        if sent.success() {
            Ok(())
        } else {
            Err(Failure::new(format!("SIG{name} cannot be sent to {pid}")))
        }
    }

    /// SIGTERM, and a clean end.
    ///
    /// # Errors
    /// It did not end with 0.
    pub fn stop(mut self) -> Result {
        self.signal("TERM")?;
        let status = self.child.wait()?;
        if status.success() {
            Ok(())
        } else {
            Err(Failure::new(format!("bobbin serve ended with {status}")))
        }
    }
}

/// Starts a verb that is done without a word.
///
/// # Errors
/// There is no such program.
pub fn verb(bobbin: &Path, store: &Path, words: &[&str]) -> io::Result<Child> {
    Command::new(bobbin)
        .args(words)
        .arg("--data-dir")
        .arg(store)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
}

fn log(store: &Path) -> PathBuf {
    store.with_extension("log")
}

impl Drop for Server {
    fn drop(&mut self) {
        // Already gone, unless something else failed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
