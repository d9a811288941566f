//! Files that only their owner may read, and the one that others may.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::Path;
use std::sync::Mutex;

use crate::lock::lock;
use crate::system::{Others, create_file, let_others, loosened, sync_name};
use crate::{Error, Result};

/// Creates a new file with mode 0600, whatever the umask; an existing one is an error of kind `AlreadyExists`.
///
/// # Errors
/// [`Error::Io`].
pub fn create_private(path: &Path) -> Result<File> {
    create_file(path).map_err(at(path))
}

/// Puts `text` into a file of mode 0600 in one step: a reader sees the old text or the new one, and from then on the new one, also
/// after a power cut.
///
/// # Errors
/// [`Error::Io`], [`Error::DiskFull`].
pub fn write_private(path: &Path, text: &[u8]) -> Result<()> {
    write(path, text, Others::Nothing)
}

/// The same for a file of mode 0644: what it says is no secret.
///
/// # Errors
/// [`Error::Io`], [`Error::DiskFull`].
pub(crate) fn write_public(path: &Path, text: &[u8]) -> Result<()> {
    write(path, text, Others::Read)
}

/// Held while a file is written: another thread may write the same one.
static WRITING: Mutex<()> = Mutex::new(());

fn write(path: &Path, text: &[u8], others: Others) -> Result<()> {
    let _writing = lock(&WRITING);
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(format!(".{}.new", std::process::id()));
    let beside = path.with_file_name(name);
    match fs::remove_file(&beside) {
        Ok(()) => {}
        Err(source) if source.kind() == ErrorKind::NotFound => {}
        Err(source) => return Err(at(&beside)(source)),
    }
    let file = create_private(&beside)?;
    if let Err(source) = fill(file, text, others).and_then(|()| fs::rename(&beside, path)) {
        // Nothing of it stays, as where the disk is full: it may be a key.
        let _ = fs::remove_file(&beside);
        return Err(at(path)(source));
    }
    sync_name(path).map_err(at(path))
}

fn fill(mut file: File, text: &[u8], others: Others) -> io::Result<()> {
    file.write_all(text)?;
    let_others(&file, others)?;
    file.sync_all()
}

/// Opens a file of the install, creating it with mode 0600 if it is absent.
pub(crate) fn open_private(path: &Path) -> Result<File> {
    match create_private(path) {
        Err(Error::Io { source, .. }) if source.kind() == ErrorKind::AlreadyExists => {
            OpenOptions::new()
                .read(true)
                .write(true)
                .open(path)
                .map_err(at(path))
        }
        made => made,
    }
}

/// Gives a whole file its name beside it, unless something has that: whoever looks there sees nothing, or all of it; without
/// links there may be an empty file before. Whether it did.
///
/// # Errors
/// [`Error::Io`], [`Error::DiskFull`].
pub(crate) fn give_name(file: &Path, name: &Path) -> Result<bool> {
    named(file, name, link)
}

fn link(file: &Path, name: &Path) -> io::Result<()> {
    fs::hard_link(file, name)
}

fn named(file: &Path, name: &Path, link: fn(&Path, &Path) -> io::Result<()>) -> Result<bool> {
    match link(file, name) {
        Ok(()) => return Ok(true),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => return Ok(false),
        // Not all file systems of memory sticks have links: there the name is taken first, and what is replaced is our own.
        Err(_) => {}
    }
    match create_file(name) {
        Ok(_) => {}
        Err(error) if error.kind() == ErrorKind::AlreadyExists => return Ok(false),
        Err(error) => return Err(at(name)(error)),
    }
    let renamed = fs::rename(file, name).map_err(at(name));
    if renamed.is_err() {
        let _ = fs::remove_file(name);
    }
    renamed.map(|()| true)
}

/// Refuses what others may read or write.
pub(crate) fn check_private(path: &Path) -> Result<()> {
    let found = fs::metadata(path).map_err(at(path))?;
    match loosened(&found, Others::Nothing) {
        None => Ok(()),
        Some(mode) => Err(Error::Loosened {
            path: path.into(),
            mode,
        }),
    }
}

/// Makes an [`Error`] of an I/O error at `path`; a full disk keeps its own name.
pub(crate) fn at(path: &Path) -> impl FnOnce(io::Error) -> Error {
    move |source| match source.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => Error::DiskFull,
        _ => Error::Io {
            path: path.into(),
            source,
        },
    }
}

/// Names what did not fit on a full disk, for whoever asked for it.
pub(crate) fn unwritten(path: &Path) -> impl FnOnce(Error) -> Error {
    move |error| match error {
        Error::DiskFull => Error::NoRoomFor { path: path.into() },
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use std::fs::Permissions;
    use std::os::unix::fs::{MetadataExt, PermissionsExt};

    use super::*;

    #[test]
    fn a_private_file_is_replaced_in_one_step_and_stays_private() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("receiver.json");
        write_private(&path, b"one").unwrap();
        write_private(&path, b"two").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn what_cannot_be_put_in_its_place_stays_nowhere() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("key");
        fs::create_dir(&path).unwrap();
        write_private(&path, b"secret").unwrap_err();
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
        assert!(path.is_dir());
    }

    #[test]
    fn a_name_is_given_once_whether_or_not_there_are_links_and_never_to_a_part() {
        let links: [fn(&Path, &Path) -> io::Result<()>; 2] =
            [link, |_, _| Err(ErrorKind::Unsupported.into())];
        for link in links {
            let dir = tempfile::tempdir().unwrap();
            let (file, name) = (dir.path().join("file.new"), dir.path().join("file"));
            write_private(&file, b"one").unwrap();
            assert!(named(&file, &name, link).unwrap());
            assert_eq!(fs::read(&name).unwrap(), b"one");
            assert_eq!(fs::metadata(&name).unwrap().mode() & 0o777, 0o600);
            write_private(&file, b"two").unwrap();
            assert!(!named(&file, &name, link).unwrap());
            assert_eq!(fs::read(&name).unwrap(), b"one");
            let (gone, other) = (dir.path().join("gone"), dir.path().join("other"));
            assert!(named(&gone, &other, link).is_err());
            assert!(!other.exists());
        }
    }

    #[test]
    fn a_file_that_others_may_read_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("token");
        write_private(&path, b"secret").unwrap();
        check_private(&path).unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o640)).unwrap();
        assert!(matches!(
            check_private(&path),
            Err(Error::Loosened { mode: 0o640, .. })
        ));
    }
}
