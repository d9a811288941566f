//! Stopping a program and everything that it started.
//!
//! Not by process group: a suite with a group of its own would not hear Ctrl-C in the terminal.

use std::{
    fs,
    process::{Command, Stdio},
    thread,
    time::Duration,
};

/// Between asking and insisting.
const GRACE: Duration = Duration::from_secs(3);

/// Stops a process and its descendants: SIGTERM, then SIGKILL.
pub fn stop(root: u32) {
    let all = descendants(root, &parents());
    for signal in ["-TERM", "-KILL"] {
        let pids = all.iter().map(u32::to_string);
        let _ = Command::new("kill")
            .arg(signal)
            .args(pids)
            .stderr(Stdio::null())
            .status();
        thread::sleep(GRACE);
    }
}

/// Every living process with its parent. Empty where there is no /proc.
fn parents() -> Vec<(u32, u32)> {
    let Ok(entries) = fs::read_dir("/proc") else {
        return Vec::new();
    };
    let processes = entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    processes
        .filter_map(|pid| {
            let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
            // `PID (NAME) STATE PARENT …`, where the name may hold anything. A zombie is only waiting to be noticed.
            let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
            let state = fields.next()?;
            let parent = fields.next().filter(|_| state != "Z")?.parse().ok()?;
            Some((pid, parent))
        })
        .collect()
}

/// `root` and all below it, parents first.
fn descendants(root: u32, parents: &[(u32, u32)]) -> Vec<u32> {
    let mut found = vec![root];
    let mut next = 0;
    while let Some(&parent) = found.get(next) {
        found.extend(
            parents
                .iter()
                .filter(|(_, of)| *of == parent)
                .map(|(pid, _)| *pid),
        );
        next += 1;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tree_is_walked_to_its_leaves() {
        let parents = [(2, 1), (3, 2), (4, 3), (5, 1), (6, 9)];
        assert_eq!(descendants(2, &parents), [2, 3, 4]);
    }

    #[test]
    fn a_program_is_stopped_with_what_it_started() {
        let mut child = Command::new("sh")
            .args(["-c", "sleep 60 & sleep 60"])
            .spawn()
            .unwrap();
        while descendants(child.id(), &parents()).len() < 3 {
            thread::sleep(Duration::from_millis(10));
        }
        let all = descendants(child.id(), &parents());
        stop(child.id());
        child.wait().unwrap();
        let left = parents()
            .into_iter()
            .filter(|(pid, _)| all.contains(pid))
            .count();
        assert_eq!(left, 0);
    }
}
