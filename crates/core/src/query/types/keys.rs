//! The key that opens what is sealed.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::model::Micros;

/// Whether what is sealed can be read, and if not, why. Numbers and recording never depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum KeyState {
    /// It can be read.
    Open,
    /// The key is in the keyring, which was not asked yet.
    Unasked,
    /// Somebody locked it in this Bobbin.
    Shut,
    /// There is no file `key`.
    Missing,
    /// The file `key` cannot be read, can be read by others, or holds no key.
    Unreadable,
    /// The file `key`, or what the keyring holds, is the key of another store.
    Another,
    /// The key is in the keyring, which is locked.
    KeyringLocked,
    /// The key is in a keyring, and there is none here.
    KeyringAbsent,
    /// The keyring does not answer.
    KeyringSilent,
    /// The keyring failed in some other way.
    KeyringFailed,
    /// The keyring no longer holds the key.
    NotInKeyring,
}

/// Where the private key lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum KeyPlace {
    /// In the file `key` in the data folder.
    File,
    /// In the keyring of the operating system.
    Keyring,
}

/// What became of the offer to keep a recovery key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum RecoveryOffer {
    /// Neither shown nor declined.
    Open,
    Shown,
    Declined,
}

dto! {
/// The key, where it lies, and what is under way with it.
pub struct KeyStatus {
    pub state: KeyState,
    /// Null where it cannot be told.
    pub place: Option<KeyPlace>,
    /// The keyring that could hold it; null where there is none that is known.
    pub keyring: Option<String>,
    /// The public half of the key that seals now, as age writes it.
    pub name: String,
    pub created_micros: Micros,
    pub recovery: RecoveryOffer,
    /// Clusters with something sealed that no key that is here opens. Null while none can be had at all.
    pub lost_clusters: Option<u64>,
    /// Data keys that are still to be sealed to the new key; not zero after a rotation that was cut short.
    pub rotation_left: u64,
}
}

dto! {
/// A wish to move the key.
pub struct MoveKeyRequest {
    pub to: KeyPlace,
}
}

dto! {
/// What was printed of a key.
pub struct RestoreKeyRequest {
    pub text: String,
}
}

dto! {
/// The recovery form of the key that seals now. Whoever has it reads what is sealed.
pub struct RecoveryKey {
    /// An age identity.
    pub text: String,
    pub name: String,
    pub created_micros: Micros,
}
}
