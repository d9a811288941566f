//! One request and its answer on a connection of its own, without a runtime: what replays post, and what `bobbin doctor` asks.

use std::io::{Error, ErrorKind, Read, Result, Write};
use std::time::{Duration, Instant};

/// An answer is a few hundred bytes.
const ANSWER_BYTES: usize = 64 << 10;

/// Sends a request, and gives the status of the answer and its body. `patience` is what each piece of `stream` waits at most, and all
/// of the answer together.
pub(crate) fn exchange(
    mut stream: impl Read + Write,
    head: &str,
    body: &[u8],
    patience: Duration,
) -> Result<(u16, String)> {
    let late = || {
        let waited = patience.as_secs();
        Error::new(ErrorKind::TimedOut, format!("no answer within {waited} s"))
    };
    stream.write_all(head.as_bytes())?;
    stream.write_all(body)?;
    let end = Instant::now() + patience;
    let (mut answer, mut piece) = (Vec::new(), [0; 4096]);
    while answer.len() < ANSWER_BYTES {
        match stream.read(&mut piece) {
            Ok(0) => break,
            Ok(_) if Instant::now() > end => return Err(late()),
            Ok(read) => answer.extend_from_slice(&piece[..read]),
            Err(error) => match error.kind() {
                ErrorKind::Interrupted => {}
                ErrorKind::WouldBlock | ErrorKind::TimedOut => return Err(late()),
                // TLS that ends without a word; what was said before stands.
                ErrorKind::UnexpectedEof if !answer.is_empty() => break,
                _ => return Err(error),
            },
        }
    }
    let answer = String::from_utf8_lossy(&answer);
    let status = answer.split(' ').nth(1).and_then(|word| word.parse().ok());
    let body = answer.split_once("\r\n\r\n").map_or("", |(_, body)| body);
    let status = status.ok_or_else(|| Error::other("it did not answer"))?;
    Ok((status, body.to_owned()))
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    /// Answers with a text, a few bytes at a time, and says nothing more.
    struct Said(Cursor<Vec<u8>>, Option<ErrorKind>);

    impl Read for Said {
        fn read(&mut self, into: &mut [u8]) -> Result<usize> {
            let few = into.len().min(7);
            match (self.0.read(&mut into[..few])?, self.1) {
                (0, Some(kind)) => Err(kind.into()),
                (read, _) => Ok(read),
            }
        }
    }

    impl Write for Said {
        fn write(&mut self, bytes: &[u8]) -> Result<usize> {
            Ok(bytes.len())
        }

        fn flush(&mut self) -> Result<()> {
            Ok(())
        }
    }

    fn asked(text: &str, end: Option<ErrorKind>) -> Result<(u16, String)> {
        let stream = Said(Cursor::new(text.into()), end);
        exchange(
            stream,
            "GET / HTTP/1.1\r\n\r\n",
            b"",
            Duration::from_secs(5),
        )
    }

    #[test]
    fn an_answer_is_read_to_its_end_however_it_ends() {
        let text = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nfine";
        for end in [None, Some(ErrorKind::UnexpectedEof)] {
            assert_eq!(asked(text, end).unwrap(), (200, "fine".into()));
        }
        for silent in [ErrorKind::WouldBlock, ErrorKind::TimedOut] {
            let error = asked("HTTP/1.1 200", Some(silent)).unwrap_err();
            assert_eq!(error.to_string(), "no answer within 5 s");
        }
        for (text, end) in [
            ("", None),
            ("SSH-2.0", None),
            ("", Some(ErrorKind::UnexpectedEof)),
        ] {
            assert!(asked(text, end).is_err(), "{text}");
        }
    }
}
