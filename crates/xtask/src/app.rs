//! Opens Bobbin from a clone: the window, or where it has none the page in a browser.

use std::{
    env,
    ffi::OsString,
    fs,
    os::unix::process::CommandExt,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::Value;

use crate::{
    files::target,
    page,
    process::{Failure, Options, Result, ask, cargo, run, say, shown},
    setup::{self, Purpose},
};

/// `cargo xtask app [--demo] [--release]`.
///
/// # Errors
/// Something is missing or does not build, or Bobbin ends with an error.
pub fn main(given: &[String]) -> Result {
    let options = Options::read(given, &["--demo", "--release"], &[])?;
    setup::set_up(Purpose::App)?;
    page::build()?;
    let profile = if options.has("--release") {
        Profile::Release
    } else {
        Profile::Dev
    };
    let mut arguments = Vec::new();
    if options.has("--demo") {
        // Any free port: a demo must not take the one that clusters know.
        arguments.extend(["--demo", "--port", "0", "--data-dir"].map(OsString::from));
        arguments.push(demo_folder()?.into_os_string());
    }
    if has_display() {
        let folder = build(&["bobbin-desktop", "bobbin"], profile)?;
        say("window", "open; closing it ends this command");
        return become_program(Command::new(folder.join("bobbin-desktop")).args(arguments));
    }
    say(
        "window",
        "none here: the page is served for a browser instead",
    );
    let bobbin = build(&["bobbin"], profile)?.join("bobbin");
    // It prints the link itself: for people on stderr, for tools on stdout.
    become_program(Command::new(bobbin).args(["serve", "--ui"]).args(arguments))
}

/// How a binary is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Profile {
    Dev,
    Release,
}

/// Builds packages together and gives the folder of their binaries. The window needs `bobbin` beside it, which it becomes in the tray.
fn build(packages: &[&str], profile: Profile) -> Result<PathBuf> {
    let mut cargo = cargo();
    cargo.arg("build");
    for package in packages {
        cargo.args(["--package", package]);
    }
    if profile == Profile::Release {
        cargo.arg("--release");
    }
    run(&mut cargo)?;
    let folder = if profile == Profile::Release {
        "release"
    } else {
        "debug"
    };
    Ok(target().join(folder))
}

/// The window is Linux's: elsewhere a display is for the browser.
fn has_display() -> bool {
    let set = |name| env::var_os(name).is_some_and(|value| !value.is_empty());
    cfg!(target_os = "linux") && (set("DISPLAY") || set("WAYLAND_DISPLAY"))
}

/// A folder that holds the recorded story and nothing of the user's. It starts empty, unless a demo is open in it.
fn demo_folder() -> Result<PathBuf> {
    let folder = target().join("demo");
    if folder.exists() && !in_use(&folder) {
        fs::remove_dir_all(&folder)?;
    }
    Ok(folder)
}

/// Whether the receiver that wrote its address there still runs.
fn in_use(folder: &Path) -> bool {
    let address = fs::read_to_string(folder.join("receiver.json")).unwrap_or_default();
    let pid = serde_json::from_str::<Value>(&address)
        .ok()
        .and_then(|address| address["pid"].as_u64());
    pid.is_some_and(|pid| ask(Command::new("kill").args(["-0", &pid.to_string()])).is_some())
}

/// Becomes this program, so that signals and exit codes are its own.
fn become_program(command: &mut Command) -> Result {
    eprintln!("  $ {}", shown(command));
    let error = command.exec();
    Err(Failure::new(format!(
        "`{}` does not start: {error}",
        shown(command)
    )))
}
