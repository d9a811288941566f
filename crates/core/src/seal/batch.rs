//! A sealed batch: what a plugin that lost its receiver leaves on the disk where the batch holds code or text.
//!
//! The file is `bobbin-sealed-1` and a newline, the encapsulated key (32 bytes), then the ciphertext of the batch as it
//! would have been posted: HPKE base mode with X25519, HKDF-SHA256 and ChaCha20-Poly1305, in a single shot.

use super::PrivateKeys;
use crate::{Error, Result};

const FIRST_LINE: &[u8] = b"bobbin-sealed-1\n";
const INFO: &[u8] = b"bobbin spool 1";

/// How much longer than its batch a sealed one is: first line, encapsulated key, authentication tag.
pub const SEALED_MORE_BYTES: u64 = FIRST_LINE.len() as u64 + 32 + 16;

/// The bytes of the batch, packed.
///
/// # Errors
/// [`Error::Sealed`] if this is no sealed batch, was cut or changed, or was sealed to another install.
pub(super) fn open_batch(sealed: &[u8], keys: &PrivateKeys) -> Result<Vec<u8>> {
    let sealed = sealed
        .strip_prefix(FIRST_LINE)
        .ok_or(Error::Sealed("it is not a sealed batch"))?;
    keys.open(INFO, sealed)
}

/// Seals as a plugin does.
///
/// # Errors
/// [`Error::Sealed`].
pub fn seal_to(batch: &[u8], install: &super::PublicKey) -> Result<Vec<u8>> {
    let sealed = install.seal(INFO, batch, b"")?;
    Ok([FIRST_LINE, &sealed].concat())
}

#[cfg(test)]
pub(crate) fn seal_batch(batch: &[u8], install: &super::PublicKey) -> Vec<u8> {
    seal_to(batch, install).unwrap()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::{Keys, NoKeyring, PrivateKey};
    use super::*;

    #[test]
    fn what_the_plugin_sealed_opens() {
        const KEY: &[u8] = include_bytes!("../../../../tests/fixtures/spool/key");
        const BATCH: &[u8] = include_bytes!("../../../../tests/fixtures/spool/000000000001.batch");
        const SEALED: &[u8] =
            include_bytes!("../../../../tests/fixtures/spool/000000000001.sealed");
        let dir = tempfile::tempdir().unwrap();
        crate::install::write_private(&dir.path().join("key"), KEY).unwrap();
        let keys = Keys::new(dir.path(), Arc::new(NoKeyring));
        let public = keys.first().unwrap();
        let other = seal_batch(
            b"of another install",
            &PrivateKey::random().unwrap().public(),
        );
        assert!(matches!(keys.open_batch(&other), Err(Error::Locked)));
        public.publish(dir.path()).unwrap();
        let published = std::fs::read(dir.path().join("public_key")).unwrap();
        let told = include_bytes!("../../../../tests/fixtures/spool/public_key");
        assert_eq!(published, told);
        assert!(matches!(keys.open_batch(&other), Err(Error::Sealed(_))));
        assert_eq!(keys.open_batch(SEALED).unwrap(), BATCH);
        let plain = crate::wire::inflate(BATCH, &Default::default()).unwrap();
        assert_eq!(crate::wire::decode(&plain).unwrap().lines.len(), 1);
    }

    #[test]
    fn what_was_sealed_to_this_install_opens_and_nothing_else_does() {
        let key = PrivateKey::random().unwrap();
        let (private, public) = (PrivateKeys::of(key.clone()), key.public());
        let sealed = seal_batch(b"a batch", &public);
        assert_eq!(sealed.len() as u64, 7 + SEALED_MORE_BYTES);
        assert_eq!(open_batch(&sealed, &private).unwrap(), b"a batch");
        for end in 0..sealed.len() {
            assert!(
                open_batch(&sealed[..end], &private).is_err(),
                "cut at {end}"
            );
        }
        for at in 0..sealed.len() {
            let mut changed = sealed.clone();
            changed[at] ^= 1;
            assert!(open_batch(&changed, &private).is_err(), "changed at {at}");
        }
        let other = PrivateKeys::of(PrivateKey::random().unwrap());
        assert!(open_batch(&sealed, &other).is_err());
        assert_eq!(open_batch(&sealed, &other.with(key)).unwrap(), b"a batch");
    }
}
