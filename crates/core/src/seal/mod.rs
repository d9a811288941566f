//! Code and text encrypted per field to the install's key.
//!
//! Each cluster has, for each run of the receiver, a random data key. Values are sealed with it (XChaCha20-Poly1305), and
//! it is sealed itself to the public key of the install (HPKE: X25519, HKDF-SHA256, ChaCha20-Poly1305). So recording
//! never needs the private key, losing it loses the code and not the numbers, and deleting a cluster's data keys
//! destroys its code wherever a copy of it may be.
//!
//! The private half lies in the file `key` or in the keyring of the operating system ([`Keys`]); README.md beside this file
//! says how both are written, and what a recovery key is.
//!
//! A value is bound to its place: moved to another row, column or cluster it does not open.

mod batch;
mod data_key;
mod fingerprint_key;
mod holder;
mod install_key;
mod keyring;
mod place;
mod private_keys;
mod recovery;

#[cfg(test)]
pub(crate) use batch::seal_batch;
pub use batch::{SEALED_MORE_BYTES, seal_to};
pub use data_key::{DataKey, Place, key_id};
pub use fingerprint_key::FingerprintKey;
pub use holder::{KeyPlace, Keys};
pub use install_key::{PrivateKey, PublicKey};
#[cfg(test)]
pub(crate) use keyring::testing::FakeKeyring;
pub use keyring::{Ask, Keyring, KeyringFault, NoKeyring};
pub use place::Closed;
pub use private_keys::PrivateKeys;
pub use recovery::{key_name, read_recovery_text, recovery_text};
