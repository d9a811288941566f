//! Wrong tokens, counted by who shows them: after many, each further answer comes late. A right token is never slowed.

use std::collections::HashMap;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use bobbin_core::lock::lock;

use crate::net::Peer;

/// So many in a minute are answered at once: a client with an old token asks again and again.
const AT_ONCE: u32 = 100;
const MINUTE: Duration = Duration::from_secs(60);
/// How late the others are answered.
const LATE: Duration = Duration::from_secs(1);
/// Peers that are counted at once. With more than that in a minute, all further ones are answered late.
const PEERS: usize = 1_000;

/// Who showed how many lately.
#[derive(Default)]
pub struct Wrong(Mutex<HashMap<Peer, Counted>>);

struct Counted {
    since: Instant,
    wrong: u32,
}

impl Wrong {
    /// Counts one; gives how long its answer waits.
    pub fn count(&self, peer: Peer, now: Instant) -> Duration {
        let mut peers = lock(&self.0);
        let lately = |counted: &Counted| now.saturating_duration_since(counted.since) < MINUTE;
        if peers.len() >= PEERS && !peers.contains_key(&peer) {
            peers.retain(|_, counted| lately(counted));
            if peers.len() >= PEERS {
                return LATE;
            }
        }
        let anew = Counted {
            since: now,
            wrong: 0,
        };
        let counted = peers.entry(peer).or_insert(anew);
        if !lately(counted) {
            *counted = Counted {
                since: now,
                wrong: 0,
            };
        }
        counted.wrong += 1;
        if counted.wrong == AT_ONCE + 1 {
            tracing::warn!(?peer, "many wrong tokens: further ones are answered late");
        }
        match counted.wrong {
            ..=AT_ONCE => Duration::ZERO,
            _ => LATE,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};

    use super::*;

    fn peer(number: u32) -> Peer {
        Peer::Address(IpAddr::V4(Ipv4Addr::from_bits(number)))
    }

    #[test]
    fn a_peer_that_guesses_is_slowed_and_others_are_not() {
        let (wrong, now) = (Wrong::default(), Instant::now());
        let slowed = |peer, now| wrong.count(peer, now) > Duration::ZERO;
        assert!((0..AT_ONCE).all(|_| !slowed(peer(1), now)));
        assert!((0..10_000).all(|_| slowed(peer(1), now)));
        assert!(!slowed(peer(2), now));
        assert!(!slowed(peer(1), now + MINUTE));
    }

    #[test]
    fn more_peers_than_are_counted_are_slowed_until_others_rest() {
        let (wrong, now) = (Wrong::default(), Instant::now());
        for number in 0..PEERS as u32 {
            assert_eq!(wrong.count(peer(number), now), Duration::ZERO);
        }
        assert_eq!(wrong.count(peer(u32::MAX), now), LATE);
        assert_eq!(wrong.count(peer(u32::MAX), now + MINUTE), Duration::ZERO);
    }
}
