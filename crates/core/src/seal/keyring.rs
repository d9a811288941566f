//! The keyring of the operating system, as the rest of Bobbin sees it: a name, three operations, and a bounded wait.
//!
//! The keyring itself speaks over a bus, in a crate of its own; the doors hand it in. A keyring that is locked, gone or
//! does not answer is an ordinary state: numbers and recording never need it.

use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::Duration;

use zeroize::Zeroizing;

/// How long a keyring may take that answers by itself.
const PATIENCE: Duration = Duration::from_secs(3);
/// How long a person may take to type a password into the keyring's own window.
const PERSON_PATIENCE: Duration = Duration::from_secs(60);

/// Whether the keyring may ask somebody for its password.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ask {
    /// A locked keyring stays locked, and no window opens.
    Nobody,
    /// Somebody wants it unlocked and sits in front of it.
    Person,
}

/// Why a keyring gave nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeyringFault {
    #[error("there is no keyring here")]
    Absent,
    #[error("the keyring is locked")]
    Locked,
    #[error("the keyring does not answer")]
    Silent,
    #[error("the keyring failed: {0}")]
    Failed(String),
}

/// A keyring. Secrets lie in it by account, under Bobbin's name.
pub trait Keyring: Send + Sync + 'static {
    /// What people call it, such as `Secret Service`; none where this system has no keyring that is known.
    fn name(&self) -> Option<&'static str>;

    /// The secret of an account; none if there is none.
    ///
    /// # Errors
    /// [`KeyringFault`].
    fn read(&self, account: &str, ask: Ask) -> Result<Option<Zeroizing<Vec<u8>>>, KeyringFault>;

    /// Keeps a secret; the one before is replaced.
    ///
    /// # Errors
    /// [`KeyringFault`].
    fn write(&self, account: &str, secret: &[u8], ask: Ask) -> Result<(), KeyringFault>;

    /// Removes a secret. Absent already is fine.
    ///
    /// # Errors
    /// [`KeyringFault`].
    fn remove(&self, account: &str, ask: Ask) -> Result<(), KeyringFault>;
}

/// Where there is no keyring.
#[derive(Debug)]
pub struct NoKeyring;

impl Keyring for NoKeyring {
    fn name(&self) -> Option<&'static str> {
        None
    }

    fn read(&self, _: &str, _: Ask) -> Result<Option<Zeroizing<Vec<u8>>>, KeyringFault> {
        Err(KeyringFault::Absent)
    }

    fn write(&self, _: &str, _: &[u8], _: Ask) -> Result<(), KeyringFault> {
        Err(KeyringFault::Absent)
    }

    fn remove(&self, _: &str, _: Ask) -> Result<(), KeyringFault> {
        Err(KeyringFault::Absent)
    }
}

/// A keyring that is waited for so long and no longer. What hangs is left behind in a thread of its own.
#[derive(Clone)]
pub(super) struct Bounded {
    keyring: Arc<dyn Keyring>,
    patience: Duration,
    person_patience: Duration,
}

impl Bounded {
    pub(super) fn new(keyring: Arc<dyn Keyring>) -> Self {
        Self {
            keyring,
            patience: PATIENCE,
            person_patience: PERSON_PATIENCE,
        }
    }

    pub(super) fn name(&self) -> Option<&'static str> {
        self.keyring.name()
    }

    pub(super) fn read(
        &self,
        account: &str,
        ask: Ask,
    ) -> Result<Option<Zeroizing<Vec<u8>>>, KeyringFault> {
        let account = account.to_owned();
        self.wait(ask, move |keyring| keyring.read(&account, ask))
    }

    /// Keeps a secret, and has seen it there.
    pub(super) fn write(&self, account: &str, secret: &[u8], ask: Ask) -> Result<(), KeyringFault> {
        let account = account.to_owned();
        let secret = Zeroizing::new(secret.to_vec());
        self.wait(ask, move |keyring| {
            keyring.write(&account, &secret, ask)?;
            match keyring.read(&account, ask)? {
                Some(found) if *found == *secret => Ok(()),
                _ => Err(KeyringFault::Failed(
                    "it did not keep the key".into(),
                )),
            }
        })
    }

    pub(super) fn remove(&self, account: &str, ask: Ask) -> Result<(), KeyringFault> {
        let account = account.to_owned();
        self.wait(ask, move |keyring| keyring.remove(&account, ask))
    }

    fn wait<T: Send + 'static>(
        &self,
        ask: Ask,
        work: impl FnOnce(&dyn Keyring) -> Result<T, KeyringFault> + Send + 'static,
    ) -> Result<T, KeyringFault> {
        let (sender, receiver) = sync_channel(1);
        let keyring = Arc::clone(&self.keyring);
        std::thread::Builder::new()
            .name("bobbin-keyring".into())
            .spawn(move || {
                // Nobody may be waiting any more.
                let _ = sender.send(work(&*keyring));
            })
            .map_err(|error| KeyringFault::Failed(error.to_string()))?;
        let patience = match ask {
            Ask::Nobody => self.patience,
            Ask::Person => self.person_patience,
        };
        receiver.recv_timeout(patience).unwrap_or_else(|why| {
            Err(match why {
                RecvTimeoutError::Timeout => KeyringFault::Silent,
                RecvTimeoutError::Disconnected => KeyringFault::Failed("the connection to it broke".into()),
            })
        })
    }
}

#[cfg(test)]
pub(crate) mod testing {
    use std::collections::HashMap;
    use std::sync::{Condvar, Mutex};

    use super::*;

    /// A keyring in memory that can be made to misbehave.
    #[derive(Default)]
    pub(crate) struct FakeKeyring {
        pub(crate) secrets: Mutex<HashMap<String, Vec<u8>>>,
        fault: Mutex<Option<KeyringFault>>,
        freed: Condvar,
    }

    impl FakeKeyring {
        pub(crate) fn new() -> Arc<Self> {
            Arc::default()
        }

        /// From now on it fails so; `Silent` never answers until it is taken back.
        pub(crate) fn fail(&self, fault: impl Into<Option<KeyringFault>>) {
            *self.fault.lock().unwrap() = fault.into();
            self.freed.notify_all();
        }

        fn answer(&self, ask: Ask) -> Result<(), KeyringFault> {
            let mut fault = self.fault.lock().unwrap();
            while *fault == Some(KeyringFault::Silent) {
                fault = self.freed.wait(fault).unwrap();
            }
            match (&*fault, ask) {
                (None, _) | (Some(KeyringFault::Locked), Ask::Person) => Ok(()),
                (Some(fault), _) => Err(fault.clone()),
            }
        }
    }

    impl Keyring for FakeKeyring {
        fn name(&self) -> Option<&'static str> {
            Some("fake keyring")
        }

        fn read(
            &self,
            account: &str,
            ask: Ask,
        ) -> Result<Option<Zeroizing<Vec<u8>>>, KeyringFault> {
            self.answer(ask)?;
            Ok(self
                .secrets
                .lock()
                .unwrap()
                .get(account)
                .cloned()
                .map(Zeroizing::new))
        }

        fn write(&self, account: &str, secret: &[u8], ask: Ask) -> Result<(), KeyringFault> {
            self.answer(ask)?;
            self.secrets
                .lock()
                .unwrap()
                .insert(account.into(), secret.into());
            Ok(())
        }

        fn remove(&self, account: &str, ask: Ask) -> Result<(), KeyringFault> {
            self.answer(ask)?;
            self.secrets.lock().unwrap().remove(account);
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::testing::FakeKeyring;
    use super::*;

    #[test]
    fn a_keyring_that_hangs_is_left_alone() {
        let fake = FakeKeyring::new();
        let mut bounded = Bounded::new(fake.clone());
        bounded.patience = Duration::from_millis(20);
        bounded.write("a", b"secret", Ask::Nobody).unwrap();
        fake.fail(KeyringFault::Silent);
        assert_eq!(bounded.read("a", Ask::Nobody), Err(KeyringFault::Silent));
        fake.fail(None);
        assert_eq!(
            **bounded.read("a", Ask::Person).unwrap().unwrap(),
            *b"secret"
        );
    }

    /// Says yes and keeps nothing.
    struct Forgetful;

    impl Keyring for Forgetful {
        fn name(&self) -> Option<&'static str> {
            Some("forgetful")
        }

        fn read(&self, _: &str, _: Ask) -> Result<Option<Zeroizing<Vec<u8>>>, KeyringFault> {
            Ok(None)
        }

        fn write(&self, _: &str, _: &[u8], _: Ask) -> Result<(), KeyringFault> {
            Ok(())
        }

        fn remove(&self, _: &str, _: Ask) -> Result<(), KeyringFault> {
            Ok(())
        }
    }

    #[test]
    fn what_is_not_there_afterwards_was_not_kept() {
        let bounded = Bounded::new(Arc::new(Forgetful));
        let kept = bounded.write("a", b"secret", Ask::Nobody);
        assert!(matches!(kept, Err(KeyringFault::Failed(_))), "{kept:?}");
    }
}
