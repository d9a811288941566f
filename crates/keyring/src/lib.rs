//! The keyring of the operating system. It is a crate of its own because it speaks over a bus, which `bobbin-core` does not.
//!
//! On Linux that is the Secret Service (GNOME Keyring, KWallet, KeePassXC). Elsewhere the private key stays in its file.

#[cfg(target_os = "linux")]
mod secret_service;

use std::sync::Arc;

use bobbin_core::seal::Keyring;

/// The keyring of this system. Nothing is connected yet.
pub fn system() -> Arc<dyn Keyring> {
    #[cfg(target_os = "linux")]
    return Arc::new(secret_service::SecretServiceKeyring);
    #[cfg(not(target_os = "linux"))]
    return Arc::new(bobbin_core::seal::NoKeyring);
}
