//! A user of their own: home, data folder, Dask configuration, environment.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use super::Outcome;

/// Everything that a story touches lies in here and goes with it.
pub struct Sandbox {
    dir: TempDir,
    /// What its processes see besides the bare necessities.
    variables: BTreeMap<String, String>,
}

impl Sandbox {
    /// A new user who never used Dask or Bobbin.
    pub fn new() -> Self {
        let dir = tempfile::Builder::new()
            .prefix("bobbin-story-")
            .tempdir()
            .unwrap();
        for folder in ["home", "work", "tmp"] {
            fs::create_dir(dir.path().join(folder)).unwrap();
        }
        let mut sandbox = Self {
            dir,
            variables: BTreeMap::new(),
        };
        sandbox.set("HOME", sandbox.path("home").display());
        sandbox.set("TMPDIR", sandbox.path("tmp").display());
        sandbox.set("DASK_TEMPORARY_DIRECTORY", sandbox.path("tmp").display());
        sandbox.set("DASK_CONFIG", sandbox.dask_config().display());
        // Whatever is on the machine's own configuration does not count.
        sandbox.set("DASK_ROOT_CONFIG", sandbox.path("none").display());
        sandbox.set("BOBBIN_DATA_DIR", sandbox.data_dir().display());
        sandbox.set("DASK_BOBBIN__INTERVAL", "0.5s");
        // Dask's watch over the interpreter's lock aborts a process now and then that ends while it asks for that lock.
        sandbox.set(
            "DASK_DISTRIBUTED__ADMIN__SYSTEM_MONITOR__GIL__ENABLED",
            "false",
        );
        sandbox.set("PYTHONPATH", stories().display());
        sandbox.set("NO_PROXY", "127.0.0.1,localhost");
        sandbox.set("PATH", std::env::var("PATH").unwrap_or_default());
        sandbox.set("LANG", "C.UTF-8");
        sandbox
    }

    /// Sets a variable for every process from now on.
    pub fn set(&mut self, name: &str, value: impl ToString) {
        self.variables.insert(name.into(), value.to_string());
    }

    /// Takes a variable away from every process from now on.
    pub fn unset(&mut self, name: &str) {
        self.variables.remove(name);
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub fn data_dir(&self) -> PathBuf {
        self.path("home/data")
    }

    pub fn dask_config(&self) -> PathBuf {
        self.path("home/.config/dask")
    }

    /// A command that sees this user's world and nothing else.
    pub fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .envs(&self.variables)
            .current_dir(self.path("work"));
        command
    }

    /// Runs `bobbin` on this user's data folder.
    pub fn bobbin(&self, arguments: &[&str]) -> Outcome {
        let mut command = self.command(Path::new(env!("CARGO_BIN_EXE_bobbin")));
        command
            .arg("--data-dir")
            .arg(self.data_dir())
            .args(arguments);
        Outcome::of(&mut command)
    }

    /// What a POSIX shell of this user prints for a script.
    #[track_caller]
    pub fn shell(&self, script: &str) -> String {
        let outcome = Outcome::of(
            self.command(Path::new("/bin/sh"))
                .args(["-eu", "-c", script]),
        );
        assert_eq!(outcome.code, 0, "{outcome:?}");
        outcome.out
    }

    /// Every file below `folder` with its bytes, and every folder, by relative path.
    pub fn contents(folder: &Path) -> BTreeMap<PathBuf, Option<Vec<u8>>> {
        let mut found = BTreeMap::new();
        let mut open = vec![folder.to_path_buf()];
        while let Some(here) = open.pop() {
            for entry in fs::read_dir(&here).into_iter().flatten().flatten() {
                let path = entry.path();
                let name = path.strip_prefix(folder).unwrap().to_path_buf();
                if path.is_dir() {
                    found.insert(name, None);
                    open.push(path);
                } else {
                    // Sockets cannot be read; files can go while one looks.
                    found.insert(name, fs::read(&path).ok());
                }
            }
        }
        found
    }
}

/// The folder of stories and their scripts.
pub fn stories() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/stories")
}
