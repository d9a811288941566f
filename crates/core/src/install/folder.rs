//! Where the folder is, and that it belongs to its owner alone.

use std::fs;
use std::path::{Path, PathBuf};

use super::private::{at, check_private};
use crate::system::{close_folder, create_folder, make_folders};
use crate::{Error, Result};

/// The folder that is used when none is named: `BOBBIN_DATA_DIR`, else the user's data folder, such as
/// `~/.local/share/bobbin`.
///
/// # Errors
/// [`Error::Invalid`] if the user has no home folder.
pub fn default_data_dir() -> Result<PathBuf> {
    if let Some(dir) = std::env::var_os("BOBBIN_DATA_DIR").filter(|dir| !dir.is_empty()) {
        return Ok(dir.into());
    }
    directories::ProjectDirs::from("", "", "bobbin")
        .map(|dirs| dirs.data_dir().to_path_buf())
        .ok_or_else(|| Error::Invalid {
            what: "data folder",
            value: "none".into(),
            reason: "this user has no home folder: set BOBBIN_DATA_DIR".into(),
        })
}

/// Makes the folder with mode 0700 if it is absent, closes an empty one, and refuses one that others may enter.
///
/// # Errors
/// [`Error::Loosened`] if others may read or write it; [`Error::Io`].
pub fn prepare(dir: &Path) -> Result<()> {
    if !dir.exists() {
        if let Some(parent) = dir.parent() {
            make_folders(parent).map_err(at(parent))?;
        }
        match create_folder(dir) {
            Ok(()) => close_folder(dir).map_err(at(dir))?,
            Err(source) if source.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(source) => return Err(at(dir)(source)),
        }
    }
    match check_private(dir) {
        // Nothing was ever in it that somebody could have seen.
        Err(Error::Loosened { .. }) if fs::read_dir(dir).map_err(at(dir))?.next().is_none() => {
            close_folder(dir).map_err(at(dir))
        }
        checked => checked,
    }
}

#[cfg(test)]
mod tests {
    use std::fs::Permissions;
    use std::os::unix::fs::{MetadataExt, PermissionsExt};

    use super::*;

    #[test]
    fn a_new_folder_is_for_its_owner_alone() {
        let base = tempfile::tempdir().unwrap();
        let dir = base.path().join("a/b/bobbin");
        prepare(&dir).unwrap();
        assert_eq!(fs::metadata(&dir).unwrap().mode() & 0o777, 0o700);
        prepare(&dir).unwrap();
    }

    #[test]
    fn a_folder_is_made_in_one_that_may_not_be_listed() {
        let base = tempfile::tempdir().unwrap();
        fs::set_permissions(base.path(), Permissions::from_mode(0o300)).unwrap();
        let made = prepare(&base.path().join("bobbin"));
        fs::set_permissions(base.path(), Permissions::from_mode(0o700)).unwrap();
        made.unwrap();
    }

    #[test]
    fn an_empty_folder_is_closed_to_others() {
        let base = tempfile::tempdir().unwrap();
        fs::set_permissions(base.path(), Permissions::from_mode(0o755)).unwrap();
        prepare(base.path()).unwrap();
        assert_eq!(fs::metadata(base.path()).unwrap().mode() & 0o777, 0o700);
    }

    #[test]
    fn a_folder_that_others_may_enter_is_refused_with_a_hint() {
        let base = tempfile::tempdir().unwrap();
        let dir = base.path().join("bobbin");
        fs::create_dir(&dir).unwrap();
        fs::set_permissions(&dir, Permissions::from_mode(0o755)).unwrap();
        fs::write(dir.join("token"), "seen").unwrap();
        let error = prepare(&dir).unwrap_err();
        assert!(matches!(error, Error::Loosened { mode: 0o755, .. }));
        assert!(error.hint().unwrap().contains("chmod go-rwx"));
    }
}
