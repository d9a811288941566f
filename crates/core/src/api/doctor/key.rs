//! The key that opens what is sealed, in words.

use super::DoctorCheck;
use crate::api::{KeyPlace, KeyState, KeyStatus};

/// Whether code can be read. Where a keyring holds the key, it is asked, and nobody for its password.
pub(super) fn check(status: &KeyStatus) -> DoctorCheck {
    let place = match status.place {
        Some(KeyPlace::File) => ", the key is in its file",
        Some(KeyPlace::Keyring) => ", the key is in the keyring",
        None => "",
    };
    match (words(status.state), status.rotation_left) {
        ((found, Some(hint)), _) if is_lost(status.state) => DoctorCheck::wrong("key", found, hint),
        ((found, Some(hint)), _) => DoctorCheck::note("key", found, hint),
        ((found, None), 0) => DoctorCheck::ok("key", format!("{found}{place}")),
        ((found, None), left) => DoctorCheck::note(
            "key",
            format!("{found}{place}; a rotation was interrupted with {left} data keys left"),
            "run `bobbin key rotate` to finish it",
        ),
    }
}

/// What was found, and what to do about it.
pub fn words(state: KeyState) -> (&'static str, Option<&'static str>) {
    match state {
        KeyState::Open => ("code and tracebacks can be read", None),
        KeyState::Unasked => (
            "the key is in the keyring, which Bobbin has not asked yet",
            None,
        ),
        KeyState::Shut => (
            "locked by you",
            Some("unlock it in the app, under Settings"),
        ),
        KeyState::Missing => (
            "missing: recorded code and tracebacks cannot be read",
            Some(
                "put the file `key` back into the data folder, or run `bobbin key restore`; \
                 `bobbin key new` starts with a new key",
            ),
        ),
        KeyState::Unreadable => (
            "the file `key` is unreadable, open to others, or holds no key",
            Some("run chmod go-rwx on it, or put the right file back"),
        ),
        KeyState::Another => (
            "this key belongs to another store",
            Some(
                "put the right key back, or run `bobbin key restore`; `bobbin key new` starts with a new key",
            ),
        ),
        KeyState::KeyringLocked => (
            "the keyring is locked: code stays locked, everything else works",
            Some("unlock the keyring; there is a button for it in the app, under Settings"),
        ),
        KeyState::KeyringAbsent => (
            "the key is in a keyring, but there is none here: code stays locked, everything else works",
            Some(
                "run this in a desktop session; to work without one, run `bobbin key move --to file` there",
            ),
        ),
        KeyState::KeyringSilent => (
            "the keyring does not answer: code stays locked, everything else works",
            Some("look for a keyring window that asks for a password, and try again"),
        ),
        KeyState::KeyringFailed => (
            "the keyring failed: code stays locked, everything else works",
            Some("check that the desktop's keyring works, and try again"),
        ),
        KeyState::NotInKeyring => (
            "the keyring no longer holds the key: recorded code cannot be read",
            Some("run `bobbin key restore`; `bobbin key new` starts with a new key"),
        ),
    }
}

/// Whether it takes more than an open keyring to have the key back.
fn is_lost(state: KeyState) -> bool {
    matches!(
        state,
        KeyState::Missing | KeyState::Unreadable | KeyState::Another | KeyState::NotInKeyring
    )
}
