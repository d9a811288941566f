//! The Python environments of the tests: `target/python/newest` and `target/python/2022`, from the locked lists in `tests/envs`.

use std::{fs, path::PathBuf, process::Command};

use crate::{
    files::{root, target},
    process::{Failure, Result, ask, run, say},
    stamp::Stamp,
};

/// Both generations of the published client install on this one.
const PYTHON: &str = "3.11";

/// The environments, each with a list of the same name.
const NAMES: [&str; 2] = ["newest", "2022"];

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

/// Makes the environments, those whose list changed.
///
/// # Errors
/// There is no Python, or a package cannot be had.
pub fn environments() -> Result {
    for name in NAMES {
        let step = format!("Python {name}");
        let stamp = Stamp::of(&format!("python-{name}"), &[list(name)], PYTHON)?;
        if stamp.is_current() && environment_python(name).exists() {
            say(&step, "unchanged");
            continue;
        }
        let uv = uv()?;
        say(
            &step,
            &format!("installing what tests/envs/{name}.txt names"),
        );
        run(Command::new(&uv)
            .args(["venv", "--quiet", "--clear", "--python", PYTHON])
            .arg(folder(name)))?;
        let mut sync = Command::new(&uv);
        sync.args(["pip", "sync", "--quiet", "--require-hashes", "--python"])
            .arg(environment_python(name))
            .arg(list(name));
        run(&mut sync)?;
        stamp.keep()?;
    }
    Ok(())
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
