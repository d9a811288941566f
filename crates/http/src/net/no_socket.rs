//! Windows has no sockets that belong to a user and have a file, as far as Bobbin uses them: what would come by one comes by the port
//! on loopback, over TLS.

use std::io::{Error, ErrorKind};
use std::path::Path;

use bobbin_core::Result;
use tokio::io::Empty;

use super::accept::Service;

/// A listening socket's file: there is none.
pub enum SocketFile {}

impl SocketFile {
    /// Where it is.
    pub fn path(&self) -> &Path {
        match *self {}
    }
}

/// A socket that listens: there is none.
pub enum Listener {}

/// Does not listen.
///
/// # Errors
/// None.
pub async fn listen(_: &Path) -> Result<Option<(Listener, SocketFile)>> {
    Ok(None)
}

/// Connects to nobody.
///
/// # Errors
/// Always.
pub async fn connect(_: &Path) -> std::io::Result<Empty> {
    Err(Error::new(
        ErrorKind::Unsupported,
        "these sockets are not available on Windows",
    ))
}

/// Accepts nobody.
pub async fn accept_socket(listener: Listener, _: Service) {
    match listener {}
}
