//! The way to a receiver of this machine that is surely this user's: whoever took the port of a Bobbin that is gone must not get the
//! token.
//!
//! That is its socket, which lies where nobody else may write. On Windows it is its port, over TLS to whoever has the certificate that
//! `receiver.json` names.

use std::fmt;
use std::io::{Read, Result, Write};
use std::path::Path;
use std::time::Duration;

use bobbin_core::install::Address;

#[cfg(windows)]
use std::net::{SocketAddr, TcpStream};
#[cfg(unix)]
use std::os::unix::net::UnixStream;
#[cfg(unix)]
use std::path::PathBuf;
#[cfg(windows)]
use std::sync::Arc;

#[cfg(windows)]
use tokio_rustls::rustls::{ClientConnection, StreamOwned, pki_types::ServerName};

#[cfg(windows)]
use crate::net::pinned;

/// Where the receiver is.
#[cfg(unix)]
pub struct Near {
    socket: PathBuf,
}

/// Where the receiver is, and by what it is known.
#[cfg(windows)]
pub struct Near {
    tcp: SocketAddr,
    host: String,
    pin: String,
}

impl Near {
    /// That of a receiver at an address; none where it has no such way.
    pub fn of(address: &Address) -> Option<Self> {
        Self::at(address.socket.as_deref().map(Path::new), address)
    }
}

#[cfg(unix)]
impl Near {
    /// That of a receiver whose socket is at a path, which need not be text.
    pub(crate) fn at(socket: Option<&Path>, _: &Address) -> Option<Self> {
        let socket = socket?.to_path_buf();
        Some(Self { socket })
    }

    /// What it is called in `Host`.
    pub(crate) fn host(&self) -> &str {
        "bobbin"
    }

    /// Connects, and waits no longer than this for each piece.
    pub(crate) fn connect(&self, patience: Duration) -> Result<impl Read + Write + use<>> {
        let stream = UnixStream::connect(&self.socket)?;
        stream.set_read_timeout(Some(patience))?;
        stream.set_write_timeout(Some(patience))?;
        Ok(stream)
    }
}

#[cfg(windows)]
impl Near {
    /// That of a receiver at an address; a socket it has none.
    pub(crate) fn at(_: Option<&Path>, address: &Address) -> Option<Self> {
        Some(Self {
            tcp: address.tcp.parse().ok()?,
            host: address.tcp.clone(),
            pin: address.certificate_sha256.clone()?,
        })
    }

    /// What it is called in `Host`.
    pub(crate) fn host(&self) -> &str {
        &self.host
    }

    /// Connects, and waits no longer than this for each piece.
    pub(crate) fn connect(&self, patience: Duration) -> Result<impl Read + Write + use<>> {
        let tls = pinned(&self.pin).map_err(std::io::Error::other)?;
        let name = ServerName::from(self.tcp.ip());
        let tls = ClientConnection::new(Arc::new(tls), name).map_err(std::io::Error::other)?;
        let stream = TcpStream::connect_timeout(&self.tcp, patience)?;
        stream.set_read_timeout(Some(patience))?;
        stream.set_write_timeout(Some(patience))?;
        Ok(StreamOwned::new(tls, stream))
    }
}

impl fmt::Display for Near {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        #[cfg(unix)]
        let place = self.socket.display();
        #[cfg(windows)]
        let place = &self.host;
        place.fmt(f)
    }
}
