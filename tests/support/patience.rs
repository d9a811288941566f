//! Waiting for something to become so, without guessing how long it takes.

use std::thread::sleep;
use std::time::{Duration, Instant};

/// Far more than anything takes on a busy machine; nothing waits for it in vain unless it is broken.
pub const PATIENCE: Duration = Duration::from_secs(90);

/// Asks until the answer is `Ok`; fails the story with the last `Err` when patience ends.
#[track_caller]
pub fn eventually<T>(what: &str, mut ask: impl FnMut() -> Result<T, String>) -> T {
    let until = Instant::now() + PATIENCE;
    loop {
        match ask() {
            Ok(answer) => return answer,
            Err(why) if Instant::now() > until => panic!("never came: {what}; at last: {why}"),
            Err(_) => sleep(Duration::from_millis(100)),
        }
    }
}
