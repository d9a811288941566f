//! Senders as schedulers are: each posts its batches in order, keeps one until it is acknowledged, and remembers what was.

use std::{
    collections::BTreeMap,
    io::{self, BufRead, BufReader, Read, Write},
    net::TcpStream,
    os::unix::net::UnixStream,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use super::work::{Sender, body};
use crate::process::{Failure, Result};

/// Far more than a start takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(90);

/// Where a receiver listens.
#[derive(Clone, Debug)]
pub struct Door {
    pub tcp: String,
    pub socket: String,
    pub token: String,
}

/// What a receiver answered.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: String,
}

/// What the senders share.
#[derive(Default)]
pub struct Post {
    door: Mutex<Option<Door>>,
    stopping: AtomicBool,
    acknowledged: AtomicU64,
}

impl Post {
    /// Where to send from now on.
    pub fn put(&self, door: Option<Door>) {
        *lock(&self.door) = door;
    }

    pub fn acknowledged(&self) -> u64 {
        self.acknowledged.load(Ordering::Relaxed)
    }
}

/// Senders at work.
pub struct Senders {
    pub post: Arc<Post>,
    threads: Vec<JoinHandle<(Sender, Vec<u64>)>>,
}

impl Senders {
    /// Starts so many: the odd ones over the socket, the even ones over TCP.
    pub fn start(count: u64) -> Self {
        let post = Arc::new(Post::default());
        let threads = (0..count)
            .map(|sender| {
                let post = Arc::clone(&post);
                thread::spawn(move || (sender, send(sender, &post)))
            })
            .collect();
        Self { post, threads }
    }

    /// Has them send there from now on, and waits until more of their batches are acknowledged than there are senders.
    ///
    /// # Errors
    /// Nothing is acknowledged any more.
    pub fn send_to(&self, door: Door) -> Result {
        let before = self.post.acknowledged();
        self.post.put(Some(door));
        let end = Instant::now() + PATIENCE;
        while self.post.acknowledged() <= before + self.threads.len() as u64 {
            if Instant::now() > end {
                return Err(Failure::new("nothing is acknowledged any more"));
            }
            thread::sleep(Duration::from_millis(5));
        }
        Ok(())
    }

    /// Stops them, and gives what each knows to be stored.
    ///
    /// # Errors
    /// One of them broke: nobody knows what was acknowledged.
    pub fn stop(self) -> Result<BTreeMap<Sender, Vec<u64>>> {
        self.post.stopping.store(true, Ordering::Relaxed);
        let sent = self.threads.into_iter().map(JoinHandle::join);
        sent.map(|sent| sent.map_err(|_| Failure::new("a sender broke")))
            .collect()
    }
}

fn send(sender: Sender, post: &Post) -> Vec<u64> {
    let mut acknowledged = Vec::new();
    let mut connection: Option<Open> = None;
    let mut number = 0;
    while !post.stopping.load(Ordering::Relaxed) {
        let Some(door) = lock(&post.door).clone() else {
            connection = None;
            thread::sleep(Duration::from_millis(5));
            continue;
        };
        let body = body((sender, number));
        let answer = match &mut connection {
            Some(open) => open.post(&door.token, &body),
            None => Open::to(&door, sender % 2 == 1).and_then(|mut open| {
                let answer = open.post(&door.token, &body);
                connection = Some(open);
                answer
            }),
        };
        match answer {
            Ok(answer) if answer.status == 200 => {
                acknowledged.push(number);
                post.acknowledged.fetch_add(1, Ordering::Relaxed);
                number += 1;
            }
            // Not now: the same one again.
            Ok(_) => thread::sleep(Duration::from_millis(20)),
            Err(_) => {
                connection = None;
                thread::sleep(Duration::from_millis(5));
            }
        }
    }
    acknowledged
}

/// Posts a batch over the socket, which must be stored.
///
/// # Errors
/// Nobody listens, or it is refused.
pub fn store_batch(door: &Door, body: &[u8]) -> Result {
    let answer = Open::to(door, true)?.post(&door.token, body)?;
    match answer.status {
        200 => Ok(()),
        _ => Err(Failure::new(format!("refused: {answer:?}"))),
    }
}

/// Either of a receiver's doors.
trait Stream: Read + Write {}
impl<T: Read + Write> Stream for T {}

/// An open connection, kept alive.
pub struct Open {
    stream: Box<dyn Stream>,
    host: String,
}

impl Open {
    /// # Errors
    /// Nobody listens.
    pub fn to(door: &Door, over_socket: bool) -> io::Result<Self> {
        let patience = Some(Duration::from_secs(60));
        if over_socket {
            let stream = UnixStream::connect(&door.socket)?;
            stream.set_read_timeout(patience)?;
            Ok(Self {
                stream: Box::new(stream),
                host: "bobbin".into(),
            })
        } else {
            let stream = TcpStream::connect(&door.tcp)?;
            stream.set_nodelay(true)?;
            stream.set_read_timeout(patience)?;
            Ok(Self {
                stream: Box::new(stream),
                host: door.tcp.clone(),
            })
        }
    }

    /// Posts one batch, and reads the answer.
    ///
    /// # Errors
    /// The connection broke before the whole answer was here.
    pub fn post(&mut self, token: &str, body: &[u8]) -> io::Result<Answer> {
        let mut request = format!(
            "POST /v1/batches HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {token}\r\nContent-Type: application/x-ndjson\r\n\
             Content-Length: {}\r\n\r\n",
            self.host,
            body.len()
        )
        .into_bytes();
        request.extend_from_slice(body);
        self.stream.write_all(&request)?;
        // The whole answer is read and no more: nothing is left in the buffer that is dropped.
        let mut reading = BufReader::new(&mut self.stream);
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            if reading.read_line(&mut head)? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        let head = head.to_ascii_lowercase();
        let number = |text: Option<&str>| text.and_then(|text| text.trim().parse::<u16>().ok());
        let length = head
            .lines()
            .find_map(|line| line.strip_prefix("content-length:"));
        let mut body = vec![0; usize::from(number(length).unwrap_or(0))];
        reading.read_exact(&mut body)?;
        Ok(Answer {
            status: number(head.split(' ').nth(1)).unwrap_or(0),
            body: String::from_utf8_lossy(&body).into_owned(),
            head,
        })
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
