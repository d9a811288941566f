//! Opening what may be anything, without following a link and without waiting for the other end of a pipe.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::Path;

#[cfg(unix)]
use std::os::unix::fs::OpenOptionsExt;
#[cfg(windows)]
use std::os::windows::fs::OpenOptionsExt;

#[cfg(unix)]
use rustix::fs::OFlags;
#[cfg(unix)]
use rustix::io::Errno;
#[cfg(windows)]
use windows_sys::Win32::Foundation::ERROR_STOPPED_ON_SYMLINK;
#[cfg(windows)]
use windows_sys::Win32::Storage::FileSystem::{
    FILE_FLAG_BACKUP_SEMANTICS, FILE_FLAG_OPEN_REPARSE_POINT,
};

const LINK: &str = "it is a link";
const FORBIDDEN: &str = "it may not be read";

/// Opens for reading.
///
/// # Errors
/// Those of the system; [`never_opens`] says which of them stand.
#[cfg(unix)]
pub(crate) fn open_unfollowed(path: &Path) -> io::Result<File> {
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    OpenOptions::new()
        .read(true)
        .custom_flags(flags.bits().cast_signed())
        .open(path)
}

/// Opens for reading. A folder is opened, too, as on Unix: who asks for a file looks what it is.
///
/// # Errors
/// Those of the system; [`never_opens`] says which of them stand.
#[cfg(windows)]
pub(crate) fn open_unfollowed(path: &Path) -> io::Result<File> {
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(FILE_FLAG_OPEN_REPARSE_POINT | FILE_FLAG_BACKUP_SEMANTICS)
        .open(path)?;
    // The link itself was opened.
    if file.metadata()?.is_symlink() {
        return Err(io::Error::from_raw_os_error(
            ERROR_STOPPED_ON_SYMLINK.cast_signed(),
        ));
    }
    Ok(file)
}

/// Why it will never be opened, by the error of [`open_unfollowed`]; none for what may be over soon.
#[cfg(unix)]
pub(crate) fn never_opens(error: &io::Error) -> Option<&'static str> {
    match Errno::from_io_error(error)? {
        // What the systems say of a link that is not to be followed.
        Errno::LOOP | Errno::MLINK => Some(LINK),
        Errno::NXIO => Some("it is not a file"),
        Errno::ACCESS | Errno::PERM => Some(FORBIDDEN),
        _ => None,
    }
}

/// Why it will never be opened, by the error of [`open_unfollowed`]; none for what may be over soon, such as a file that another
/// program keeps to itself.
#[cfg(windows)]
pub(crate) fn never_opens(error: &io::Error) -> Option<&'static str> {
    if error.raw_os_error() == Some(ERROR_STOPPED_ON_SYMLINK.cast_signed()) {
        return Some(LINK);
    }
    (error.kind() == io::ErrorKind::PermissionDenied).then_some(FORBIDDEN)
}
