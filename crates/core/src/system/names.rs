//! Names of files, which need not be text.

use std::ffi::{OsStr, OsString};

#[cfg(unix)]
use std::os::unix::ffi::OsStrExt;

/// The beginning of a name, at most so many bytes of it.
#[cfg(unix)]
pub(crate) fn cut(name: &OsStr, bytes: usize) -> OsString {
    let name = name.as_bytes();
    OsStr::from_bytes(&name[..name.len().min(bytes)]).to_owned()
}

/// The beginning of a name, at most so many bytes of it as text. What is no text in it is replaced.
#[cfg(windows)]
pub(crate) fn cut(name: &OsStr, bytes: usize) -> OsString {
    let name = name.to_string_lossy();
    name[..name.floor_char_boundary(bytes)].into()
}
