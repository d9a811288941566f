//! Posting batches to a receiver on this machine by the way that plugins use: replays come in that way.

use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

use bobbin_core::demo::Door;
use bobbin_core::install;
use bobbin_core::{Error, Result};

use crate::exchange::exchange;
use crate::near::Near;

/// For one request, and for all of its repeats.
const PATIENCE: Duration = Duration::from_secs(20);
/// Between two tries, where the receiver has too much to do.
const PAUSE: Duration = Duration::from_millis(200);

/// The door of a receiver of this machine.
pub struct Post {
    near: Near,
    dir: PathBuf,
}

impl Post {
    /// `dir` is the receiver's folder: its token may be replaced at any time, and is read for each request.
    pub fn new(near: Near, dir: PathBuf) -> Self {
        Self { near, dir }
    }

    /// The status of the answer, and its body.
    fn once(&self, batch: &[u8], token: &str) -> std::io::Result<(u16, String)> {
        let stream = self.near.connect(PATIENCE)?;
        let head = format!(
            "POST /v1/batches HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nContent-Type: application/x-ndjson\r\n\
             Content-Length: {}\r\nConnection: close\r\n\r\n",
            self.near.host(),
            token,
            batch.len(),
        );
        exchange(stream, &head, batch, PATIENCE)
    }
}

impl Door for Post {
    fn post(&self, batch: &[u8]) -> Result<()> {
        let end = Instant::now() + PATIENCE;
        let mut refused = None;
        loop {
            let token = install::token(&self.dir)?.expose().to_owned();
            let (status, body) = self.once(batch, &token).map_err(|error| {
                let at = &self.near;
                Error::Refused(format!("the receiver at {at} does not answer: {error}"))
            })?;
            match status {
                200 => return Ok(()),
                429 | 503 if Instant::now() < end => thread::sleep(PAUSE),
                // It was replaced between these two lines; refused again it is not that.
                401 if refused.replace(token.clone()).as_ref() != Some(&token) => {
                    thread::sleep(PAUSE);
                }
                _ => {
                    let said: String = body.chars().take(200).collect();
                    return Err(Error::Refused(format!(
                        "the receiver answered {status}: {said}"
                    )));
                }
            }
        }
    }
}
