//! The two programs, side by side in one folder, and how one becomes the other.

use std::{
    env,
    ffi::OsString,
    io::{self, Error, ErrorKind, Result},
    os::unix::process::CommandExt,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::mpsc,
    thread,
    time::Duration,
};

use crate::{
    bus,
    failure::Failure,
    start::{Opening, Start},
};

const WINDOW: &str = "bobbin-desktop";
const TRAY: &str = "bobbin";
/// The verb of the second.
const VERB: &str = "tray";
/// With this the first opens no window, and says [`OPENS`] if it could.
pub const TRY: &str = "--try-display";
pub const OPENS: &str = "opens";
/// For a display that is far away.
const PATIENCE: Duration = Duration::from_secs(10);

/// The program that receives without a window, and its verb.
///
/// # Errors
/// It is not where this one is.
pub fn tray() -> Result<(PathBuf, &'static str)> {
    Ok((beside(TRAY)?, VERB))
}

/// Why Bobbin cannot stay in the tray; none: it can.
pub fn no_tray() -> Option<String> {
    match tray() {
        Ok(_) => bus::no_tray(),
        Err(error) => Some(error.to_string()),
    }
}

/// Why no window can be opened from here.
///
/// # Errors
/// There is no program for it, or no display.
pub fn window_opens() -> std::result::Result<(), Failure> {
    let program = beside(WINDOW).map_err(|error| Failure::new(error.to_string()))?;
    let set = |name| env::var_os(name).is_some_and(|value| !value.is_empty());
    if cfg!(target_os = "linux") && !set("DISPLAY") && !set("WAYLAND_DISPLAY") {
        return Err(Failure::new("there is no display to open a window on"));
    }
    try_window(&program, PATIENCE)
}

/// Has the program look whether it could open a window: a display may be named and gone, and a library missing. It says so in
/// words, as how it ended may be heard elsewhere in this process.
fn try_window(program: &Path, patience: Duration) -> std::result::Result<(), Failure> {
    let mut trying = Command::new(program)
        .arg(TRY)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| Failure::new(format!("{} does not start: {error}", program.display())))?;
    let stdout = trying.stdout.take();
    let (say, heard) = mpsc::sync_channel(1);
    thread::spawn(move || say.send(stdout.map(io::read_to_string)));
    let answer = heard.recv_timeout(patience);
    // One that has ended meanwhile is what is wanted.
    let _ = trying.kill().and_then(|()| trying.wait());
    match answer {
        Ok(Some(Ok(said))) if said.trim() == OPENS => Ok(()),
        Ok(_) => Err(Failure::new("there is no display to open a window on")),
        Err(_) => Err(Failure::new("the display is not responding")),
    }
}

/// Goes on with a window. It comes back only if that fails.
pub fn become_window(start: &Start, opening: &Opening) -> Failure {
    take_little(false);
    let mut words = start.words();
    words.extend(opening.words());
    match beside(WINDOW) {
        Ok(program) => execute(program, &words),
        Err(error) => Failure::new(error.to_string()),
    }
}

/// Goes on without a window. It comes back only if that fails.
pub fn become_tray(start: &Start) -> Failure {
    match tray() {
        Ok((program, verb)) => {
            take_little(true);
            let mut words = vec![verb.into()];
            words.extend(start.words());
            execute(program, &words)
        }
        Err(error) => Failure::new(error.to_string()),
    }
}

/// The process stays, and nothing of what a page took does.
fn execute(program: PathBuf, words: &[OsString]) -> Failure {
    let error = Command::new(&program).args(words).exec();
    Failure::new(format!("{} does not start: {error}", program.display()))
}

/// Whether this process, and what it becomes, has memory in pieces of 4 KiB alone. Many systems give pieces of 2 MiB, which are quick to have
/// and half empty in a process that does little.
pub fn take_little(little: bool) {
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::thread::disable_transparent_huge_pages(little) {
        tracing::debug!(%error, "memory comes in large pieces");
    }
    #[cfg(not(target_os = "linux"))]
    let _ = little;
}

/// A program in the folder of this one; one that was replaced meanwhile is where it was.
fn beside(name: &str) -> Result<PathBuf> {
    let path = env::current_exe()?.with_file_name(name);
    if path.is_file() {
        return Ok(path);
    }
    let missing = format!("the program {} is missing", path.display());
    Err(Error::new(ErrorKind::NotFound, missing))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_window_that_could_not_open_is_known_before_anything_is_given_up() {
        let dir = tempfile::tempdir().unwrap();
        let program = |body: &str| {
            let path = dir.path().join("window");
            std::fs::write(&path, format!("#!/bin/sh\n{body}\n")).unwrap();
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o700)).unwrap();
            path
        };
        let soon = Duration::from_millis(300);
        let said = |body: &str, patience| {
            let tried = try_window(&program(body), patience);
            tried.err().map(|failure| failure.what)
        };
        assert_eq!(
            said("test \"$1\" = --try-display && echo opens", PATIENCE),
            None
        );
        assert!(said("exit 1", PATIENCE).unwrap().contains("no display"));
        assert!(said("kill -9 $$", PATIENCE).unwrap().contains("no display"));
        assert!(said("exec sleep 60", soon).unwrap().contains("not respond"));
        let missing = try_window(&dir.path().join("none"), PATIENCE).unwrap_err();
        assert!(missing.what.contains("does not start"), "{missing}");
    }

    #[test]
    fn a_program_is_looked_for_beside_this_one() {
        let own = env::current_exe().unwrap();
        let name = own.file_name().unwrap().to_str().unwrap();
        assert_eq!(beside(name).unwrap(), own);
        let missing = beside("no-such-program").unwrap_err().to_string();
        assert!(missing.contains("/no-such-program is missing"), "{missing}");
    }
}
