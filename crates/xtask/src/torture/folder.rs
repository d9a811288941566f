//! Where stores are tortured.

use std::{
    env, fs, io,
    path::{Path, PathBuf},
    process::{self, Command},
};

use bobbin_core::api::disk;

use crate::ending::Held;

/// For a store with its log and snapshots.
pub const ROOM_BYTES: u64 = 2 << 30;

/// A folder of its own, in memory where such a disk has room: nothing here waits for a real one. Removed when dropped.
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
        let memory = PathBuf::from("/dev/shm");
        // A container may have one of some megabytes.
        let base = match disk(&memory) {
            Some(disk) if disk.free_bytes >= ROOM_BYTES => memory,
            _ => env::temp_dir(),
        };
        let folder = base.join(format!("bobbin-torture-{name}-{}", process::id()));
        match fs::remove_dir_all(&folder) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let held = Held::folder(&folder)?;
        Ok(Self(folder, held))
    }
}

/// Puts a copy of a folder where another may be.
///
/// # Errors
/// It cannot be copied.
pub fn copy(from: &Path, to: &Path) -> io::Result<()> {
    match fs::remove_dir_all(to) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let copied = Command::new("cp").arg("-a").arg(from).arg(to).status()?;
    match copied.success() {
        true => Ok(()),
        false => Err(io::Error::other(format!("cp ended with {copied}"))),
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
