//! Where the measured programs keep what they write.

use std::{env, fs, io, path::PathBuf, process};

use crate::ending::Held;

/// A folder on the same disk as the clone: memory disks make durable commits look free. Removed when dropped.
pub struct Folder(
    pub PathBuf,
    #[expect(dead_code, reason = "held until it is dropped")] Held,
);

impl Folder {
    /// Makes one of this name.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn make(name: &str) -> io::Result<Self> {
        let folder = env::current_dir()?
            .join("target")
            .join(format!("bench-{name}-{}", process::id()));
        let held = Held::folder(&folder)?;
        Ok(Self(folder, held))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
