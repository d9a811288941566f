//! Reading a body: never more than was announced, never slower than a floor.

use std::time::Duration;

use http_body_util::BodyExt;
use hyper::StatusCode;
use hyper::body::{Body as _, Bytes, Incoming};
use tokio::time::Instant;

use crate::answer::Refusal;

/// A body must keep above this on average, after its first [`GRACE`].
const FLOOR_BYTES_PER_SECOND: u64 = 1024;
/// Time in which a body may be slower than the floor.
const GRACE: Duration = Duration::from_secs(3);

/// Reads a body whole.
///
/// # Errors
/// 408 when it takes longer than `deadline`, or is slower than 1 KiB/s after its first 3 s; 400 when it breaks off.
pub async fn read(mut body: Incoming, deadline: Duration) -> Result<Vec<u8>, Refusal> {
    let start = Instant::now();
    let length = body.size_hint().exact().unwrap_or(0);
    let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or(0));
    while let Some(frame) = within(&mut body, start, bytes.len() as u64, deadline).await? {
        bytes.extend_from_slice(&frame);
    }
    Ok(bytes)
}

/// Reads a body and forgets it, so that the sender gets to hear the answer. Gives up at `most` bytes.
pub async fn discard(mut body: Incoming, most: u64, deadline: Duration) {
    let start = Instant::now();
    let mut read = 0;
    while let Ok(Some(frame)) = within(&mut body, start, read, deadline).await {
        read += frame.len() as u64;
        if read > most {
            return;
        }
    }
}

/// The next piece of a body of which `read` bytes have arrived since `start`.
async fn within(
    body: &mut Incoming,
    start: Instant,
    read: u64,
    deadline: Duration,
) -> Result<Option<Bytes>, Refusal> {
    let earned = GRACE.min(deadline) + Duration::from_millis(read * 1000 / FLOOR_BYTES_PER_SECOND);
    loop {
        let frame = tokio::time::timeout_at(start + earned.min(deadline), body.frame()).await;
        match frame {
            Err(_) => {
                let message = "the body arrives too slowly";
                return Err(
                    Refusal::new(StatusCode::REQUEST_TIMEOUT, "too_slow", message).closing(),
                );
            }
            Ok(None) => return Ok(None),
            Ok(Some(Err(_))) => {
                let message = "the body broke off";
                return Err(Refusal::new(StatusCode::BAD_REQUEST, "broken_off", message).closing());
            }
            Ok(Some(Ok(frame))) => {
                if let Ok(data) = frame.into_data() {
                    return Ok(Some(data));
                }
            }
        }
    }
}
