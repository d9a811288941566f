//! The private halves as one open Bobbin holds them: read when they are needed, locked and unlocked, moved and kept.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};

use super::keyring::{Ask, Bounded, Keyring, NoKeyring};
use super::place::{self, Closed, Kept};
use super::private_keys::PrivateKeys;
use super::{PrivateKey, PublicKey, batch};
use crate::lock::lock;
use crate::{Error, Result};

/// Where people want the private halves to lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyPlace {
    File,
    Keyring,
}

/// What is known of keys in the keyring. A file is read each time, so that one that is put back counts at once; a keyring
/// is asked once, and then again only when a person wants that.
#[derive(Debug, Default)]
enum Asked {
    #[default]
    Never,
    Answered(std::result::Result<PrivateKeys, Closed>),
}

#[derive(Debug, Default)]
struct Held {
    shut: bool,
    asked: Asked,
}

struct Inner {
    dir: PathBuf,
    keyring: Bounded,
    held: Mutex<Held>,
}

/// The private halves of one install. Clones are the same.
#[derive(Clone)]
pub struct Keys(Arc<Inner>);

impl Keys {
    /// Those of the install in `dir`. Reads nothing yet.
    pub fn new(dir: &Path, keyring: Arc<dyn Keyring>) -> Self {
        Self(Arc::new(Inner {
            dir: dir.into(),
            keyring: Bounded::new(keyring),
            held: Mutex::default(),
        }))
    }

    /// None at all, whatever the install in `dir` has.
    pub fn none(dir: &Path) -> Self {
        let none = Self::new(dir, Arc::new(NoKeyring));
        none.lock();
        none
    }

    /// What the keyring of this system is called; none where there is none.
    pub fn keyring(&self) -> Option<&'static str> {
        self.0.keyring.name()
    }

    /// Where the keys lie; none where they are missing, or it cannot be told.
    pub fn place(&self) -> Option<KeyPlace> {
        Some(match place::find(&self.0.dir).ok()? {
            Kept::File => KeyPlace::File,
            Kept::Keyring(_) => KeyPlace::Keyring,
        })
    }

    /// The private halves. A keyring that is locked stays so: nobody is asked for a password.
    ///
    /// # Errors
    /// [`Closed`] says why nothing sealed can be opened now.
    pub fn private(&self) -> std::result::Result<PrivateKeys, Closed> {
        let mut held = self.held();
        if held.shut {
            return Err(Closed::Shut);
        }
        match (place::find(&self.0.dir)?, &held.asked) {
            (Kept::Keyring(_), Asked::Answered(answer)) => answer.clone(),
            (Kept::Keyring(_), Asked::Never) => {
                let answer = self.read(Ask::Nobody);
                held.asked = Asked::Answered(answer.clone());
                answer
            }
            (Kept::File, _) => self.read(Ask::Nobody),
        }
    }

    /// As [`Keys::private`], but a keyring that was not asked before is not asked now: then it is none.
    pub fn known(&self) -> Option<std::result::Result<PrivateKeys, Closed>> {
        let unasked = {
            let held = self.held();
            !held.shut && matches!(held.asked, Asked::Never)
        };
        if unasked && self.place() == Some(KeyPlace::Keyring) {
            return None;
        }
        Some(self.private())
    }

    /// Reads them anew; the keyring may ask the person in front of it for its password, and is waited for.
    ///
    /// # Errors
    /// [`Closed`], as before.
    pub fn unlock(&self) -> std::result::Result<PrivateKeys, Closed> {
        // Not held while somebody types.
        let answer = self.read(Ask::Person);
        let mut held = self.held();
        held.shut = false;
        held.asked = Asked::Answered(answer.clone());
        answer
    }

    /// Forgets them until [`Keys::unlock`].
    pub fn lock(&self) {
        *self.held() = Held {
            shut: true,
            asked: Asked::Never,
        };
    }

    /// The public half for a store that has none yet: of the key that is here, or, where that cannot be read now, the one that
    /// the install has published; else of a new one, which goes into the keyring where that is open, and else into a file.
    /// Never call it for a store that has a public key: what is sealed would stay closed for ever.
    ///
    /// # Errors
    /// [`Error::Keyring`], or [`Error::Invalid`] for the file `key`, if there is a key that cannot be read, and nothing says
    /// what its public half is; [`Error::Io`], [`Error::DiskFull`].
    pub fn first(&self) -> Result<PublicKey> {
        let Inner { dir, keyring, .. } = &*self.0;
        let published = PublicKey::published(dir);
        match self.read(Ask::Nobody) {
            Ok(found) => match published.filter(|public| found.of_public(public).is_some()) {
                Some(public) => Ok(public),
                None => found.publics().pop().ok_or(Error::Locked),
            },
            Err(Closed::Missing) => {
                let key = PrivateKey::random()?;
                let keys = PrivateKeys::of(key.clone());
                let kept = match keyring.name() {
                    Some(_) => place::to_keyring(dir, keyring, &keys, Ask::Nobody),
                    None => Err(super::KeyringFault::Absent.into()),
                };
                match kept {
                    Err(Error::Keyring(_)) => place::keep(dir, keyring, &keys, Ask::Nobody)?,
                    kept => kept?,
                }
                Ok(key.public())
            }
            Err(closed) => published.ok_or_else(|| match closed {
                Closed::Keyring(fault) => Error::Keyring(fault),
                _ => Error::Invalid {
                    what: "key file",
                    value: place::file(dir).display().to_string(),
                    reason: "the key cannot be read: put the right file back, or move this one elsewhere, keep it, and \
                             restart"
                        .into(),
                },
            }),
        }
    }

    /// The folder of the install.
    pub fn dir(&self) -> &Path {
        &self.0.dir
    }

    /// Whether the private half of this key is here and open.
    pub fn holds(&self, public: &PublicKey) -> bool {
        self.private()
            .is_ok_and(|keys| keys.of_public(public).is_some())
    }

    /// The published key, if it is here: after an older copy of the store was put back, the store may not know it yet. A
    /// keyring is asked, without a window.
    pub fn published(&self) -> Option<PublicKey> {
        let public = PublicKey::published(&self.0.dir)?;
        self.private().ok()?.of_public(&public)?;
        Some(public)
    }

    /// Keeps other private halves in place of the present ones, where those lie.
    ///
    /// # Errors
    /// [`Error::Refused`] if they are too many, [`Error::Keyring`], [`Error::Io`], [`Error::DiskFull`]: then the present
    /// ones stay.
    pub fn keep(&self, keys: &PrivateKeys) -> Result<()> {
        keys.fit()?;
        place::keep(&self.0.dir, &self.0.keyring, keys, Ask::Person)?;
        self.now_open(keys);
        Ok(())
    }

    /// Moves the private halves to the file or into the keyring: the new place is read back before the old one is wiped.
    /// Gives whether no copy stays behind.
    ///
    /// # Errors
    /// [`Error::Locked`] if they cannot be read where they are; [`Error::Keyring`], [`Error::Io`], [`Error::DiskFull`]:
    /// then they stay there.
    pub fn move_to(&self, place: KeyPlace) -> Result<bool> {
        let keys = self.unlock().map_err(|closed| closed.error())?;
        let Inner { dir, keyring, .. } = &*self.0;
        let alone = match place {
            KeyPlace::File => place::from_keyring(dir, keyring, &keys, Ask::Person)?,
            KeyPlace::Keyring => {
                place::to_keyring(dir, keyring, &keys, Ask::Person)?;
                true
            }
        };
        self.now_open(&keys);
        Ok(alone)
    }

    /// The bytes of a sealed batch, packed.
    ///
    /// # Errors
    /// [`Error::Locked`] if the private half of what plugins seal to is not here; [`Error::Sealed`] if this is no sealed
    /// batch, was cut or changed, or was sealed to another install.
    pub fn open_batch(&self, sealed: &[u8]) -> Result<Vec<u8>> {
        let keys = self
            .private()
            .inspect_err(|closed| tracing::warn!(?closed, "the key cannot be used"))
            .map_err(|closed| closed.error())?;
        let opened = batch::open_batch(sealed, &keys);
        let published = keys
            .publics()
            .iter()
            .any(|key| key.is_published(&self.0.dir));
        match opened {
            Err(Error::Sealed(_)) if !published => Err(Error::Locked),
            opened => opened,
        }
    }

    fn read(&self, ask: Ask) -> std::result::Result<PrivateKeys, Closed> {
        place::read(&self.0.dir, &self.0.keyring, ask)
    }

    fn now_open(&self, keys: &PrivateKeys) {
        *self.held() = Held {
            shut: false,
            asked: Asked::Answered(Ok(keys.clone())),
        };
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        lock(&self.0.held)
    }
}

impl Closed {
    /// As the fault of something that needs the key.
    pub fn error(&self) -> Error {
        match self {
            Closed::Keyring(fault) => Error::Keyring(fault.clone()),
            _ => Error::Locked,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::NoKeyring;
    use super::super::keyring::KeyringFault;
    use super::super::keyring::testing::FakeKeyring;
    use super::*;

    #[test]
    fn an_interrupted_start_adopts_the_key_that_it_left() {
        let dir = tempfile::tempdir().unwrap();
        let keys = Keys::new(dir.path(), Arc::new(NoKeyring));
        let first = keys.first().unwrap();
        assert_eq!(keys.first().unwrap(), first);
        assert_eq!(keys.place(), Some(KeyPlace::File));
        assert_eq!(keys.private().unwrap().publics(), [first]);
    }

    #[test]
    fn a_new_key_goes_into_a_keyring_that_is_open_and_else_into_a_file() {
        for (fault, place) in [
            (None, KeyPlace::Keyring),
            (Some(KeyringFault::Locked), KeyPlace::File),
            (Some(KeyringFault::Failed("x".into())), KeyPlace::File),
        ] {
            let dir = tempfile::tempdir().unwrap();
            let fake = FakeKeyring::new();
            fake.fail(fault);
            let keys = Keys::new(dir.path(), fake.clone());
            let public = keys.first().unwrap();
            assert_eq!(keys.place(), Some(place));
            assert_eq!(
                keys.private().unwrap().publics(),
                std::slice::from_ref(&public)
            );
            assert_eq!(keys.first().unwrap(), public);
        }
    }

    #[test]
    fn a_key_that_cannot_be_read_now_seals_by_its_published_half() {
        let dir = tempfile::tempdir().unwrap();
        let fake = FakeKeyring::new();
        let public = Keys::new(dir.path(), fake.clone()).first().unwrap();
        let first = || Keys::new(dir.path(), fake.clone()).first();
        let before = std::fs::read(place::file(dir.path())).unwrap();
        let faults = [KeyringFault::Locked, KeyringFault::Absent];
        for fault in faults {
            fake.fail(fault.clone());
            let error = first().unwrap_err();
            assert!(
                matches!(&error, Error::Keyring(found) if *found == fault),
                "{error}"
            );
        }
        public.publish(dir.path()).unwrap();
        assert_eq!(first().unwrap(), public);
        fake.fail(None);
        fake.secrets.lock().unwrap().clear();
        assert_eq!(first().unwrap(), public);
        assert_eq!(std::fs::read(place::file(dir.path())).unwrap(), before);

        std::fs::write(place::file(dir.path()), "cut").unwrap();
        assert_eq!(first().unwrap(), public);
        std::fs::remove_file(dir.path().join("public_key")).unwrap();
        let error = first().unwrap_err().to_string();
        assert!(
            !error.contains("delete") && error.contains("keep it"),
            "{error}"
        );
    }

    #[test]
    fn of_several_keys_the_published_one_seals_a_new_store() {
        let dir = tempfile::tempdir().unwrap();
        let keys = Keys::new(dir.path(), Arc::new(NoKeyring));
        let first = keys.first().unwrap();
        let both = keys.private().unwrap().with(PrivateKey::random().unwrap());
        keys.keep(&both).unwrap();
        assert_eq!(Some(&keys.first().unwrap()), both.publics().last());
        first.publish(dir.path()).unwrap();
        assert_eq!(keys.first().unwrap(), first);
    }

    #[test]
    fn a_keyring_is_asked_once_until_a_person_unlocks_it() {
        let dir = tempfile::tempdir().unwrap();
        let fake = FakeKeyring::new();
        Keys::new(dir.path(), fake.clone()).first().unwrap();
        let keys = Keys::new(dir.path(), fake.clone());
        assert!(keys.known().is_none());
        fake.fail(KeyringFault::Locked);
        let locked = Closed::Keyring(KeyringFault::Locked);
        assert_eq!(keys.private().unwrap_err(), locked);
        fake.fail(KeyringFault::Failed("asked again".into()));
        assert_eq!(keys.private().unwrap_err(), locked);
        assert_eq!(keys.known().unwrap().unwrap_err(), locked);
        fake.fail(KeyringFault::Locked);
        keys.unlock().unwrap();
        assert!(keys.private().is_ok());
        keys.lock();
        assert_eq!(keys.private().unwrap_err(), Closed::Shut);
        assert_eq!(keys.known().unwrap().unwrap_err(), Closed::Shut);
        keys.unlock().unwrap();
        assert!(keys.private().is_ok());
    }

    #[test]
    fn keys_move_only_when_they_can_be_read() {
        let dir = tempfile::tempdir().unwrap();
        let fake = FakeKeyring::new();
        let keys = Keys::new(dir.path(), fake.clone());
        let public = keys.first().unwrap();
        assert!(keys.move_to(KeyPlace::File).unwrap());
        assert_eq!(keys.place(), Some(KeyPlace::File));
        keys.lock();
        assert!(keys.move_to(KeyPlace::Keyring).unwrap());
        assert_eq!(keys.private().unwrap().publics(), [public]);
        fake.secrets.lock().unwrap().clear();
        assert!(matches!(keys.move_to(KeyPlace::File), Err(Error::Locked)));
        assert_eq!(keys.place(), Some(KeyPlace::Keyring));
    }
}
