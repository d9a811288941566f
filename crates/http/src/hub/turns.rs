//! How much one token may have the hub do at once, and how often: whoever asks without end is told to wait, and the others go on.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use bobbin_core::lock::lock;
use hyper::StatusCode;

use crate::answer::Refusal;
use crate::gate::{Bearer, Quota, Quotas};

/// Requests of one token that change something, or hand out a file, at one time. A laptop sends one after the other.
const AT_ONCE: usize = 6;
/// What begins, ends or recalls an upload; a chunk is bounded by what was declared. A queue of a hundred bundles goes through
/// without a pause.
const OFTEN: Quota = Quota {
    batches_per_second: 10.0,
    batches: 300.0,
    bytes_per_second: f64::MAX,
    bytes: f64::MAX,
    plain_bytes_per_day: f64::MAX,
};

/// Who has how many requests under way.
pub struct Turns {
    under_way: Arc<Mutex<HashMap<String, usize>>>,
    often: Quotas,
}

/// A request that is under way, until it is dropped.
pub struct Turn {
    token: String,
    under_way: Arc<Mutex<HashMap<String, usize>>>,
}

impl Turns {
    pub fn new() -> Self {
        Self {
            under_way: Arc::default(),
            often: Quotas::new(OFTEN),
        }
    }

    /// Begins a request of a token; `counted` if it is one of those that may come only so often.
    ///
    /// # Errors
    /// 429 with the time after which there is room for it.
    pub fn begin(&self, token: &str, counted: bool, now: Instant) -> Result<Turn, Refusal> {
        let turn = {
            let mut under_way = lock(&self.under_way);
            let mine = under_way.entry(token.into()).or_default();
            if *mine >= AT_ONCE {
                let message = format!("{AT_ONCE} requests with this token are already running");
                return Err(
                    Refusal::new(StatusCode::TOO_MANY_REQUESTS, "quota", message)
                        .hint("wait for one of them to finish")
                        .retry_after(1)
                        .closing(),
                );
            }
            *mine += 1;
            Turn {
                token: token.into(),
                under_way: Arc::clone(&self.under_way),
            }
        };
        if counted {
            self.often.take(Bearer::of_key(token), 0, now)?;
        }
        Ok(turn)
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let mut under_way = lock(&self.under_way);
        if let Some(mine) = under_way.get_mut(&self.token) {
            *mine -= 1;
            if *mine == 0 {
                under_way.remove(&self.token);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_token_has_so_many_requests_at_once_and_so_many_in_a_row_and_another_has_its_own() {
        let (turns, now) = (Turns::new(), Instant::now());
        let held: Vec<Turn> = (0..AT_ONCE)
            .map(|_| turns.begin("one", false, now).unwrap())
            .collect();
        let refused = turns.begin("one", false, now).err().unwrap();
        assert_eq!(
            (refused.status, refused.retry_after),
            (StatusCode::TOO_MANY_REQUESTS, Some(1))
        );
        assert!(turns.begin("two", true, now).is_ok());
        drop(held);
        assert_eq!(lock(&turns.under_way).len(), 0);
        let passed = (0..1_000).take_while(|_| turns.begin("one", true, now).is_ok());
        assert_eq!(passed.count(), OFTEN.batches as usize);
        assert!(turns.begin("one", false, now).is_ok());
        assert!(
            turns
                .begin("one", true, now + Duration::from_secs(1))
                .is_ok()
        );
        assert_eq!(lock(&turns.under_way).len(), 0);
    }
}
