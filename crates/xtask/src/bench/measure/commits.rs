//! How many commits the receiver needed: it tells its page of each, numbered, and this listens in the page's place.

use std::{
    io::{self, BufRead, BufReader, Write},
    net::{Shutdown, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

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
        let (host, path) = link
            .strip_prefix("http://")
            .and_then(|rest| rest.split_once('/'))
            .ok_or_else(|| io::Error::other(format!("{link} is not a link")))?;
        let cookie = sign_in(host, path)?;
        let mut stream = TcpStream::connect(host)?;
        write!(
            stream,
            "GET /api/live HTTP/1.1\r\nHost: {host}\r\nCookie: {cookie}\r\nAccept: text/event-stream\r\n\r\n"
        )?;
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

/// Takes the link and gives the cookie.
fn sign_in(host: &str, path: &str) -> io::Result<String> {
    let mut stream = TcpStream::connect(host)?;
    write!(
        stream,
        "GET /{path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
    )?;
    for line in BufReader::new(stream).lines() {
        let line = line?;
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("set-cookie")
        {
            return Ok(value
                .split(';')
                .next()
                .unwrap_or_default()
                .trim()
                .to_owned());
        }
    }
    Err(io::Error::other("the page's door gave no cookie"))
}
