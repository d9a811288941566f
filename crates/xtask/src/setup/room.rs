//! Room on the disk, looked at before anything is built: a disk that fills up ends a build after minutes, and every
//! suite after it.

use std::process::Command;

use super::Purpose;
use crate::{
    files::{root, target},
    process::{Failure, Result, ask},
};

const GIGABYTE: u64 = 1_000_000_000;

/// What the first `cargo xtask app` writes below `target`, measured.
const APP_BYTES: u64 = 4 * GIGABYTE;

/// What the first `cargo xtask test` writes there, measured.
const TEST_BYTES: u64 = 10 * GIGABYTE;

const HINT: &str =
    "`cargo clean` deletes all that was built here so far; or move the clone to a larger disk";

/// What a command writes below `target`.
struct Writes {
    what: &'static str,
    bytes: u64,
    /// Where most of it goes. What they hold already is not written again.
    folders: &'static [&'static str],
}

fn writes(purpose: Purpose) -> Writes {
    match purpose {
        Purpose::App => Writes {
            what: "a build of the window",
            bytes: APP_BYTES,
            folders: &["debug", "release"],
        },
        Purpose::Test => Writes {
            what: "a run of all tests",
            bytes: TEST_BYTES,
            folders: &["behind", "debug", "python"],
        },
    }
}

/// Says nothing where there is room, and where nobody knows whether there is.
///
/// # Errors
/// There is clearly too little.
pub fn check(purpose: Purpose) -> Result {
    let writes = writes(purpose);
    let Some(free) = free_bytes().filter(|free| *free < writes.bytes) else {
        return Ok(());
    };
    let held = held_bytes(writes.folders);
    match held.and_then(|held| too_little(&writes, held, free)) {
        Some(what) => Err(Failure::new(what).hint(HINT)),
        None => Ok(()),
    }
}

/// What to say where less is free than is still to be written.
fn too_little(writes: &Writes, held: u64, free: u64) -> Option<String> {
    let missing = writes.bytes.saturating_sub(held);
    (free < missing).then(|| {
        format!(
            "too little room on the disk: {} free; {} has {} of about {} still to write to {}",
            gigabytes(free),
            writes.what,
            gigabytes(missing),
            gigabytes(writes.bytes),
            target().display()
        )
    })
}

fn gigabytes(bytes: u64) -> String {
    format!("{:.1} GB", bytes as f64 / GIGABYTE as f64)
}

/// What this user can still write. Asked of `df`: core knows it too, and would have to be built first.
pub fn free_bytes() -> Option<u64> {
    let place = if target().is_dir() { target() } else { root() };
    available(&ask(Command::new("df").arg("-Pk").arg(place))?)
}

/// The number before the share in use, in the last line of `df -Pk`.
fn available(printed: &str) -> Option<u64> {
    let fields: Vec<&str> = printed.lines().next_back()?.split_whitespace().collect();
    let share = fields.iter().position(|field| field.ends_with('%'))?;
    let kilobytes: u64 = fields.get(share.checked_sub(1)?)?.parse().ok()?;
    Some(kilobytes * 1024)
}

/// What folders of `target` hold, as far as they are there.
fn held_bytes(folders: &[&str]) -> Option<u64> {
    let folders = folders.iter().map(|folder| target().join(folder));
    // It fails as a whole for one that is not there, and still prints the others.
    let answer = Command::new("du").arg("-sk").args(folders).output().ok()?;
    Some(summed(&String::from_utf8_lossy(&answer.stdout)))
}

/// The sum of what `du -sk` prints: `KILOBYTES FOLDER` a line.
fn summed(printed: &str) -> u64 {
    let first = |line: &str| line.split_whitespace().next()?.parse::<u64>().ok();
    let kilobytes: u64 = printed.lines().filter_map(first).sum();
    kilobytes * 1024
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// A letter a gigabyte: `#` is what the folders hold, `.` what is free. Eight are written.
    fn said(disk: &str) -> Option<String> {
        let bytes = |letter: char| disk.matches(letter).count() as u64 * GIGABYTE;
        let writes = Writes {
            what: "a build",
            bytes: 8 * GIGABYTE,
            folders: &[],
        };
        too_little(&writes, bytes('#'), bytes('.'))
    }

    #[test]
    fn there_is_too_little_room_where_less_is_free_than_is_still_to_be_written() {
        for disk in ["........", "####....", "#######.", "########"] {
            assert_eq!(said(disk), None, "{disk}");
        }
        for disk in ["", ".......", "####...", "#######"] {
            assert!(said(disk).is_some(), "{disk}");
        }
        let words = said("###....").unwrap();
        let beginning = "too little room on the disk: 4.0 GB free; a build has 5.0 GB of about 8.0 GB still to write";
        assert!(words.starts_with(beginning), "{words}");
    }

    #[test]
    fn what_is_free_and_held_is_read_from_what_the_system_prints() {
        let printed = "Filesystem     1024-blocks     Used Available Capacity Mounted on\n\
                       /dev/my disk     264212084 31326268        63      33% /home/100% mine\n";
        assert_eq!(available(printed), Some(63 * 1024));
        assert_eq!(available("none 0 0 0 - /here"), None);
        assert_eq!(available(""), None);
        assert_eq!(summed("3\t/target/debug\n4\t/target/python\n"), 7 * 1024);
        assert_eq!(summed(""), 0);
    }

    #[test]
    fn the_readme_names_the_room_that_is_looked_for() {
        let readme = fs::read_to_string(root().join("README.md")).unwrap();
        let [app, test] = [APP_BYTES, TEST_BYTES].map(|bytes| bytes / GIGABYTE);
        let named = format!("{app} GB of disk for the window, or {test} GB for the tests");
        assert!(readme.contains(&named), "{named}");
    }
}
