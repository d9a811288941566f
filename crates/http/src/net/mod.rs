//! Listeners and connections: what lies under both doors.
//!
//! The accept loop is our own, because a ready-made one holds a half-sent request for ever, knows neither Unix sockets
//! nor TLS on the same port, and does not count who is connected.

mod accept;
mod connections;
mod listening;
mod pinned;
mod serve;
#[cfg(unix)]
mod socket;
#[cfg(windows)]
#[path = "no_socket.rs"]
mod socket;
mod tcp;
mod tls;

use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use hyper::body::Incoming;
use tokio::sync::watch;

use crate::answer::Response;

pub use accept::{Service, accept_tcp};
pub use connections::{Caps, Connections};
pub use listening::Listening;
pub use pinned::pinned;
pub use socket::{SocketFile, accept_socket, connect as connect_socket, listen as listen_socket};
pub use tcp::{bind, bind_interface, bind_loopback, look_for};
pub use tls::{Identity, LOOPBACK};

/// How long a peer may take.
#[derive(Clone, Copy, Debug)]
pub struct Deadlines {
    /// For the TLS handshake, for the header block, and between two requests of one connection.
    pub header: Duration,
    /// For a whole body. It must also keep above a floor of speed.
    pub body: Duration,
    /// For requests under way when the receiver is told to stop.
    pub stop: Duration,
}

impl Default for Deadlines {
    fn default() -> Self {
        Self {
            header: Duration::from_secs(5),
            body: Duration::from_secs(20),
            stop: Duration::from_secs(10),
        }
    }
}

/// Who is at the other end of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Peer {
    Address(IpAddr),
    /// A process of this user, as the kernel says.
    #[cfg_attr(windows, expect(dead_code, reason = "there is no socket"))]
    Socket,
}

/// Over what a request came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    Plain,
    Tls,
    /// TLS, from the interface that other machines reach.
    Network,
    Socket,
}

/// One connection, as its requests see it.
#[derive(Debug)]
pub struct Line {
    pub way: Way,
    pub peer: Peer,
    proven: Arc<AtomicBool>,
}

impl Line {
    /// Says that the peer showed a right token: when there are too many connections, others have to go first.
    pub fn prove(&self) {
        self.proven.store(true, Ordering::Relaxed);
    }
}

/// What a door does with a request. It always has an answer.
pub trait Handler: Send + Sync + 'static {
    fn answer(
        self: Arc<Self>,
        request: hyper::Request<Incoming>,
        line: Arc<Line>,
    ) -> Pin<Box<dyn Future<Output = Response> + Send>>;
}

/// Told to everything that runs when it is time to end. Dropping the other half means the same.
#[derive(Clone)]
pub struct Stop(watch::Receiver<bool>);

impl Stop {
    /// Both halves: sending `true` asks everything to end.
    pub fn new() -> (watch::Sender<bool>, Self) {
        let (sender, receiver) = watch::channel(false);
        (sender, Self(receiver))
    }

    /// Returns when it is time to end.
    pub async fn requested(&mut self) {
        // An error says that the other half is gone, which is a request too.
        let _ = self.0.wait_for(|stop| *stop).await;
    }
}
