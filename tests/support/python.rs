//! The Python environments, and Dask's processes in them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::lacking::{lacking, skipped};
use super::sandbox::stories;
use super::{Process, Sandbox};

/// Later ones have no longer what Spark asks who runs it.
const NEWEST_JAVA: u32 = 22;

/// One environment with a release of Dask and of the published client.
pub struct Python {
    bin: PathBuf,
}

/// The newest Dask and the newest client; `None`, said aloud, where there is no such environment.
pub fn newest(story: &str) -> Option<Python> {
    environment(story, "newest")
}

/// Dask and client of 2022. Its `LocalCluster` does not start on this Python: start scheduler and workers.
pub fn old(story: &str) -> Option<Python> {
    environment(story, "2022")
}

/// The environment of this name in `tests/envs`; `None`, said aloud, where there is none.
pub fn environment(story: &str, name: &str) -> Option<Python> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/python");
    let bin = folder.join(name).join("bin");
    if let Ok(reason) = fs::read_to_string(folder.join(format!("{name}.missing"))) {
        // The set-up tried.
        skipped(story, &reason);
        return None;
    }
    if bin.join("python").exists() {
        return Some(Python { bin });
    }
    let reason = format!(
        "there is no Python environment target/python/{name} (`cargo xtask setup` makes it)"
    );
    lacking(story, &reason);
    None
}

/// Whether this machine has a Java on which the Spark of the environments runs; where it has none, that is said aloud.
#[track_caller]
pub fn java(story: &str) -> bool {
    let asked = Command::new("java").arg("-version").output();
    let Some(printed) = asked.ok().filter(|output| output.status.success()) else {
        lacking(story, "there is no Java (`cargo xtask setup` installs it)");
        return false;
    };
    let printed = String::from_utf8_lossy(&printed.stderr);
    let newer = java_major(&printed).filter(|major| *major > NEWEST_JAVA);
    if let Some(major) = newer {
        skipped(
            story,
            &format!("Spark runs on Java {NEWEST_JAVA} at most, and this is Java {major}"),
        );
    }
    newer.is_none()
}

/// `openjdk version "17.0.15" 2025-04-15` as 17; what is older than 9 begins with a 1.
fn java_major(printed: &str) -> Option<u32> {
    let (_, version) = printed.split_once('"')?;
    let digits = version.split(|one: char| !one.is_ascii_digit()).next();
    digits?.parse().ok()
}

impl Python {
    /// A script of the stories, ready to start.
    pub fn script(&self, sandbox: &Sandbox, name: &str) -> Command {
        let mut command = sandbox.command(&self.bin.join("python"));
        command.arg("-W").arg("ignore").arg(stories().join(name));
        command
    }

    /// Starts a script of the stories.
    #[track_caller]
    pub fn run(&self, sandbox: &Sandbox, name: &str, arguments: &[&str]) -> Process {
        Process::start(name, self.script(sandbox, name).args(arguments))
    }

    /// Starts a scheduler of its own process, by Dask's own command line. It tells its address in a file.
    #[track_caller]
    pub fn scheduler(&self, sandbox: &Sandbox, arguments: &[&str]) -> Process {
        let mut command = self.dask(sandbox, "scheduler");
        command
            .args([
                "--host",
                "127.0.0.1",
                "--port",
                "0",
                "--no-dashboard",
                "--scheduler-file",
            ])
            .arg(scheduler_file(sandbox))
            .args(arguments);
        Process::start("scheduler", &mut command)
    }

    /// `dask scheduler`, or the `dask-scheduler` of releases that have no such word.
    fn dask(&self, sandbox: &Sandbox, word: &str) -> Command {
        let one_word = self.bin.join(format!("dask-{word}"));
        if one_word.exists() {
            return sandbox.command(&one_word);
        }
        let mut command = sandbox.command(&self.bin.join("dask"));
        command.arg(word);
        command
    }

    /// Starts a worker of two threads and 1 GiB for the scheduler of this sandbox.
    #[track_caller]
    pub fn worker(&self, sandbox: &Sandbox) -> Process {
        let mut command = self.dask(sandbox, "worker");
        command
            .args([
                "--host",
                "127.0.0.1",
                "--nthreads",
                "2",
                "--memory-limit",
                "1GiB",
                "--no-nanny",
                "--no-dashboard",
                "--scheduler-file",
            ])
            .arg(scheduler_file(sandbox));
        Process::start("worker", &mut command)
    }
}

/// Where a scheduler started by [`Python::scheduler`] says where it is.
pub fn scheduler_file(sandbox: &Sandbox) -> PathBuf {
    sandbox.path("work/scheduler.json")
}

#[test]
fn java_prints_its_version_in_quotes() {
    assert_eq!(java_major("openjdk version \"17.0.15\""), Some(17));
    assert_eq!(java_major("openjdk version \"25\" 2025-09-16"), Some(25));
    assert_eq!(java_major("openjdk version \"26-ea\" 2026-03-17"), Some(26));
    assert_eq!(java_major("java version \"1.8.0_202\""), Some(1));
    assert_eq!(java_major("Unrecognized option"), None);
}
