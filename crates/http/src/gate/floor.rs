//! What is sent does not take the last of the disk: below a floor it is refused as on a full one, until there is somewhat more.

use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use bobbin_core::Error;
use bobbin_core::api;
use bobbin_core::lock::lock;
use bobbin_core::system::Disk;

use crate::answer::Refusal;

/// How long a look at the disk holds: batches come by the thousand.
const HOLDS: Duration = Duration::from_secs(1);

/// What stays free.
pub struct Floor {
    /// None is what suits the disk.
    least_bytes: Option<u64>,
    seen: Mutex<Option<Seen>>,
}

struct Seen {
    at: Instant,
    reached: bool,
}

impl Floor {
    pub fn new(least_bytes: Option<u64>) -> Self {
        Self {
            least_bytes,
            seen: Mutex::default(),
        }
    }

    /// Whether the disk of a folder has more than that.
    ///
    /// # Errors
    /// 503 where it has not.
    pub fn check(&self, folder: &Path) -> Result<(), Refusal> {
        if !self.is_reached(|| api::disk(folder), Instant::now()) {
            return Ok(());
        }
        let mut refusal = Refusal::from(Error::DiskFull).closing();
        refusal.message = "the disk is nearly full".into();
        Err(refusal)
    }

    /// Whether there is too little left. A disk that `look` says nothing of has room.
    fn is_reached(&self, look: impl FnOnce() -> Option<Disk>, now: Instant) -> bool {
        let mut seen = lock(&self.seen);
        let was = match &*seen {
            Some(seen) if now.saturating_duration_since(seen.at) < HOLDS => return seen.reached,
            seen => seen.as_ref().is_some_and(|seen| seen.reached),
        };
        let reached = look().is_some_and(|disk| {
            let least = self.least_bytes.unwrap_or(disk.spare_bytes());
            let more = if was { least / 8 } else { 0 };
            disk.free_bytes < least.saturating_add(more)
        });
        match (was, reached) {
            (false, true) => tracing::warn!("the disk is nearly full: Bobbin takes no batches"),
            (true, false) => tracing::info!("the disk has room again: Bobbin takes batches"),
            _ => {}
        }
        *seen = Some(Seen { at: now, reached });
        reached
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn free(free_bytes: u64) -> Option<Disk> {
        Some(Disk {
            free_bytes,
            total_bytes: 16_000,
        })
    }

    #[test]
    fn it_is_left_at_more_than_it_is_reached_at() {
        let (floor, mut now) = (Floor::new(None), Instant::now());
        let mut later = |bytes| {
            now += HOLDS;
            floor.is_reached(|| free(bytes), now)
        };
        let looks = [800, 799, 899, 900, 899, 799].map(&mut later);
        assert_eq!(looks, [false, true, true, false, false, true]);
    }

    #[test]
    fn the_disk_is_looked_at_once_a_second_and_one_that_says_nothing_has_room() {
        let (floor, now) = (Floor::new(Some(5)), Instant::now());
        assert!(floor.is_reached(|| free(4), now));
        let soon = now + HOLDS - Duration::from_millis(1);
        assert!(floor.is_reached(|| free(100), soon));
        assert!(!floor.is_reached(|| None, now + HOLDS));
    }
}
