//! When it is tried again.

use std::time::Duration;

use bobbin_core::Result;
use bobbin_core::install::Token;

const FIRST: Duration = Duration::from_secs(1);
const LONGEST: Duration = Duration::from_secs(300);

/// How long to wait after so many attempts: doubled each time, up to five minutes, and of that a random part of at least half,
/// so that those who were cut off together do not come back together. `roll` is any number, drawn anew each time. What the
/// hub asked for is the least.
fn wait(attempts: u32, roll: u32, asked: Option<Duration>) -> Duration {
    let doubled = FIRST.saturating_mul(1 << attempts.saturating_sub(1).min(16));
    let most = doubled.min(LONGEST);
    let part = 0.5 + 0.5 * f64::from(roll) / f64::from(u32::MAX);
    most.mul_f64(part).max(asked.unwrap_or_default())
}

/// The same with a number drawn for it.
///
/// # Errors
/// The system has no random numbers.
pub fn pause(attempts: u32, asked: Option<Duration>) -> Result<Duration> {
    let digest = Token::random()?.digest();
    let roll = u32::from_le_bytes([digest[0], digest[1], digest[2], digest[3]]);
    Ok(wait(attempts, roll, asked))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_within_bounds_and_differ() {
        assert_eq!(wait(1, u32::MAX, None), FIRST);
        assert_eq!(wait(1, 0, None), FIRST / 2);
        assert_eq!(wait(4, u32::MAX, None), FIRST * 8);
        for attempts in [0, 10, 100, u32::MAX] {
            assert!(wait(attempts, u32::MAX, None) <= LONGEST);
        }
        assert_eq!(wait(u32::MAX, 0, None), LONGEST / 2);
        assert_eq!(
            wait(1, 0, Some(Duration::from_secs(40))),
            Duration::from_secs(40)
        );
    }
}
