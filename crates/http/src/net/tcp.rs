//! The TCP ports: on 127.0.0.1, and on the one interface that a person named, if any.

use std::io::ErrorKind;
use std::net::{Ipv4Addr, SocketAddr, UdpSocket};

use bobbin_core::install::Interface;
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
    let listener = bind(address).await.map_err(io)?;
    let address = listener.local_addr().map_err(io)?;
    Ok((listener, address))
}

/// Listens on an interface, on the port that the receiver has on loopback: one port to know, and to let through.
///
/// # Errors
/// [`Error::AddressTaken`]; [`Error::Invalid`] where this machine has no such address now.
pub async fn bind_interface(interface: Interface, port: u16) -> Result<(TcpListener, SocketAddr)> {
    let address = interface.at(port);
    let failed = |source: std::io::Error| match source.kind() {
        ErrorKind::AddrInUse => Error::AddressTaken {
            address: address.to_string(),
        },
        _ => absent(interface, &source),
    };
    let listener = bind(address).await.map_err(failed)?;
    Ok((listener, address))
}

/// Looks whether this machine has the address of an interface now.
///
/// # Errors
/// [`Error::Invalid`], as that of [`bind_interface`], where it has not.
pub fn look_for(interface: Interface) -> Result<()> {
    // Nothing is sent or heard. Any other fault says nothing of the address.
    match UdpSocket::bind(interface.at(0)) {
        Err(source) if source.kind() == ErrorKind::AddrNotAvailable => {
            Err(absent(interface, &source))
        }
        _ => Ok(()),
    }
}

fn absent(interface: Interface, source: &std::io::Error) -> Error {
    Error::Invalid {
        what: "the interface",
        value: interface.to_string(),
        reason: format!(
            "this machine cannot listen there now ({source}); `ip address` lists its addresses"
        ),
    }
}

/// Listens at an address that nobody else listens at, and nobody else can.
///
/// # Errors
/// It is taken, or none of this machine.
#[cfg(unix)]
pub async fn bind(address: SocketAddr) -> std::io::Result<TcpListener> {
    TcpListener::bind(address).await
}

/// Listens at an address that nobody else listens at, and nobody else can: other than elsewhere, that has to be asked for.
///
/// # Errors
/// It is taken, or none of this machine.
#[cfg(windows)]
pub async fn bind(address: SocketAddr) -> std::io::Result<TcpListener> {
    use std::os::windows::io::AsRawSocket;

    use tokio::net::TcpSocket;
    use windows_sys::Win32::Networking::WinSock::{
        SO_EXCLUSIVEADDRUSE, SOCKET, SOL_SOCKET, setsockopt,
    };

    /// Connections that wait to be accepted; as many as elsewhere.
    const WAITING: u32 = 1_024;
    let socket = match address {
        SocketAddr::V4(_) => TcpSocket::new_v4(),
        SocketAddr::V6(_) => TcpSocket::new_v6(),
    }?;
    let exclusive = 1_u32.to_ne_bytes();
    // SAFETY: the socket is open, and the value lives through the call and is as long as is said.
    let done = unsafe {
        setsockopt(
            socket.as_raw_socket() as SOCKET,
            SOL_SOCKET,
            SO_EXCLUSIVEADDRUSE,
            exclusive.as_ptr(),
            size_of_val(&exclusive) as i32,
        )
    };
    if done != 0 {
        return Err(std::io::Error::last_os_error());
    }
    socket.bind(address)?;
    socket.listen(WAITING)
}
