//! The real binary: its verbs, and its receiver.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::{Process, Sandbox};

/// How a verb ended.
#[derive(Debug)]
pub struct Outcome {
    pub code: i32,
    pub out: String,
    pub talk: String,
}

impl Outcome {
    /// Runs a command to its end.
    #[track_caller]
    pub fn of(command: &mut Command) -> Self {
        let output = command.output().unwrap();
        Self {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8(output.stdout).unwrap(),
            talk: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// Its stdout as the one JSON document that it must be.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.out)
            .unwrap_or_else(|e| panic!("not one JSON document ({e}): {self:?}"))
    }

    /// Its JSON document, if it ended with 0.
    pub fn done(&self) -> Result<Value, String> {
        if self.code == 0 {
            Ok(self.json())
        } else {
            Err(format!("exit {}: {}", self.code, self.talk))
        }
    }
}

/// A running `bobbin serve`.
pub struct Server {
    pub process: Process,
    /// The one line that it printed.
    pub listening: Value,
}

impl Server {
    /// Starts a receiver on a free port, and waits until it listens.
    #[track_caller]
    pub fn start(sandbox: &Sandbox) -> Self {
        Self::start_with(sandbox, &[])
    }

    #[track_caller]
    pub fn start_with(sandbox: &Sandbox, arguments: &[&str]) -> Self {
        Self::start_logging(sandbox, "debug", arguments)
    }

    /// The same, with so much in its log.
    #[track_caller]
    pub fn start_logging(sandbox: &Sandbox, log: &str, arguments: &[&str]) -> Self {
        let command = sandbox.command(Path::new(env!("CARGO_BIN_EXE_bobbin")));
        Self::started_by(command, sandbox, log, arguments)
    }

    /// The same, where the system keeps as much as it may of the memory of what crashes.
    #[track_caller]
    pub fn start_with_cores(sandbox: &Sandbox, log: &str, arguments: &[&str]) -> Self {
        let mut command = sandbox.command(Path::new("/bin/sh"));
        command
            .arg("-c")
            .arg("ulimit -S -c \"$(ulimit -H -c)\"; exec \"$0\" \"$@\"")
            .arg(env!("CARGO_BIN_EXE_bobbin"));
        Self::started_by(command, sandbox, log, arguments)
    }

    #[track_caller]
    fn started_by(mut command: Command, sandbox: &Sandbox, log: &str, arguments: &[&str]) -> Self {
        command
            .env("BOBBIN_LOG", log)
            .arg("--data-dir")
            .arg(sandbox.data_dir())
            .args(["serve", "--port", "0"])
            .args(arguments);
        let mut process = Process::start("bobbin serve", &mut command);
        let listening = process.hear();
        assert_eq!(listening["event"], "listening", "{listening}");
        Self { process, listening }
    }

    /// Such as `127.0.0.1:41234`.
    pub fn tcp(&self) -> &str {
        self.listening["tcp"].as_str().unwrap()
    }

    pub fn token_file(&self) -> PathBuf {
        self.listening["token_file"].as_str().unwrap().into()
    }

    /// Ends it as a fault would; gives all that it said.
    pub fn crash(mut self) -> String {
        self.process.abort();
        self.process.talk()
    }

    /// Stops it as a user would, and checks that it drained and ended with 0.
    #[track_caller]
    pub fn stop(mut self) {
        self.process.terminate();
        self.process.end_well();
    }
}
