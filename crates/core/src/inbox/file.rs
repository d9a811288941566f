//! Opening what may be anything.

use std::fs::File;
use std::io;
use std::path::Path;

use crate::system::{Owner, never_opens, open_unfollowed};

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
pub(super) fn open(path: &Path, owner: Owner) -> io::Result<Opened> {
    let file = match open_unfollowed(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Opened::Gone),
        Err(error) => {
            return never_opens(&error).map_or(Err(error), |why| Ok(Opened::Refused(why)));
        }
    };
    let found = file.metadata()?;
    if !found.is_file() {
        return Ok(Opened::Refused("it is not a file"));
    }
    if Owner::of(&found) != owner {
        return Ok(Opened::Refused("it belongs to another user"));
    }
    Ok(Opened::File(file))
}
