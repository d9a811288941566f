//! Code and text encrypted per field to the install's key.
//!
//! Each cluster has, for each run of the receiver, a random data key. Values are sealed with it (XChaCha20-Poly1305), and
//! it is sealed itself to the public key of the install (HPKE: X25519, HKDF-SHA256, ChaCha20-Poly1305). So recording
//! never needs the private key, losing it loses the code and not the numbers, and deleting a cluster's data keys
//! destroys its code wherever a copy of it may be.
//!
//! A value is bound to its place: moved to another row, column or cluster it does not open.

mod data_key;
mod install_key;

pub use data_key::{DataKey, Place, key_id};
pub use install_key::{PrivateKey, PublicKey, adopt_or_make, load};
