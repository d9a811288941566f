//! The TCP ports: on 127.0.0.1 and nowhere else. There is no setting for another address to get wrong.

use std::io::ErrorKind;
use std::net::{Ipv4Addr, SocketAddr};

use bobbin_core::{Error, Result};
use tokio::net::TcpListener;

/// Listens on a port of 127.0.0.1; 0 is any that is free.
///
/// # Errors
/// When the port is taken. The next one is never tried: whoever looks for the receiver would find somebody else.
pub async fn bind_loopback(port: u16) -> Result<(TcpListener, SocketAddr)> {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let io = |source: std::io::Error| match source.kind() {
        ErrorKind::AddrInUse => Error::AddressTaken {
            address: address.to_string(),
        },
        _ => Error::Io {
            path: address.to_string().into(),
            source,
        },
    };
    let listener = TcpListener::bind(address).await.map_err(io)?;
    let address = listener.local_addr().map_err(io)?;
    Ok((listener, address))
}
