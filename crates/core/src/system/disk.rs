//! The disk under a folder: how large it is and what is free on it, whether it may be written, and that names of files are on it.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;

#[cfg(unix)]
use rustix::fs::Access;
#[cfg(windows)]
use windows_sys::Win32::Storage::FileSystem::GetDiskFreeSpaceExW;

/// What is left of a disk by what nobody waits for: others need it, and so does a person who makes room. At most.
const SPARE_BYTES: u64 = 1 << 30;

/// How large a disk is for this user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Disk {
    pub free_bytes: u64,
    pub total_bytes: u64,
}

impl Disk {
    /// What batches, uploads and snapshots that come without being asked for leave free: a twentieth of the disk, or 1 GiB of
    /// a large one.
    pub fn spare_bytes(&self) -> u64 {
        (self.total_bytes / 20).min(SPARE_BYTES)
    }
}

/// The disk of a folder.
///
/// # Errors
/// Those of the system.
#[cfg(unix)]
pub(crate) fn disk(folder: &Path) -> io::Result<Disk> {
    let found = rustix::fs::statvfs(folder)?;
    Ok(Disk {
        free_bytes: found.f_bavail * found.f_frsize,
        total_bytes: found.f_blocks * found.f_frsize,
    })
}

/// The disk of a folder.
///
/// # Errors
/// Those of the system.
#[cfg(windows)]
pub(crate) fn disk(folder: &Path) -> io::Result<Disk> {
    use std::os::windows::ffi::OsStrExt;
    use std::ptr::null_mut;

    let name: Vec<u16> = folder.as_os_str().encode_wide().chain([0]).collect();
    let (mut free_bytes, mut total_bytes) = (0, 0);
    // SAFETY: the name ends with a zero, what is written to lives on, and the one that is left out may be.
    let done = unsafe {
        GetDiskFreeSpaceExW(name.as_ptr(), &mut free_bytes, &mut total_bytes, null_mut())
    };
    if done == 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(Disk {
        free_bytes,
        total_bytes,
    })
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
    fs::File::open(folder)?.sync_all()
}

/// NTFS writes down what happens to names by itself, and a folder cannot be flushed.
///
/// # Errors
/// None.
#[cfg(windows)]
pub fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

/// That a file or folder has this name stays so after a power cut.
///
/// # Errors
/// As [`sync_folder`].
pub(crate) fn sync_name(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|folder| *folder != Path::new(""));
    match sync_folder(folder.unwrap_or(Path::new("."))) {
        // A folder that may be written and not read cannot be opened for it.
        Err(error) if error.kind() == ErrorKind::PermissionDenied => Ok(()),
        synced => synced,
    }
}

/// Makes a folder and those above it where they are absent, and they stay so after a power cut.
///
/// # Errors
/// Those of the disk.
pub fn make_folders(folder: &Path) -> io::Result<()> {
    let absent: Vec<&Path> = folder
        .ancestors()
        .take_while(|folder| *folder != Path::new("") && !folder.exists())
        .collect();
    fs::create_dir_all(folder)?;
    absent.into_iter().try_for_each(sync_name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_made_with_those_above_them_and_may_be_there() {
        let dir = tempfile::tempdir().unwrap();
        let deep = dir.path().join("a/b/c");
        make_folders(&deep).unwrap();
        make_folders(&deep).unwrap();
        assert!(deep.is_dir());
        let file = dir.path().join("file");
        fs::write(&file, "").unwrap();
        make_folders(&file.join("in it")).unwrap_err();
    }

    #[test]
    fn a_twentieth_of_a_disk_is_left_and_of_a_large_one_a_gigabyte() {
        let spare = |total_bytes| {
            let disk = Disk {
                free_bytes: 0,
                total_bytes,
            };
            disk.spare_bytes()
        };
        assert_eq!((spare(2_000), spare(1 << 40)), (100, 1 << 30));
        let here = disk(&std::env::temp_dir()).unwrap();
        assert!(here.free_bytes <= here.total_bytes && here.total_bytes > 0);
    }
}
