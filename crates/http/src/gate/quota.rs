//! How much one token may send: batches and bytes, each as a bucket that runs full again by itself. One sender that
//! runs away is slowed before its body is read, and the others go on.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

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
}

/// Every scheduler of this user shares one token, so this is above what the store takes: 1,000 clusters that wake up are
/// slowed by the queue, and only a sender that repeats itself without end by this.
pub const OWNER: Quota = Quota {
    batches_per_second: 5_000.0,
    batches: 20_000.0,
    bytes_per_second: 256e6,
    bytes: 1e9,
};
/// A key goes to one cluster, which sends a batch each ten seconds when it is busy, and a few hours of them when it was cut off.
pub const KEY: Quota = Quota {
    batches_per_second: 50.0,
    batches: 500.0,
    bytes_per_second: 8e6,
    bytes: 64e6,
};

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
        let quota = match bearer {
            Bearer::Anyone | Bearer::Key(_) => &self.key,
            Bearer::Owner => &OWNER,
        };
        let bytes = bytes as f64;
        let mut all = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        // Those that ran full again are as if they had never sent.
        let longest = Duration::from_secs_f64(
            (quota.batches / quota.batches_per_second).max(quota.bytes / quota.bytes_per_second),
        );
        if all.len() > FORGET_AT {
            all.retain(|_, left| now.saturating_duration_since(left.at) < longest);
        }
        let left = all.entry(bearer).or_insert(Left {
            at: now,
            batches: quota.batches,
            bytes: quota.bytes,
        });
        let passed = now.saturating_duration_since(left.at).as_secs_f64();
        left.at = left.at.max(now);
        left.batches = (left.batches + passed * quota.batches_per_second).min(quota.batches);
        left.bytes = (left.bytes + passed * quota.bytes_per_second).min(quota.bytes);
        let missing = ((1.0 - left.batches) / quota.batches_per_second)
            .max((bytes - left.bytes) / quota.bytes_per_second);
        if missing > 0.0 {
            return Err(slower(missing));
        }
        left.batches -= 1.0;
        left.bytes -= bytes;
        Ok(())
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
    use super::*;

    const SMALL: Quota = Quota {
        batches_per_second: 2.0,
        batches: 4.0,
        bytes_per_second: 100.0,
        bytes: 1_000.0,
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
