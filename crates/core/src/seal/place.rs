//! Where the private halves lie: in the file `key`, or in the keyring of the operating system.
//!
//! `DIR/key` decides. It holds the keys themselves (0600), or says under which account they lie in the keyring:
//!
//! ```text
//! bobbin private key 1              bobbin key in keyring 1
//! 0f3c…                             5d0a…
//! ```
//!
//! One rename turns the one into the other, after the new place was read back and before the old one is wiped: whenever
//! this is cut short, the keys are where `key` says.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use zeroize::Zeroizing;

use super::keyring::{Ask, Bounded, KeyringFault};
use super::private_keys::PrivateKeys;
use crate::hex::hexadecimal;
use crate::install::{at, check_private, random, write_private};
use crate::{Error, Result};

const FILE: &str = "key";
const IN_KEYRING: &str = "bobbin key in keyring 1";

/// Where the private halves lie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kept {
    /// In the file `key` itself.
    File,
    /// In the keyring, under this account.
    Keyring(String),
}

/// Why there are no private halves to open anything with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Closed {
    /// There is no file `key`.
    Missing,
    /// The file `key` cannot be read, is readable by others, or holds no key.
    Unreadable(String),
    /// The keyring is the place, and gave nothing.
    Keyring(KeyringFault),
    /// The keyring has no such account, or what is there is no key.
    NotInKeyring,
    /// Somebody locked it here.
    Shut,
}

pub(super) fn file(dir: &Path) -> PathBuf {
    dir.join(FILE)
}

fn text(dir: &Path) -> std::result::Result<Zeroizing<String>, Closed> {
    let path = file(dir);
    let text = match fs::read_to_string(&path) {
        Ok(text) => Zeroizing::new(text),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Err(Closed::Missing),
        Err(error) => return Err(Closed::Unreadable(error.to_string())),
    };
    check_private(&path).map_err(|error| Closed::Unreadable(error.to_string()))?;
    Ok(text)
}

/// Where the keys lie by what `key` says.
pub(super) fn find(dir: &Path) -> std::result::Result<Kept, Closed> {
    let text = text(dir)?;
    let mut lines = text.lines();
    if lines.next() != Some(IN_KEYRING) {
        return Ok(Kept::File);
    }
    match lines.next().map(str::trim) {
        Some(account) if !account.is_empty() => Ok(Kept::Keyring(account.into())),
        _ => Err(Closed::Unreadable("it names no keyring account".into())),
    }
}

/// The keys, from where they lie.
pub(super) fn read(
    dir: &Path,
    keyring: &Bounded,
    ask: Ask,
) -> std::result::Result<PrivateKeys, Closed> {
    match find(dir)? {
        Kept::File => PrivateKeys::from_text(&text(dir)?)
            .ok_or_else(|| Closed::Unreadable("it holds no key".into())),
        Kept::Keyring(account) => {
            let secret = keyring
                .read(&account, ask)
                .map_err(Closed::Keyring)?
                .ok_or(Closed::NotInKeyring)?;
            let text = std::str::from_utf8(&secret).map_err(|_| Closed::NotInKeyring)?;
            PrivateKeys::from_text(text).ok_or(Closed::NotInKeyring)
        }
    }
}

/// Keeps other keys where the present ones lie; in the file where there were none.
///
/// # Errors
/// [`Error::Keyring`], [`Error::Io`], [`Error::DiskFull`].
pub(super) fn keep(dir: &Path, keyring: &Bounded, keys: &PrivateKeys, ask: Ask) -> Result<()> {
    match find(dir) {
        Ok(Kept::Keyring(account)) => {
            Ok(keyring.write(&account, keys.to_text().as_bytes(), ask)?)
        }
        _ => to_file(dir, keys),
    }
}

/// Puts the keys into the keyring, then says so in `key`, then wipes the file that held them.
///
/// # Errors
/// As [`keep`]; then the keys are still where they were.
pub(super) fn to_keyring(
    dir: &Path,
    keyring: &Bounded,
    keys: &PrivateKeys,
    ask: Ask,
) -> Result<()> {
    let account = match find(dir) {
        Ok(Kept::Keyring(account)) => account,
        _ => {
            let mut account = [0; 16];
            random(&mut account)?;
            hexadecimal(&account)
        }
    };
    keyring.write(&account, keys.to_text().as_bytes(), ask)?;
    replace(dir, format!("{IN_KEYRING}\n{account}\n").as_bytes())
}

/// Puts the keys into the file, and then takes them out of the keyring. Gives whether they are no longer there.
///
/// # Errors
/// [`Error::Io`], [`Error::DiskFull`]; then the keys are still where they were.
pub(super) fn from_keyring(
    dir: &Path,
    keyring: &Bounded,
    keys: &PrivateKeys,
    ask: Ask,
) -> Result<bool> {
    let before = find(dir);
    to_file(dir, keys)?;
    match before {
        Ok(Kept::Keyring(account)) => Ok(keyring
            .remove(&account, ask)
            .inspect_err(|error| tracing::warn!(%error, "a copy of the key stays in the keyring"))
            .is_ok()),
        _ => Ok(true),
    }
}

fn to_file(dir: &Path, keys: &PrivateKeys) -> Result<()> {
    replace(dir, keys.to_text().as_bytes())?;
    let path = file(dir);
    let found = Zeroizing::new(fs::read(&path).map_err(at(&path))?);
    if *found == *keys.to_text().as_bytes() {
        Ok(())
    } else {
        Err(Error::Refused(format!(
            "{} did not keep the key",
            path.display()
        )))
    }
}

/// Puts a text into `key` in one step that survives a power cut, and overwrites what the file held before.
fn replace(dir: &Path, text: &[u8]) -> Result<()> {
    let path = file(dir);
    // Before the rename, or the old file could not be reached any more.
    let before = OpenOptions::new().write(true).open(&path).ok();
    write_private(&path, text)?;
    if let Some(mut old) = before {
        let wiped = old.metadata().and_then(|found| {
            old.write_all(&vec![0; found.len() as usize])?;
            old.sync_all()
        });
        if let Err(error) = wiped {
            tracing::warn!(%error, "the file that held the key before was removed and not overwritten");
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::PrivateKey;
    use super::super::keyring::testing::FakeKeyring;
    use super::*;

    fn keys() -> PrivateKeys {
        PrivateKeys::of(PrivateKey::random().unwrap())
    }

    #[test]
    fn keys_go_to_the_keyring_and_back() {
        let dir = tempfile::tempdir().unwrap();
        let fake = FakeKeyring::new();
        let keyring = Bounded::new(fake.clone());
        let keys = keys();
        assert_eq!(
            read(dir.path(), &keyring, Ask::Nobody).unwrap_err(),
            Closed::Missing
        );
        keep(dir.path(), &keyring, &keys, Ask::Nobody).unwrap();
        assert_eq!(find(dir.path()), Ok(Kept::File));

        to_keyring(dir.path(), &keyring, &keys, Ask::Nobody).unwrap();
        assert!(matches!(find(dir.path()), Ok(Kept::Keyring(_))));
        let text = fs::read_to_string(file(dir.path())).unwrap();
        let digits = keys.to_text().lines().nth(1).unwrap().to_owned();
        assert!(!text.contains(&digits));
        assert_eq!(
            read(dir.path(), &keyring, Ask::Nobody).unwrap().publics(),
            keys.publics()
        );

        let more = keys.with(PrivateKey::random().unwrap());
        keep(dir.path(), &keyring, &more, Ask::Nobody).unwrap();
        assert_eq!(
            read(dir.path(), &keyring, Ask::Nobody).unwrap().publics(),
            more.publics()
        );

        assert!(from_keyring(dir.path(), &keyring, &more, Ask::Nobody).unwrap());
        assert_eq!(find(dir.path()), Ok(Kept::File));
        assert!(fake.secrets.lock().unwrap().is_empty());
        check_private(&file(dir.path())).unwrap();
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn the_file_that_held_the_key_is_overwritten() {
        let dir = tempfile::tempdir().unwrap();
        let keyring = Bounded::new(FakeKeyring::new());
        let keys = keys();
        keep(dir.path(), &keyring, &keys, Ask::Nobody).unwrap();
        // A second name of the same file shows what becomes of its bytes.
        let other = dir.path().join("other");
        fs::hard_link(file(dir.path()), &other).unwrap();
        to_keyring(dir.path(), &keyring, &keys, Ask::Nobody).unwrap();
        assert!(fs::read(&other).unwrap().iter().all(|byte| *byte == 0));
    }

    #[test]
    fn a_keyring_that_fails_leaves_the_keys_where_they_were() {
        let dir = tempfile::tempdir().unwrap();
        let fake = FakeKeyring::new();
        let keyring = Bounded::new(fake.clone());
        let keys = keys();
        keep(dir.path(), &keyring, &keys, Ask::Nobody).unwrap();
        fake.fail(KeyringFault::Locked);
        assert!(to_keyring(dir.path(), &keyring, &keys, Ask::Nobody).is_err());
        assert_eq!(find(dir.path()), Ok(Kept::File));
        assert_eq!(
            read(dir.path(), &keyring, Ask::Nobody).unwrap().publics(),
            keys.publics()
        );

        fake.fail(None);
        to_keyring(dir.path(), &keyring, &keys, Ask::Nobody).unwrap();
        for fault in [KeyringFault::Locked, KeyringFault::Absent] {
            fake.fail(fault.clone());
            assert_eq!(
                read(dir.path(), &keyring, Ask::Nobody).unwrap_err(),
                Closed::Keyring(fault)
            );
        }
        fake.fail(None);
        fake.secrets.lock().unwrap().clear();
        assert_eq!(
            read(dir.path(), &keyring, Ask::Nobody).unwrap_err(),
            Closed::NotInKeyring
        );
    }

    #[test]
    fn a_file_that_holds_no_key_says_so() {
        let dir = tempfile::tempdir().unwrap();
        let keyring = Bounded::new(FakeKeyring::new());
        for text in [
            &b""[..],
            b"not a key",
            b"bobbin key in keyring 1\n",
            b"\xff\xfe",
        ] {
            write_private(&file(dir.path()), text).unwrap();
            let closed = read(dir.path(), &keyring, Ask::Nobody).unwrap_err();
            assert!(matches!(closed, Closed::Unreadable(_)), "{closed:?}");
        }
    }
}
