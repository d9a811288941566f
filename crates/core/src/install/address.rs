//! `DIR/receiver.json`: where a running receiver of this install can be found.

use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::private::{at, write_private};
use crate::model::Micros;
use crate::{Error, Result};

/// Where a receiver listens. Plugins on the same machine read this anew each time they connect.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Address {
    pub pid: u32,
    /// Such as `127.0.0.1:8788`.
    pub tcp: String,
    /// Where other machines reach it, such as `192.168.1.7:8788`.
    #[serde(default)]
    pub interface: Option<String>,
    /// Path of the Unix socket.
    pub socket: Option<String>,
    /// Path of the file that holds the token.
    pub token_file: String,
    /// SHA-256 of the DER of the install's certificate, in hexadecimal.
    pub certificate_sha256: Option<String>,
    pub started_micros: Micros,
}

impl Address {
    /// Where a scheduler on another machine finds it, and by which certificate it knows it; none where no other machine reaches it.
    pub fn from_elsewhere(&self) -> Option<String> {
        let (interface, pin) = self
            .interface
            .as_ref()
            .zip(self.certificate_sha256.as_ref())?;
        Some(format!("https://{interface}#sha256={pin}"))
    }
}

const FILE: &str = "receiver.json";

/// Says where the receiver listens.
///
/// # Errors
/// [`Error::Io`], [`Error::DiskFull`].
pub fn write_address(dir: &Path, address: &Address) -> Result<()> {
    let mut text = serde_json::to_vec(address)?;
    text.push(b'\n');
    write_private(&dir.join(FILE), &text)
}

/// Where the receiver was last said to listen; `None` if it left properly. It may have been killed since.
///
/// # Errors
/// [`Error::Io`]; [`Error::Json`] if the file is not an address.
pub fn read_address(dir: &Path) -> Result<Option<Address>> {
    let path = dir.join(FILE);
    match fs::read(&path) {
        Ok(text) => Ok(Some(serde_json::from_slice(&text)?)),
        Err(source) if source.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(at(&path)(source)),
    }
}

/// The receiver has left. Absent already is fine.
///
/// # Errors
/// [`Error::Io`].
pub fn remove_address(dir: &Path) -> Result<()> {
    let path = dir.join(FILE);
    match fs::remove_file(&path) {
        Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
            Err(Error::Io { path, source })
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_read_back_until_it_is_removed() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(read_address(dir.path()).unwrap(), None);
        let address = Address {
            pid: 7,
            tcp: "127.0.0.1:8788".into(),
            interface: None,
            socket: None,
            token_file: "/x/token".into(),
            certificate_sha256: None,
            started_micros: Micros(1),
        };
        write_address(dir.path(), &address).unwrap();
        assert_eq!(read_address(dir.path()).unwrap(), Some(address));
        remove_address(dir.path()).unwrap();
        remove_address(dir.path()).unwrap();
        assert_eq!(read_address(dir.path()).unwrap(), None);
    }
}
