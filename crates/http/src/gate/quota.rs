//! How much one token may send: batches, bytes, and bytes unpacked, each as a bucket that runs full again by itself. One sender
//! that runs away is slowed before its body is read, and the others go on.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard};
use std::time::Instant;

use bobbin_core::lock::lock;
use hyper::StatusCode;
use sha2::{Digest, Sha256};

use super::Bearer;
use crate::answer::Refusal;

/// What one token may send.
#[derive(Clone, Copy, Debug)]
pub struct Quota {
    /// On average.
    pub batches_per_second: f64,
    /// At once.
    pub batches: f64,
    /// As they go over the wire, on average.
    pub bytes_per_second: f64,
    /// At once.
    pub bytes: f64,
    /// Unpacked, in a day: about what the store grows by.
    pub plain_bytes_per_day: f64,
}

/// Every scheduler of this user shares one token, so this is above what the store takes: 1,000 clusters that wake up are
/// slowed by the queue, and only a sender that repeats itself without end by this.
pub const OWNER: Quota = Quota {
    batches_per_second: 5_000.0,
    batches: 20_000.0,
    bytes_per_second: 256e6,
    bytes: 1e9,
    plain_bytes_per_day: f64::MAX,
};
/// A key goes to one cluster, which sends a batch each ten seconds when it is busy, and a few hours of them when it was cut off. In
/// a day it fills less than half of what a store may take, so that one that leaked does not empty the store of what others sent.
pub const KEY: Quota = Quota {
    batches_per_second: 50.0,
    batches: 500.0,
    bytes_per_second: 8e6,
    bytes: 64e6,
    plain_bytes_per_day: 2e9,
};
const DAY_SECONDS: f64 = 86_400.0;

/// What is left to each token that sent lately.
pub struct Quotas {
    /// Of everybody but the owner.
    key: Quota,
    left: Mutex<HashMap<Bearer, Left>>,
}

#[derive(Clone, Copy, Debug)]
struct Left {
    at: Instant,
    batches: f64,
    bytes: f64,
    /// Below zero after a batch that unpacked to more.
    plain_bytes: f64,
}

impl Left {
    fn all(quota: &Quota, now: Instant) -> Self {
        Self {
            at: now,
            batches: quota.batches,
            bytes: quota.bytes,
            plain_bytes: quota.plain_bytes_per_day,
        }
    }

    /// Lets it run full for as long as passed.
    fn fill(&mut self, quota: &Quota, now: Instant) {
        let passed = now.saturating_duration_since(self.at).as_secs_f64();
        self.at = self.at.max(now);
        let fill = |left: &mut f64, per_second: f64, most: f64| {
            *left = (*left + passed * per_second).min(most);
        };
        fill(&mut self.batches, quota.batches_per_second, quota.batches);
        fill(&mut self.bytes, quota.bytes_per_second, quota.bytes);
        let most = quota.plain_bytes_per_day;
        fill(&mut self.plain_bytes, most / DAY_SECONDS, most);
    }

    fn is_all(&self, quota: &Quota) -> bool {
        self.batches >= quota.batches
            && self.bytes >= quota.bytes
            && self.plain_bytes >= quota.plain_bytes_per_day
    }
}

impl Quotas {
    /// Everybody but the owner may send so much.
    pub fn new(key: Quota) -> Self {
        Self {
            key,
            left: Mutex::default(),
        }
    }

    /// Counts a batch of so many bytes.
    ///
    /// # Errors
    /// 429 with the time after which there is room for it.
    pub fn take(&self, bearer: Bearer, bytes: u64, now: Instant) -> Result<(), Refusal> {
        let quota = self.of(bearer);
        let bytes = bytes as f64;
        let mut all = self.left();
        if all.len() > FORGET_AT {
            // Those that ran full again are as if they had never sent.
            all.retain(|bearer, left| {
                left.fill(self.of(*bearer), now);
                !left.is_all(self.of(*bearer))
            });
        }
        let left = all.entry(bearer).or_insert(Left::all(quota, now));
        left.fill(quota, now);
        let missing = ((1.0 - left.batches) / quota.batches_per_second)
            .max((bytes - left.bytes) / quota.bytes_per_second)
            .max((1.0 - left.plain_bytes) * DAY_SECONDS / quota.plain_bytes_per_day);
        if missing > 0.0 {
            return Err(slower(missing));
        }
        left.batches -= 1.0;
        left.bytes -= bytes;
        Ok(())
    }

    /// Counts what a batch became that was let in. What is too much of it is counted against those to come.
    pub fn unpacked(&self, bearer: Bearer, plain_bytes: u64) {
        if let Some(left) = self.left().get_mut(&bearer) {
            left.plain_bytes -= plain_bytes as f64;
        }
    }

    fn of(&self, bearer: Bearer) -> &Quota {
        match bearer {
            Bearer::Anyone | Bearer::Key(_) => &self.key,
            Bearer::Owner => &OWNER,
        }
    }

    fn left(&self) -> MutexGuard<'_, HashMap<Bearer, Left>> {
        lock(&self.left)
    }
}

/// Tokens that are remembered before those that ran full again are forgotten.
const FORGET_AT: usize = 1_000;

fn slower(missing: f64) -> Refusal {
    let message = "this token sends more than its quota";
    let seconds = missing.ceil().clamp(1.0, 300.0) as u32;
    Refusal::new(StatusCode::TOO_MANY_REQUESTS, "quota", message)
        .hint(format!("send less, or retry in {seconds} s"))
        .retry_after(seconds)
        .closing()
}

impl Bearer {
    /// Who showed a key that was handed out.
    pub fn of_key(presented: &str) -> Self {
        Self::Key(Sha256::digest(presented).into())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    const SMALL: Quota = Quota {
        batches_per_second: 2.0,
        batches: 4.0,
        bytes_per_second: 100.0,
        bytes: 1_000.0,
        plain_bytes_per_day: 86_400.0,
    };

    /// A key that was handed out.
    const ONE: Bearer = Bearer::Key([1; 32]);

    fn wait(quotas: &Quotas, bearer: Bearer, bytes: u64, now: Instant) -> Option<u32> {
        let refusal = quotas.take(bearer, bytes, now).err()?;
        assert_eq!(refusal.status, StatusCode::TOO_MANY_REQUESTS);
        refusal.retry_after
    }

    #[test]
    fn a_token_that_sends_too_often_is_told_when_to_come_again_and_then_let_in() {
        let (quotas, start) = (Quotas::new(SMALL), Instant::now());
        for _ in 0..4 {
            assert_eq!(wait(&quotas, ONE, 1, start), None);
        }
        assert_eq!(wait(&quotas, ONE, 1, start), Some(1));
        assert_eq!(
            wait(&quotas, ONE, 1, start + Duration::from_millis(500)),
            None
        );
    }

    #[test]
    fn bytes_count_for_themselves() {
        let (quotas, start) = (Quotas::new(SMALL), Instant::now());
        assert_eq!(wait(&quotas, ONE, 900, start), None);
        assert_eq!(wait(&quotas, ONE, 900, start), Some(8));
        assert_eq!(wait(&quotas, ONE, 100, start), None);
        assert_eq!(
            wait(&quotas, ONE, 800, start + Duration::from_secs(8)),
            None
        );
    }

    #[test]
    fn what_batches_become_counts_over_a_day() {
        let (quotas, start) = (Quotas::new(SMALL), Instant::now());
        let at = |seconds| start + Duration::from_secs(seconds);
        assert_eq!(wait(&quotas, ONE, 1, start), None);
        // One batch may be more than is left; then none is let in until it is made up for.
        quotas.unpacked(ONE, 86_500);
        assert_eq!(wait(&quotas, ONE, 1, start), Some(101));
        assert_eq!(wait(&quotas, ONE, 1, at(100)), Some(1));
        assert_eq!(wait(&quotas, ONE, 1, at(101)), None);
        quotas.unpacked(Bearer::Owner, 86_500);
        assert_eq!(wait(&quotas, Bearer::Owner, 1, start), None);
    }

    #[test]
    fn one_token_does_not_use_up_the_quota_of_another() {
        let (quotas, start) = (Quotas::new(SMALL), Instant::now());
        for _ in 0..4 {
            assert_eq!(wait(&quotas, ONE, 1, start), None);
        }
        assert!(wait(&quotas, ONE, 1, start).is_some());
        for other in [Bearer::of_key("other"), Bearer::Owner] {
            assert_eq!(wait(&quotas, other, 1, start), None);
        }
    }

    #[test]
    fn every_batch_fits_into_the_quota_of_a_token_that_rested() {
        let largest = bobbin_core::wire::Limits::default().wire_bytes as f64;
        for quota in [OWNER, KEY] {
            assert!(quota.bytes > largest && quota.batches >= 1.0);
        }
    }
}
