//! The key under which code and failures are recognised again without being read.
//!
//! What recording knows of sealed code and sealed tracebacks for good is a keyed hash of them (HMAC-SHA256, cut to 128
//! bits). Recording has this key while the private key is locked away, so it lies beside the store as `fingerprint_key`
//! and not in it: the store alone says which computations ran the same code and which failures took the same way, and
//! lets nobody test a guess at either. It opens nothing. Whoever has both files can test guesses, but only of whole
//! snippets and whole stacks, and no literal of the code is in the hash.
//! When the file is lost, a new key begins a new history, and nothing else changes.

use std::fmt;
use std::fs;
use std::path::Path;

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use zeroize::Zeroizing;

use super::install_key::unhexadecimal;
use crate::hex::hexadecimal;
use crate::install::{at, check_private, random, write_private};
use crate::{Error, Result};

const FILE: &str = "fingerprint_key";
/// Bytes of a fingerprint: two of a million snippets meet by chance once in 10^26 stores.
const LENGTH: usize = 16;

/// Makes fingerprints. It is never printed by `{:?}`.
#[derive(Clone)]
pub struct FingerprintKey(Zeroizing<[u8; 32]>);

impl fmt::Debug for FingerprintKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FingerprintKey(…)")
    }
}

impl FingerprintKey {
    /// The key in `DIR/fingerprint_key`; a folder that has none gets a new one.
    ///
    /// # Errors
    /// [`Error::Loosened`] if others may read it; [`Error::Invalid`] if it holds no key; [`Error::Io`],
    /// [`Error::DiskFull`].
    pub fn load_or_make(dir: &Path) -> Result<Self> {
        let path = dir.join(FILE);
        match check_private(&path) {
            Err(Error::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => {
                let mut secret = Zeroizing::new([0u8; 32]);
                random(&mut *secret)?;
                // In one step: half a file would keep every later start from recording.
                let text = Zeroizing::new(hexadecimal(&*secret) + "\n");
                write_private(&path, text.as_bytes())?;
                return Ok(Self(secret));
            }
            checked => checked?,
        }
        let text = Zeroizing::new(fs::read_to_string(&path).map_err(at(&path))?);
        unhexadecimal(text.trim_end())
            .map(Self)
            .ok_or_else(|| Error::Invalid {
                what: "fingerprint key file",
                value: path.display().to_string(),
                reason: "it holds no key: delete it, and Bobbin recognizes runs afresh from now on"
                    .into(),
            })
    }

    /// A key that is kept nowhere: under it nobody can try a guess later, and nothing is recognised again after a start.
    ///
    /// # Errors
    /// [`Error::Io`] if the system gives no random bytes.
    pub fn of_this_run() -> Result<Self> {
        let mut secret = Zeroizing::new([0u8; 32]);
        random(&mut *secret)?;
        Ok(Self(secret))
    }

    /// What stands for `text` in this install alone.
    pub fn fingerprint(&self, text: &str) -> [u8; LENGTH] {
        let whole = match Hmac::<Sha256>::new_from_slice(&*self.0) {
            Ok(mut mac) => {
                mac.update(text.as_bytes());
                mac.finalize().into_bytes()
            }
            // HMAC takes keys of every length.
            Err(_) => Default::default(),
        };
        let mut short = [0; LENGTH];
        short.copy_from_slice(&whole[..LENGTH]);
        short
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_install_keeps_its_key_and_another_has_another() {
        let dir = tempfile::tempdir().unwrap();
        let first = FingerprintKey::load_or_make(dir.path()).unwrap();
        let again = FingerprintKey::load_or_make(dir.path()).unwrap();
        assert_eq!(first.fingerprint("x"), again.fingerprint("x"));
        assert_ne!(first.fingerprint("x"), first.fingerprint("y"));
        check_private(&dir.path().join(FILE)).unwrap();
        let other = tempfile::tempdir().unwrap();
        let other = FingerprintKey::load_or_make(other.path()).unwrap();
        assert_ne!(first.fingerprint("x"), other.fingerprint("x"));
        assert_eq!(format!("{first:?}"), "FingerprintKey(…)");
    }

    #[test]
    fn a_key_that_cannot_be_written_leaves_no_file_behind() {
        let dir = tempfile::tempdir().unwrap();
        // In the way of the file that is written beside it.
        let beside = format!("{FILE}.{}.new", std::process::id());
        fs::create_dir(dir.path().join(beside)).unwrap();
        FingerprintKey::load_or_make(dir.path()).unwrap_err();
        assert!(!dir.path().join(FILE).exists());
    }

    #[test]
    fn a_file_without_a_key_is_an_error_that_names_it() {
        let dir = tempfile::tempdir().unwrap();
        FingerprintKey::load_or_make(dir.path()).unwrap();
        fs::write(dir.path().join(FILE), "nothing").unwrap();
        let error = FingerprintKey::load_or_make(dir.path()).unwrap_err();
        assert!(error.to_string().contains(FILE), "{error}");
    }

    #[test]
    fn it_is_hmac_with_sha_256() {
        // RFC 4231, test case 2, has a short key, which HMAC pads with zeros.
        let mut key = [0; 32];
        key[..4].copy_from_slice(b"Jefe");
        let found = FingerprintKey(Zeroizing::new(key)).fingerprint("what do ya want for nothing?");
        assert_eq!(hexadecimal(&found), "5bdcc146bf60754e6a042426089575c7");
    }
}
