//! The disk under a folder: what is free on it, whether it may be written, and that names of files are on it.

use std::io;
use std::path::Path;

#[cfg(unix)]
use std::fs::File;

#[cfg(unix)]
use rustix::fs::Access;
#[cfg(windows)]
use windows_sys::Win32::Storage::FileSystem::GetDiskFreeSpaceExW;

/// What is free for this user on the disk of a folder.
#[cfg(unix)]
pub(crate) fn free_bytes(folder: &Path) -> io::Result<u64> {
    let found = rustix::fs::statvfs(folder)?;
    Ok(found.f_bavail * found.f_frsize)
}

/// What is free for this user on the disk of a folder.
#[cfg(windows)]
pub(crate) fn free_bytes(folder: &Path) -> io::Result<u64> {
    use std::os::windows::ffi::OsStrExt;
    use std::ptr::null_mut;

    let name: Vec<u16> = folder.as_os_str().encode_wide().chain([0]).collect();
    let mut free = 0;
    // SAFETY: the name ends with a zero, what is written to lives on, and the two that are left out may be.
    let done = unsafe { GetDiskFreeSpaceExW(name.as_ptr(), &mut free, null_mut(), null_mut()) };
    if done == 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(free)
}

/// Whether this user may make files in a folder.
///
/// # Errors
/// Why not.
#[cfg(unix)]
pub(crate) fn may_write(folder: &Path) -> io::Result<()> {
    Ok(rustix::fs::access(folder, Access::WRITE_OK)?)
}

/// Not asked: the first file that is made there says it.
#[cfg(windows)]
pub(crate) fn may_write(_: &Path) -> io::Result<()> {
    Ok(())
}

/// What was made, renamed or removed in a folder stays so after a power cut.
///
/// # Errors
/// Those of the disk.
#[cfg(unix)]
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// NTFS writes down what happens to names by itself, and a folder cannot be flushed.
///
/// # Errors
/// None.
#[cfg(windows)]
pub fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}
