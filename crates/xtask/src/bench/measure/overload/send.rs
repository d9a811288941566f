//! Senders as the plugin is: each posts its reports in order, and the same one again where it is told to. Each post has
//! a connection of its own.

use std::{
    io::{self, BufRead, BufReader, Write},
    os::unix::net::UnixStream,
    thread,
    time::{Duration, Instant},
};

use crate::{
    bench::measure::post::{Address, Door, head},
    process::{Failure, Result},
};

/// How long a sender waits that was not told when to come again.
const UNSAID: Duration = Duration::from_secs(1);

/// What the senders met.
#[derive(Default)]
pub struct Met {
    /// Of each report from its first try to its acknowledgement, with refusals and the waits after them: milliseconds.
    pub waits: Vec<f64>,
    /// Answers that told to come again.
    pub later: u64,
    /// Those of them that did not say when, or were cut off.
    pub unsaid: u64,
}

/// When the reports of so many clusters are due: not all in the same moment.
pub struct Rhythm {
    pub start: Instant,
    /// Between two reports of one cluster.
    pub beat: Duration,
    pub clusters: usize,
}

impl Rhythm {
    /// Waits until this report of this cluster is due.
    pub fn wait(&self, number: usize, cluster: usize) {
        let beats = number as f64 + cluster as f64 / self.clusters as f64;
        let due = self.start + self.beat.mul_f64(beats);
        thread::sleep(due.saturating_duration_since(Instant::now()));
    }
}

/// One thread a cluster, together. The waits are sorted.
///
/// # Errors
/// What one of them met.
pub fn senders(count: usize, send: impl Fn(usize, &mut Met) -> Result + Sync) -> Result<Met> {
    let mut all = thread::scope(|scope| {
        let senders: Vec<_> = (0..count)
            .map(|cluster| {
                let send = &send;
                scope.spawn(move || {
                    let mut met = Met::default();
                    send(cluster, &mut met).map(|()| met)
                })
            })
            .collect();
        let mut all = Met::default();
        for sender in senders {
            let met = sender
                .join()
                .map_err(|_| Failure::new("a sender panicked"))??;
            all.waits.extend(met.waits);
            all.later += met.later;
            all.unsaid += met.unsaid;
        }
        Ok::<Met, Failure>(all)
    })?;
    all.waits.sort_by(f64::total_cmp);
    Ok(all)
}

/// Posts a report until it is acknowledged.
///
/// # Errors
/// The receiver cannot be reached, or its answer is neither an acknowledgement nor "later".
pub fn send(door: &Door, body: &[u8], met: &mut Met) -> Result {
    let begun = Instant::now();
    loop {
        let wait = match post(door, body)? {
            Answer::Stored => {
                met.waits.push(begun.elapsed().as_secs_f64() * 1e3);
                return Ok(());
            }
            Answer::Later(Some(seconds)) => Duration::from_secs(seconds),
            Answer::Later(None) => {
                met.unsaid += 1;
                UNSAID
            }
        };
        met.later += 1;
        thread::sleep(wait);
    }
}

/// What a post came to.
#[derive(Debug, PartialEq)]
enum Answer {
    Stored,
    /// To be sent again, after so many seconds where that is said.
    Later(Option<u64>),
}

fn post(door: &Door, body: &[u8]) -> io::Result<Answer> {
    let Address::Unix(path) = &door.address else {
        return Err(io::Error::other("the overload goes over the socket"));
    };
    let mut stream = UnixStream::connect(path)?;
    let mut request = Vec::with_capacity(body.len() + 256);
    write!(
        request,
        "POST /v1/batches HTTP/1.1\r\nHost: bobbin\r\nConnection: close\r\nAuthorization: Bearer {}\r\n\
         Content-Type: application/x-ndjson\r\nContent-Encoding: gzip\r\nContent-Length: {}\r\n\r\n",
        door.token,
        body.len()
    )?;
    request.extend_from_slice(body);
    // An answer may come before the body is read; it is still there to be had.
    let _ = stream.write_all(&request);
    match answer(BufReader::new(stream)) {
        // Closed with bytes unread and not a word: the plugin keeps the report and comes again.
        Err(error) if error.kind() == io::ErrorKind::ConnectionReset => Ok(Answer::Later(None)),
        answer => answer,
    }
}

/// The head of an answer says all that a sender acts on.
fn answer(mut reading: impl BufRead) -> io::Result<Answer> {
    let (status, seconds) = head(&mut reading, "retry-after")?;
    match status.split(' ').nth(1) {
        Some("200") => Ok(Answer::Stored),
        Some("429" | "503") => Ok(Answer::Later(seconds.and_then(|text| text.parse().ok()))),
        None if status.is_empty() => Ok(Answer::Later(None)),
        _ => Err(io::Error::other(format!(
            "the receiver answered {}",
            status.trim()
        ))),
    }
}

#[cfg(test)]
mod tests {
    use std::{env, fs, io::Read, os::unix::net::UnixListener, process};

    use super::*;

    const LATER: &str = "HTTP/1.1 503 Service Unavailable\r\n";

    #[test]
    fn an_answer_stores_or_says_when_to_come_again() {
        let said = |text: &str| answer(text.as_bytes());
        let stored = said("HTTP/1.1 200 OK\r\nretry-after: 3\r\n\r\n{}").unwrap();
        assert_eq!(stored, Answer::Stored);
        for status in ["429 Too Many Requests", "503 Service Unavailable"] {
            let later = said(&format!("HTTP/1.1 {status}\r\nRetry-After: 3\r\n\r\n")).unwrap();
            assert_eq!(later, Answer::Later(Some(3)));
        }
        let wrong = format!("{LATER}retry-after: soon\r\n\r\n");
        for text in ["", LATER, wrong.as_str()] {
            assert_eq!(said(text).unwrap(), Answer::Later(None), "{text:?}");
        }
        for text in ["HTTP/1.1 422 Unprocessable\r\n\r\n", "no HTTP\r\n"] {
            assert!(said(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn a_report_waits_from_its_first_try_through_all_refusals() {
        let path = env::temp_dir().join(format!("bobbin-send-{}", process::id()));
        let _ = fs::remove_file(&path);
        let listener = UnixListener::bind(&path).unwrap();
        let refused = format!("{LATER}Retry-After: 1\r\n\r\n");
        let receiver = thread::spawn(move || {
            for answer in [refused.as_str(), "", "HTTP/1.1 200 OK\r\n\r\n"] {
                let (mut stream, _) = listener.accept().unwrap();
                let read = stream.read(&mut [0; 4096]).unwrap();
                assert!(read > 0);
                stream.write_all(answer.as_bytes()).unwrap();
            }
        });
        let door = Door {
            address: Address::Unix(path.display().to_string()),
            token: "token".into(),
        };
        let met = senders(1, |_, met| send(&door, b"a report", met)).unwrap();
        receiver.join().unwrap();
        fs::remove_file(&path).unwrap();
        assert_eq!((met.waits.len(), met.later, met.unsaid), (1, 2, 1));
        assert!(met.waits[0] >= 2_000.0, "{}", met.waits[0]);
    }
}
