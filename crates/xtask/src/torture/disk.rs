//! A small disk in memory: really full when it is full.

use std::{
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
    process::Command,
};

use crate::ending::{Held, unmount};

/// Unmounted when dropped.
pub struct Disk(
    pub PathBuf,
    #[expect(dead_code, reason = "held until it is dropped")] Held,
);

impl Disk {
    /// A disk of so many MiB in a folder that it makes; or why there is none.
    ///
    /// # Errors
    /// The folder cannot be made.
    pub fn mount(at: &Path, mebibytes: u64) -> io::Result<Result<Self, String>> {
        fs::create_dir(at)?;
        let mut mount = Command::new("mount");
        mount
            .args(["-t", "tmpfs", "-o"])
            .arg(format!("size={mebibytes}m,mode=0700"))
            .arg("tmpfs")
            .arg(at);
        Ok(match Held::disk(at, || mount.output()) {
            Ok((output, held)) if output.status.success() => Ok(Self(at.into(), held)),
            Ok((output, _)) => Err(format!(
                "a small disk cannot be mounted here: {}",
                String::from_utf8_lossy(&output.stderr).trim()
            )),
            Err(error) => Err(format!("there is no mount here: {error}")),
        })
    }

    /// Takes all room that there is, into a file, and gives so many bytes of it back.
    ///
    /// # Errors
    /// The file cannot be made, or made smaller.
    pub fn fill(&self, ballast: &Path, but: u64) -> io::Result<()> {
        let mut file = File::create(ballast)?;
        let mut piece = 64 * 1024;
        while piece > 0 {
            match file.write(&vec![1; piece]) {
                Ok(1..) => {}
                Ok(0) | Err(_) => piece /= 2,
            }
        }
        let length = file.metadata()?.len();
        file.set_len(length.saturating_sub(but))
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        unmount(&self.0);
    }
}
