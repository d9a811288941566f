//! The lock of a folder.
//!
//! On Unix the folder itself is locked, and nothing is written for it. Windows locks no folders: there a file in it stands for it.

use std::fs::File;
use std::io;
use std::path::Path;

/// The file whose lock is that of the folder.
///
/// # Errors
/// The folder is not there, or may not be entered.
#[cfg(unix)]
pub(crate) fn lock_file(folder: &Path) -> io::Result<File> {
    File::open(folder)
}

/// The file whose lock is that of the folder. It is made where there is none, and stays.
///
/// # Errors
/// The folder is not there, or may not be entered.
#[cfg(windows)]
pub(crate) fn lock_file(folder: &Path) -> io::Result<File> {
    File::options()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(folder.join("held"))
}
