//! One suite: what it runs, for how long at most, and how its words become counts.

use std::{
    fs::{self, File},
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use super::{
    again,
    counts::{Counting, Counts},
    lane, tree,
};
use crate::{
    files::{tail, target},
    process::{say, shown},
    setup::free_bytes,
};

/// How often a running program is looked at.
const LOOK: Duration = Duration::from_millis(50);

/// How often a long suite shows that it lives, by the last line of its log.
const TELL: Duration = Duration::from_secs(60);

/// A part of the tests that is run and counted as one.
pub struct Suite {
    /// As in `--only` and the report.
    pub name: &'static str,
    /// Whether `--quick` runs it.
    pub quick: bool,
    /// After this it is stopped and counts as failed.
    pub limit: Duration,
    pub counting: Counting,
    /// Whether it runs while others do.
    pub lane: Lane,
    /// What to run, decided when its turn comes.
    pub plan: fn() -> Plan,
}

/// Tests wait much, for processes and reports; compilers never do. So those run in the time that tests leave.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Lane {
    /// One after the other, with the machine to itself.
    Front,
    /// Behind those, with what processor time they leave.
    Behind,
}

/// What a suite runs.
pub enum Plan {
    /// These, one after the other, until one fails.
    Run(Vec<Command>),
    /// Nothing, and why.
    Skip(String),
}

/// How a suite ended.
pub struct Outcome {
    pub name: &'static str,
    pub counts: Counts,
    pub seconds: f64,
    /// Absent when the whole suite was skipped.
    pub log: Option<PathBuf>,
    /// Whether it failed on a full disk.
    pub disk_full: bool,
}

impl Suite {
    /// Runs it. Nothing that goes wrong here stops the suites after it, but for a full disk.
    pub fn run(&self) -> Outcome {
        let begun = Instant::now();
        let outcome = |counts, log| Outcome {
            name: self.name,
            counts,
            seconds: begun.elapsed().as_secs_f64(),
            log,
            disk_full: false,
        };
        let mut commands = match (self.plan)() {
            Plan::Run(commands) if self.lane == Lane::Behind => {
                commands.into_iter().map(behind).collect()
            }
            Plan::Run(commands) => commands,
            Plan::Skip(reason) => {
                say(self.name, &format!("skipped: {reason}"));
                return outcome(Counts::skipped(self.name, reason), None);
            }
        };
        say(self.name, "…");
        let (succeeded, log) = self.run_logged(&mut commands, self.name);
        let words = String::from_utf8_lossy(&fs::read(&log).unwrap_or_default()).into_owned();
        let mut counts = self.counting.read(&words, succeeded);
        let narrowed = commands
            .last()
            .filter(|_| !succeeded)
            .and_then(|test| again::narrowed(self.counting, test, &words));
        if let Some(narrowed) = narrowed {
            say(self.name, &format!("{counts}; what failed, once more …"));
            let name = format!("{}-again", self.name);
            if self.run_logged(&mut [narrowed], &name).0 {
                counts = counts.passed_again();
            }
        }
        let mut outcome = outcome(counts, Some(log));
        outcome.disk_full = outcome.counts.failed > 0 && lane::is_full(&words, free_bytes());
        say(
            self.name,
            &format!("{} in {:.0} s", outcome.counts, outcome.seconds),
        );
        outcome
    }

    /// Whether all ended well within the suite's limit, and the log of that name.
    fn run_logged(&self, commands: &mut [Command], name: &str) -> (bool, PathBuf) {
        let log = target().join("test-logs").join(format!("{name}.log"));
        let succeeded =
            run_all(commands, &log, Instant::now() + self.limit).unwrap_or_else(|error| {
                eprintln!("    {error}");
                false
            });
        (succeeded, log)
    }
}

/// The same command for whoever has time, with a folder of its own for what it builds: cargo lets one at a time into a folder.
fn behind(command: Command) -> Command {
    let mut behind = Command::new("nice");
    behind.args(["-n", "19"]).arg(command.get_program());
    behind.args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => behind.env(name, value),
            None => behind.env_remove(name),
        };
    }
    if let Some(folder) = command.get_current_dir() {
        behind.current_dir(folder);
    }
    behind.env("CARGO_TARGET_DIR", target().join("behind"));
    behind
}

/// Whether all ended with status 0 before `deadline`. Both streams go to the log, in the order they were written.
fn run_all(commands: &mut [Command], log: &Path, deadline: Instant) -> std::io::Result<bool> {
    fs::create_dir_all(log.parent().unwrap_or(log))?;
    let mut file = File::create(log)?;
    for command in commands {
        writeln!(file, "$ {}", shown(command))?;
        let mut child = command
            // Words only: a log is read by people later, and by the counting below.
            .envs([
                ("NO_COLOR", "1"),
                ("FORCE_COLOR", "0"),
                ("TERM", "dumb"),
                ("CARGO_TERM_COLOR", "never"),
            ])
            .stdin(Stdio::null())
            .stdout(file.try_clone()?)
            .stderr(file.try_clone()?)
            .spawn()?;
        let mut told = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait()? {
                break Some(status);
            }
            if Instant::now() > deadline {
                tree::stop(child.id());
                child.wait()?;
                break None;
            }
            if told.elapsed() > TELL {
                told = Instant::now();
                say("", &tail(log, 1));
            }
            thread::sleep(LOOK);
        };
        match status {
            Some(status) if status.success() => {}
            Some(status) => {
                writeln!(file, "ended with {status}")?;
                return Ok(false);
            }
            None => {
                writeln!(file, "stopped: it took longer than its limit")?;
                return Ok(false);
            }
        }
    }
    Ok(true)
}
