//! The Python environments of the tests, `target/python/NAME`, from the locked lists in `tests/envs`.

use std::{
    env, fs, io,
    path::{Path, PathBuf},
    process::Command,
    thread,
};

use crate::{
    files::{root, target},
    process::{Failure, Result, ask, run, say},
    stamp::Stamp,
};

/// One release of Dask on one release of Python.
struct Environment {
    name: &'static str,
    /// What is installed.
    list: &'static str,
    python: &'static str,
    need: Need,
}

/// Whether the tests can do without an environment. What they then leave out they say, and why.
#[derive(PartialEq)]
enum Need {
    Always,
    /// Few machines have this Python beside their own, and not all can fetch it.
    IfToBeHad,
}

const ENVIRONMENTS: [Environment; 11] = [
    // The tests themselves run on this one, and the published client with it.
    needed("newest"),
    // Both generations of the published client install on Python 3.11.
    needed("2022"),
    needed("2023"),
    needed("objects"),
    needed("programs"),
    needed("reports"),
    where_there_is("oldest", "3.9"),
    where_there_is("2024", "3.10"),
    where_there_is("2025", "3.12"),
    where_there_is("newest-python", "3.13"),
    Environment {
        name: "python-3.14",
        ..where_there_is("newest-python", "3.14")
    },
];

const fn needed(name: &'static str) -> Environment {
    Environment {
        name,
        list: name,
        python: "3.11",
        need: Need::Always,
    }
}

const fn where_there_is(name: &'static str, python: &'static str) -> Environment {
    Environment {
        name,
        list: name,
        python,
        need: Need::IfToBeHad,
    }
}

/// Makes the environment of a peer of a bench unless it is there: its interpreter. Tests do without it.
///
/// # Errors
/// As [`environments`].
#[cfg(feature = "bench")]
pub fn peer_python(name: &'static str) -> Result<PathBuf> {
    let peer = needed(name);
    let stamp = peer.stamp()?;
    let python = environment_python(name);
    if !(stamp.is_current() && python.exists()) {
        peer.make(&uv()?, &stamp)?;
    }
    Ok(python)
}

/// The interpreter of one environment.
pub fn environment_python(name: &str) -> PathBuf {
    folder(name).join("bin/python")
}

fn folder(name: &str) -> PathBuf {
    target().join("python").join(name)
}

fn list(name: &str) -> PathBuf {
    root().join(format!("tests/envs/{name}.txt"))
}

/// What the source packages of a list are built with, if there is such a file.
fn builders(name: &str) -> PathBuf {
    root().join(format!("tests/envs/{name}.build.txt"))
}

/// Makes the environments, those whose list changed, all at once: each waits mostly for the network and the disk.
///
/// # Errors
/// There is no Python 3.11, or a package cannot be had.
pub fn environments() -> Result {
    let mut stale = Vec::new();
    for environment in &ENVIRONMENTS {
        let stamp = environment.stamp()?;
        let there = environment_python(environment.name).exists() && !environment.reason().exists();
        if stamp.is_current() && there {
            say(&environment.step(), "unchanged");
        } else {
            stale.push((environment, stamp));
        }
    }
    if stale.is_empty() {
        return Ok(());
    }
    let uv = uv()?;
    thread::scope(|scope| {
        let making: Vec<_> = stale
            .iter()
            .map(|(environment, stamp)| scope.spawn(|| environment.make(&uv, stamp)))
            .collect();
        making.into_iter().try_for_each(|made| {
            made.join()
                .unwrap_or_else(|_| Err(Failure::new("making a Python environment panicked")))
        })
    })
}

impl Environment {
    fn step(&self) -> String {
        format!("Python {}", self.name)
    }

    fn stamp(&self) -> io::Result<Stamp> {
        let name = format!("python-{}", self.name);
        let lists = [list(self.list), builders(self.list)];
        Stamp::of(&name, &lists, self.python)
    }

    /// Why it is not there. The tests that need it read this and skip with these words.
    fn reason(&self) -> PathBuf {
        target()
            .join("python")
            .join(format!("{}.missing", self.name))
    }

    fn make(&self, uv: &Path, stamp: &Stamp) -> Result {
        let found = interpreter(uv, self.python);
        let wanted = format!("installing what tests/envs/{}.txt names", self.list);
        say(&self.step(), &wanted);
        let mut venv = Command::new(uv);
        venv.args(["venv", "--quiet", "--clear", "--python"])
            // Where there is none, uv tries to fetch it.
            .arg(found.unwrap_or_else(|| self.python.into()))
            .arg(folder(self.name));
        match run(&mut venv) {
            Err(_) if self.need != Need::Always => {
                return self.leave_out(&format!(
                    "there is no Python {} here, and none to be had",
                    self.python
                ));
            }
            done => done?,
        }
        let mut sync = Command::new(uv);
        sync.args(["pip", "sync", "--quiet", "--require-hashes", "--python"])
            .arg(environment_python(self.name))
            .arg(list(self.list));
        let builders = builders(self.list);
        if builders.is_file() {
            sync.arg("--build-constraints").arg(builders);
        }
        run(&mut sync)?;
        if self.reason().exists() {
            fs::remove_file(self.reason())?;
        }
        Ok(stamp.keep()?)
    }

    fn leave_out(&self, reason: &str) -> Result {
        say(&self.step(), &format!("left out: {reason}"));
        fs::create_dir_all(target().join("python"))?;
        Ok(fs::write(self.reason(), reason)?)
    }
}

/// The interpreter of this release where uv or pyenv has one.
fn interpreter(uv: &Path, release: &str) -> Option<PathBuf> {
    let found = ask(Command::new(uv).args([
        "python",
        "find",
        "--system",
        "--no-python-downloads",
        release,
    ]));
    found.map(PathBuf::from).or_else(|| in_pyenv(release))
}

/// uv sees only pyenv's shims, and those work only for the releases that are switched on.
fn in_pyenv(release: &str) -> Option<PathBuf> {
    let home = env::var_os("PYENV_ROOT")
        .map(PathBuf::from)
        .or_else(|| Some(PathBuf::from(env::var_os("HOME")?).join(".pyenv")))?;
    let mut found: Vec<PathBuf> = fs::read_dir(home.join("versions"))
        .ok()?
        .flatten()
        .map(|entry| entry.path().join("bin").join(format!("python{release}")))
        .filter(|python| python.is_file())
        .collect();
    found.sort();
    found.pop()
}

/// The tool that makes them, in an environment of its own.
fn uv() -> Result<PathBuf> {
    let home = folder("tools");
    let uv = home.join("bin/uv");
    let stamp = Stamp::of("python-tools", &[list("uv")], "")?;
    if stamp.is_current() && uv.exists() {
        return Ok(uv);
    }
    say("Python tools", "installing uv");
    if home.exists() {
        fs::remove_dir_all(&home)?;
    }
    run(Command::new(system_python()?)
        .args(["-m", "venv"])
        .arg(&home))?;
    let mut install = Command::new(home.join("bin/python"));
    install
        .args([
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "--require-hashes",
            "--requirement",
        ])
        .arg(list("uv"));
    run(&mut install)?;
    stamp.keep()?;
    Ok(uv)
}

/// Any Python 3 with venv will do to install uv; uv then finds the one of the right version.
fn system_python() -> Result<&'static str> {
    ["python3.11", "python3"]
        .into_iter()
        .find(|name| ask(Command::new(name).args(["-c", "import ensurepip, venv"])).is_some())
        .ok_or_else(|| {
            Failure::new("Python 3 with venv is needed for the tests").hint("install Python 3.11")
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_readme_names_the_releases_that_the_tests_run_with() {
        let readme = fs::read_to_string(root().join("README.md")).unwrap();
        let (_, rest) = readme.split_once("\nTested with ").unwrap();
        let sentence = rest.split("\n\n").next().unwrap();
        for environment in &ENVIRONMENTS {
            let list = fs::read_to_string(list(environment.list)).unwrap();
            for package in ["distributed", "coiled"] {
                let pin = list
                    .lines()
                    .find_map(|line| line.strip_prefix(&format!("{package}==")))
                    .and_then(|rest| rest.split_whitespace().next());
                // Only two of the environments have the published client.
                if let Some(version) = pin {
                    assert!(sentence.contains(version), "{package} {version}");
                }
            }
            assert!(sentence.contains(environment.python), "{sentence}");
        }
    }

    #[test]
    fn what_builds_spark_is_locked_as_all_that_is_installed() {
        let objects = fs::read_to_string(list("objects")).unwrap();
        assert!(objects.contains("\npyspark=="));
        let builders = fs::read_to_string(builders("objects")).unwrap();
        let (_, locked) = builders.split_once("\nsetuptools==").unwrap();
        assert!(locked.contains("--hash=sha256:"), "{builders}");
    }
}
