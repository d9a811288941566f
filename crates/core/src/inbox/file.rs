//! Opening what may be anything.

use std::fs::File;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use crate::install::open_unfollowed;
use rustix::io::Errno;

/// What came of opening a file.
pub(super) enum Opened {
    File(File),
    /// It is not there any more.
    Gone,
    /// Why it is never read.
    Refused(&'static str),
}

/// Opens a plain file of this user. Links, pipes, sockets, devices and folders are refused, and so is what belongs to
/// somebody else.
///
/// # Errors
/// For now, such as too many open files.
pub(super) fn open(path: &Path, owner: u32) -> io::Result<Opened> {
    let file = match open_unfollowed(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Opened::Gone),
        Err(error) => {
            return match Errno::from_io_error(&error) {
                // What the systems say of a link that is not to be followed.
                Some(Errno::LOOP | Errno::MLINK) => Ok(Opened::Refused("it is a link")),
                Some(Errno::NXIO) => Ok(Opened::Refused("it is not a file")),
                Some(Errno::ACCESS | Errno::PERM) => Ok(Opened::Refused("it may not be read")),
                _ => Err(error),
            };
        }
    };
    let found = file.metadata()?;
    if !found.is_file() {
        return Ok(Opened::Refused("it is not a file"));
    }
    if found.uid() != owner {
        return Ok(Opened::Refused("it belongs to another user"));
    }
    Ok(Opened::File(file))
}
