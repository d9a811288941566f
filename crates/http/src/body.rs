//! Reading a body: never more than was announced, never slower than a floor.

use std::io::{self, Read};
use std::time::Duration;

use http_body_util::BodyExt;
use hyper::StatusCode;
use hyper::body::{Body as _, Buf, Bytes, Incoming};
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout_at};

use crate::answer::Refusal;

/// A body must keep above this on average, after its first [`GRACE`]; a long one above what its deadline asks of it.
const FLOOR_BYTES_PER_SECOND: f64 = 1024.0;
/// Time in which a body may be slower than the floor.
const GRACE: Duration = Duration::from_secs(3);
/// Pieces under way to who reads them.
const PIECES: usize = 8;

/// Reads a body whole.
///
/// # Errors
/// 408 when it takes longer than `deadline` or will do so, or is slower than 1 KiB/s, after its first 3 s; 400 when it
/// breaks off.
pub async fn read(body: Incoming, deadline: Duration) -> Result<Vec<u8>, Refusal> {
    let length = body.size_hint().exact().unwrap_or(0);
    let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or(0));
    let mut arriving = Arriving::new(body, deadline);
    while let Some(piece) = arriving.next().await? {
        bytes.extend_from_slice(&piece);
    }
    Ok(bytes)
}

/// Hands a body on piece by piece to who reads it, so that no more of it is in memory than fits into the channel. Ends early
/// where nobody reads any more: they have said why.
///
/// # Errors
/// As [`read`].
pub async fn pass_on(
    body: Incoming,
    deadline: Duration,
    to: mpsc::Sender<Bytes>,
) -> Result<(), Refusal> {
    let mut arriving = Arriving::new(body, deadline);
    while let Some(piece) = arriving.next().await? {
        if to.send(piece).await.is_err() {
            break;
        }
    }
    Ok(())
}

/// A body that is passed on, as core reads it: on a thread that may wait.
pub struct Pieces {
    receiver: mpsc::Receiver<Bytes>,
    piece: Bytes,
}

impl Pieces {
    /// With where the body is passed on to.
    pub fn new() -> (mpsc::Sender<Bytes>, Self) {
        let (sender, receiver) = mpsc::channel(PIECES);
        let piece = Bytes::new();
        (sender, Self { receiver, piece })
    }
}

impl Read for Pieces {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.piece.is_empty() {
            match self.receiver.blocking_recv() {
                Some(piece) => self.piece = piece,
                None => return Ok(0),
            }
        }
        let length = buffer.len().min(self.piece.len());
        self.piece.copy_to_slice(&mut buffer[..length]);
        Ok(length)
    }
}

/// Reads a body and forgets it, so that the sender gets to hear the answer. Gives up at `most` bytes.
pub async fn discard(body: Incoming, most: u64, deadline: Duration) {
    let mut arriving = Arriving::new(body, deadline);
    while arriving.bytes <= most && matches!(arriving.next().await, Ok(Some(_))) {}
}

/// A body on its way.
struct Arriving {
    body: Incoming,
    bytes: u64,
    start: Instant,
    deadline: Duration,
    bytes_per_second: f64,
}

impl Arriving {
    fn new(body: Incoming, deadline: Duration) -> Self {
        let length = body.size_hint().exact().unwrap_or(0) as f64;
        let bytes_per_second = (length / deadline.as_secs_f64()).max(FLOOR_BYTES_PER_SECOND);
        Self {
            body,
            bytes: 0,
            start: Instant::now(),
            deadline,
            bytes_per_second,
        }
    }

    /// The next piece, if it comes in time; `None` at the end.
    async fn next(&mut self) -> Result<Option<Bytes>, Refusal> {
        let earned = GRACE + Duration::from_secs_f64(self.bytes as f64 / self.bytes_per_second);
        let until = self.start + earned.min(self.deadline);
        loop {
            match timeout_at(until, self.body.frame()).await {
                Err(_) => {
                    return Err(refusal(
                        StatusCode::REQUEST_TIMEOUT,
                        "too_slow",
                        "the body is arriving too slowly",
                    ));
                }
                Ok(Some(Err(_))) => {
                    return Err(refusal(
                        StatusCode::BAD_REQUEST,
                        "broken_off",
                        "the body ended early",
                    ));
                }
                Ok(None) => return Ok(None),
                Ok(Some(Ok(frame))) => {
                    // Anything else is a trailer, which says nothing here.
                    if let Ok(piece) = frame.into_data() {
                        self.bytes += piece.len() as u64;
                        return Ok(Some(piece));
                    }
                }
            }
        }
    }
}

fn refusal(status: StatusCode, code: &'static str, message: &'static str) -> Refusal {
    Refusal::new(status, code, message).closing()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_in_pieces_is_read_whole() {
        let (sender, mut pieces) = Pieces::new();
        for piece in ["ab", "", "cde"] {
            sender.blocking_send(Bytes::from(piece)).unwrap();
        }
        drop(sender);
        let mut text = String::new();
        pieces.read_to_string(&mut text).unwrap();
        assert_eq!(text, "abcde");
    }
}
