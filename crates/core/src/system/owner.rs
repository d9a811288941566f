//! Whose a file is: what others put into a folder is not read.
//!
//! On Windows owners are not compared. Whoever may write into the folder of an install there was let in by its access list.

use std::env;
use std::fs::{self, Metadata};
use std::path::Path;

#[cfg(unix)]
use std::os::unix::fs::MetadataExt;

/// The user that a file belongs to; on Windows the same for all files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Owner {
    #[cfg(unix)]
    uid: u32,
}

impl Owner {
    #[cfg_attr(
        windows,
        expect(unused_variables, reason = "nothing is compared there")
    )]
    pub(crate) fn of(found: &Metadata) -> Self {
        Self {
            #[cfg(unix)]
            uid: found.uid(),
        }
    }

    /// Somebody else.
    #[cfg(all(test, unix))]
    pub(crate) fn another(self) -> Self {
        Self { uid: self.uid + 1 }
    }
}

/// What whoever runs this process is called: as the system has it in the environment, else by the number that owns `own`, which
/// is theirs.
pub(crate) fn user(own: &Path) -> String {
    let named = ["USER", "LOGNAME", "USERNAME"]
        .iter()
        .find_map(|name| env::var(name).ok().filter(|user| !user.is_empty()));
    named.unwrap_or_else(|| match fs::metadata(own) {
        #[cfg(unix)]
        Ok(found) => format!("user {}", found.uid()),
        _ => "somebody".into(),
    })
}
