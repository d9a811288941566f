//! The connections that are open, how many there may be, and which has to go when there are too many.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use bobbin_core::lock::lock;
use tokio::sync::Notify;

use super::Peer;

/// How many connections there may be.
#[derive(Clone, Copy, Debug)]
pub struct Caps {
    pub all: usize,
    /// From one address. Less than `all`, so that the Unix socket always has room.
    pub per_address: usize,
}

impl Default for Caps {
    fn default() -> Self {
        Self {
            all: 256,
            per_address: 192,
        }
    }
}

/// The open connections of one door.
#[derive(Debug)]
pub struct Connections {
    caps: Caps,
    open: Mutex<Open>,
    empty: Notify,
}

#[derive(Debug, Default)]
struct Open {
    /// By number, so oldest first.
    by_number: BTreeMap<u64, Entry>,
    next: u64,
}

#[derive(Debug)]
struct Entry {
    peer: Peer,
    proven: Arc<AtomicBool>,
    evicted: Arc<Notify>,
}

/// A place among the open connections; dropping it gives the place back.
#[derive(Debug)]
pub struct Place {
    /// Whose it is; an address in its one form.
    pub peer: Peer,
    number: u64,
    connections: Arc<Connections>,
    /// Set when a request on this connection showed a right token.
    pub proven: Arc<AtomicBool>,
    /// Told when the connection has to close at once.
    pub evicted: Arc<Notify>,
}

impl Connections {
    pub fn new(caps: Caps) -> Arc<Self> {
        Arc::new(Self {
            caps,
            open: Mutex::default(),
            empty: Notify::new(),
        })
    }

    /// Takes a place. When there is none, the oldest connection that has not shown a right token yet gives up its own,
    /// so that those who only hold connections open never keep out a scheduler. `None` when all have shown one.
    pub fn admit(self: &Arc<Self>, peer: Peer) -> Option<Place> {
        let mut open = self.lock();
        let same = |entry: &Entry| match (peer, entry.peer) {
            (Peer::Address(a), Peer::Address(b)) => address(a) == address(b),
            _ => false,
        };
        let of_peer = open.by_number.values().filter(|entry| same(entry)).count();
        if of_peer >= self.caps.per_address {
            open.evict(same)?;
        } else if open.by_number.len() >= self.caps.all {
            open.evict(|_| true)?;
        }
        let number = open.next;
        open.next += 1;
        let (proven, evicted) = (Arc::<AtomicBool>::default(), Arc::<Notify>::default());
        open.by_number.insert(
            number,
            Entry {
                peer,
                proven: proven.clone(),
                evicted: evicted.clone(),
            },
        );
        Some(Place {
            peer: match peer {
                Peer::Address(ip) => Peer::Address(address(ip)),
                Peer::Socket => Peer::Socket,
            },
            number,
            connections: self.clone(),
            proven,
            evicted,
        })
    }

    /// Returns when no connection is open.
    pub async fn all_closed(&self) {
        loop {
            let closed = self.empty.notified();
            if self.lock().by_number.is_empty() {
                return;
            }
            closed.await;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        lock(&self.open)
    }
}

impl Open {
    fn evict(&mut self, may: impl Fn(&Entry) -> bool) -> Option<()> {
        let unproven = |entry: &Entry| !entry.proven.load(Ordering::Relaxed);
        let (&number, _) = self
            .by_number
            .iter()
            .find(|(_, entry)| unproven(entry) && may(entry))?;
        let entry = self.by_number.remove(&number)?;
        entry.evicted.notify_one();
        Some(())
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut open = self.connections.lock();
        open.by_number.remove(&self.number);
        if open.by_number.is_empty() {
            // One waits at most, and a permit that nobody takes only makes it look once more.
            self.connections.empty.notify_one();
        }
    }
}

/// One address, however it is written.
fn address(ip: IpAddr) -> IpAddr {
    ip.to_canonical()
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOME: Peer = Peer::Address(IpAddr::V4(std::net::Ipv4Addr::LOCALHOST));

    fn connections() -> Arc<Connections> {
        Connections::new(Caps {
            all: 3,
            per_address: 2,
        })
    }

    #[test]
    fn the_oldest_that_showed_no_token_goes_first() {
        let connections = connections();
        let first = connections.admit(HOME).unwrap();
        let second = connections.admit(HOME).unwrap();
        first.proven.store(true, Ordering::Relaxed);
        assert!(connections.admit(HOME).is_some());
        assert!(!connections.lock().by_number.contains_key(&second.number));
        assert!(connections.lock().by_number.contains_key(&first.number));
    }

    #[test]
    fn nobody_who_showed_a_token_is_sent_away() {
        let connections = connections();
        let held: Vec<_> = (0..2).filter_map(|_| connections.admit(HOME)).collect();
        held.iter()
            .for_each(|place| place.proven.store(true, Ordering::Relaxed));
        assert!(connections.admit(HOME).is_none());
    }

    #[test]
    fn one_address_leaves_room_for_the_socket() {
        let connections = connections();
        let _held: Vec<_> = (0..9).filter_map(|_| connections.admit(HOME)).collect();
        assert!(connections.admit(Peer::Socket).is_some());
    }

    #[test]
    fn a_place_is_given_back() {
        let connections = connections();
        drop(connections.admit(HOME));
        assert!(connections.lock().by_number.is_empty());
    }
}
