//! The accept loops: one for each listener.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;

use super::connections::{Connections, Place};
use super::serve::serve;
use super::{Deadlines, Handler, Peer, Stop, Way};

/// First byte of every TLS connection: a handshake record.
const TLS_HANDSHAKE: u8 = 0x16;
/// After an error of `accept`, such as no more file descriptors, before it is tried again.
const BREATH: Duration = Duration::from_millis(100);

/// What every connection of a door needs.
#[derive(Clone)]
pub struct Service {
    pub handler: Arc<dyn Handler>,
    /// Told the code of each connection that is refused.
    pub refused: Arc<dyn Fn(&'static str) + Send + Sync>,
    pub connections: Arc<Connections>,
    pub deadlines: Deadlines,
    /// Where TLS is spoken.
    pub tls: Option<TlsAcceptor>,
    /// Whether plain HTTP is spoken, too, with this machine.
    pub plain: bool,
    /// Over what those come that speak TLS.
    pub secure: Way,
    pub stop: Stop,
}

/// Accepts until told to stop.
pub async fn accept_tcp(listener: TcpListener, service: Service) {
    let mut stop = service.stop.clone();
    while let Some((stream, address)) = next(|| listener.accept(), &mut stop).await {
        if let Some(place) = service.admit(Peer::Address(address.ip())) {
            tokio::spawn(tcp_connection(stream, address.ip(), place, service.clone()));
        }
    }
}

/// What `accept` gives next, however often it fails before; none when it is time to stop.
pub(super) async fn next<T, A>(accept: impl Fn() -> A, stop: &mut Stop) -> Option<T>
where
    A: Future<Output = std::io::Result<T>>,
{
    loop {
        let accepted = tokio::select! {
            accepted = accept() => accepted,
            () = stop.requested() => return None,
        };
        match accepted {
            Ok(taken) => return Some(taken),
            Err(error) => {
                tracing::warn!(%error, "cannot accept a connection");
                tokio::time::sleep(BREATH).await;
            }
        }
    }
}

async fn tcp_connection(stream: TcpStream, peer: IpAddr, place: Place, service: Service) {
    let Service {
        handler,
        refused,
        deadlines,
        tls,
        plain,
        secure,
        stop,
        ..
    } = service;
    let mut first = [0];
    let peeked = tokio::select! {
        peeked = timeout(deadlines.header, stream.peek(&mut first)) => peeked,
        () = place.evicted.notified() => return,
    };
    if !matches!(peeked, Ok(Ok(1))) {
        return;
    }
    // Answers are small: waiting to fill a packet only delays them.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "no TCP_NODELAY");
    }
    match (way_of(first[0], peer), tls) {
        (Some(Way::Tls), Some(tls)) => match timeout(deadlines.header, tls.accept(stream)).await {
            Ok(Ok(stream)) => {
                let asked = serve(stream, secure, &place, handler, deadlines, stop).await;
                if !asked {
                    // Whoever pins another certificate sees this one, and leaves without a word.
                    refused("tls_left");
                }
            }
            Ok(Err(error)) => {
                tracing::debug!(%error, "no TLS");
                refused("tls");
            }
            Err(_) => refused("too_slow"),
        },
        (Some(Way::Plain), _) if plain => {
            serve(stream, Way::Plain, &place, handler, deadlines, stop).await;
        }
        _ => refused("plaintext"),
    }
}

/// What is spoken, by the first byte. Plain HTTP is for this machine alone.
fn way_of(first: u8, peer: IpAddr) -> Option<Way> {
    if first == TLS_HANDSHAKE {
        Some(Way::Tls)
    } else if peer.to_canonical().is_loopback() {
        Some(Way::Plain)
    } else {
        None
    }
}

impl Service {
    pub(super) fn admit(&self, peer: Peer) -> Option<Place> {
        let place = self.connections.admit(peer);
        if place.is_none() {
            (self.refused)("too_many_connections");
        }
        place
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_http_is_for_this_machine_alone() {
        let here = ["127.0.0.1", "127.8.8.8", "::1", "::ffff:127.0.0.1"];
        let elsewhere = [
            "192.168.1.7",
            "10.0.0.1",
            "::ffff:10.0.0.1",
            "fe80::1",
            "0.0.0.0",
        ];
        for peer in here {
            assert_eq!(
                way_of(b'G', peer.parse().unwrap()),
                Some(Way::Plain),
                "{peer}"
            );
        }
        for peer in elsewhere {
            assert_eq!(way_of(b'G', peer.parse().unwrap()), None, "{peer}");
            assert_eq!(
                way_of(0x16, peer.parse().unwrap()),
                Some(Way::Tls),
                "{peer}"
            );
        }
    }
}
