//! A slower disk than this one, for all sides alike: a small library that a program loads before all others, in which
//! `fsync` and `fdatasync` take longer and nothing else does. So each side syncs as often as it does elsewhere.

use std::{fs, path::Path, process::Command, time::Duration};

use crate::{
    preload::Preload,
    process::{Failure, Result},
};

/// The library, built.
pub struct Slow(Preload);

impl Slow {
    /// Builds one in this folder, in which each sync takes so much longer: less than a second.
    ///
    /// # Errors
    /// It does not build.
    pub fn build(folder: &Path, longer: Duration) -> Result<Self> {
        let nanos = ("LONGER_NANOS", longer.subsec_nanos().to_string());
        Preload::build(folder, "slow", include_str!("slow.c"), &[nanos]).map(Self)
    }

    /// Has a program load it when it starts.
    pub fn before(&self, program: &mut Command) {
        self.0.before(program);
    }

    /// Sees to it that a running program has loaded it: one that has not is told so on its stderr and runs on.
    ///
    /// # Errors
    /// It has not.
    pub fn is_in(&self, process: u32) -> Result {
        let loaded = fs::read_to_string(format!("/proc/{process}/maps"))?;
        let library = self.0.library();
        if loaded.contains(&*library.to_string_lossy()) {
            return Ok(());
        }
        Err(Failure::new(format!(
            "process {process} did not load {}",
            library.display()
        )))
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::{
        io::{Read, Write},
        process::Stdio,
        time::Instant,
    };

    use super::*;

    #[test]
    fn syncs_take_longer_and_nothing_else_does() {
        let folder = std::env::temp_dir().join(format!("bobbin-slow-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let longer = Duration::from_millis(500);
        let slow = Slow::build(&folder, longer).unwrap();
        let took = |program: &str, arguments: &[&str]| {
            let mut command = Command::new(program);
            slow.before(command.args(arguments).arg(folder.join("slow.c")));
            let begun = Instant::now();
            assert!(command.status().unwrap().success(), "{program}");
            begun.elapsed()
        };
        assert!(took("sync", &[]) >= longer, "fsync");
        assert!(took("sync", &["--data"]) >= longer, "fdatasync");
        assert!(took("wc", &[]) < longer, "what does not sync");
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_program_that_did_not_load_it_is_known() {
        let folder = std::env::temp_dir().join(format!("bobbin-slow-in-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let slow = Slow::build(&folder, Duration::from_millis(1)).unwrap();
        // Once it says something, it has loaded all that it will.
        let found = |command: &mut Command| {
            command.stdin(Stdio::piped()).stdout(Stdio::piped());
            let mut child = command.spawn().unwrap();
            let (mut stdin, mut stdout) =
                (child.stdin.take().unwrap(), child.stdout.take().unwrap());
            stdin.write_all(b"x").unwrap();
            stdout.read_exact(&mut [0]).unwrap();
            let found = slow.is_in(child.id());
            drop(stdin);
            child.wait().unwrap();
            found
        };
        let mut with = Command::new("cat");
        slow.before(&mut with);
        assert!(found(&mut with).is_ok());
        assert!(found(&mut Command::new("cat")).is_err());
        fs::remove_dir_all(&folder).unwrap();
    }
}
