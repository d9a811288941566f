//! How many commits the receiver needed: it tells its page of each, numbered, and this listens in the page's place.

use std::{
    io::{self, BufRead, BufReader},
    net::{Shutdown, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use super::page::Page;

/// Counts commits until dropped.
pub struct Commits {
    last: Arc<AtomicU64>,
    stream: TcpStream,
    listening: Option<JoinHandle<()>>,
}

impl Commits {
    /// Signs in with the link that `bobbin serve --ui` gave, and listens.
    ///
    /// # Errors
    /// The page's door does not let in.
    pub fn listen(link: &str) -> io::Result<Self> {
        Self::told_to(&Page::open(link)?)
    }

    /// Listens beside a page that is signed in.
    ///
    /// # Errors
    /// The page's door refuses.
    pub fn told_to(page: &Page) -> io::Result<Self> {
        let stream = page.feed()?;
        let mut reading = BufReader::new(stream.try_clone()?);
        let mut status = String::new();
        reading.read_line(&mut status)?;
        if status.split(' ').nth(1) != Some("200") {
            return Err(io::Error::other(format!(
                "the page's door answered {}",
                status.trim()
            )));
        }
        let last = Arc::new(AtomicU64::new(0));
        let told = Arc::clone(&last);
        let listening = thread::spawn(move || {
            for line in reading.lines().map_while(Result::ok) {
                if let Some(revision) = line
                    .strip_prefix("id: ")
                    .and_then(|number| number.trim().parse().ok())
                {
                    told.store(revision, Ordering::Release);
                }
            }
        });
        Ok(Self {
            last,
            stream,
            listening: Some(listening),
        })
    }

    /// The number of commits so far, once it no longer rises.
    pub fn count(&self) -> u64 {
        let deadline = Instant::now() + Duration::from_secs(2);
        loop {
            let before = self.last.load(Ordering::Acquire);
            thread::sleep(Duration::from_millis(100));
            let after = self.last.load(Ordering::Acquire);
            if before == after || Instant::now() > deadline {
                return after;
            }
        }
    }
}

impl Drop for Commits {
    fn drop(&mut self) {
        let _ = self.stream.shutdown(Shutdown::Both);
        if let Some(listening) = self.listening.take() {
            let _ = listening.join();
        }
    }
}
