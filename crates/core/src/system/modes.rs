//! Files and folders that are for their owner alone, and files that others may read.
//!
//! On Unix their modes say so, whatever the umask. On Windows nothing is set: what lies in the profile folder of a user, where the
//! data folder is, inherits an access list that lets in this user, the system and administrators, and no other user. A data folder
//! elsewhere is as open as the folder that it lies in.

use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::path::Path;

#[cfg(unix)]
use std::fs::{self, DirBuilder, Permissions};
#[cfg(unix)]
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};

use super::disk::sync_name;

/// Whether files here have modes that can be looked at.
pub const HAS_MODES: bool = cfg!(unix);

/// What others than the owner may do with a file or a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Others {
    Nothing,
    Read,
}

/// Creates a new file that is for its owner alone; an existing one is an error of kind `AlreadyExists`.
#[cfg(unix)]
pub(crate) fn create_file(path: &Path) -> io::Result<File> {
    let file = OpenOptions::new()
        .read(true)
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)?;
    let_others(&file, Others::Nothing)?;
    Ok(file)
}

/// Creates a new file; an existing one is an error of kind `AlreadyExists`.
#[cfg(windows)]
pub(crate) fn create_file(path: &Path) -> io::Result<File> {
    OpenOptions::new()
        .read(true)
        .write(true)
        .create_new(true)
        .open(path)
}

/// Creates a new folder that is for its owner alone, or for fewer where the umask says so; it stays so after a power cut.
#[cfg(unix)]
pub(crate) fn create_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().mode(0o700).create(path)?;
    sync_name(path)
}

/// Creates a new folder; it stays so after a power cut.
#[cfg(windows)]
pub(crate) fn create_folder(path: &Path) -> io::Result<()> {
    std::fs::create_dir(path)?;
    sync_name(path)
}

/// Makes a folder one for its owner alone, who may do everything in it.
#[cfg(unix)]
pub(crate) fn close_folder(path: &Path) -> io::Result<()> {
    fs::set_permissions(path, Permissions::from_mode(0o700))
}

/// The access list that it inherited stays.
#[cfg(windows)]
pub(crate) fn close_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Says what others may do with a file; its owner may read and write it.
#[cfg(unix)]
pub(crate) fn let_others(file: &File, others: Others) -> io::Result<()> {
    let mode = match others {
        Others::Nothing => 0o600,
        Others::Read => 0o644,
    };
    file.set_permissions(Permissions::from_mode(mode))
}

/// The access list that it inherited stays.
#[cfg(windows)]
pub(crate) fn let_others(_: &File, _: Others) -> io::Result<()> {
    Ok(())
}

/// The mode of what lets others do more than `most`; none if it does not.
#[cfg(unix)]
pub fn loosened(found: &Metadata, most: Others) -> Option<u32> {
    let closed = match most {
        Others::Nothing => 0o077,
        Others::Read => 0o033,
    };
    Some(found.mode() & 0o777).filter(|mode| mode & closed != 0)
}

/// Never known: there are no modes.
#[cfg(windows)]
pub fn loosened(_: &Metadata, _: Others) -> Option<u32> {
    None
}
